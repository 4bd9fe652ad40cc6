// The endpoints of `--only delivery`: good ones note how long each first delivery took from the
// commit of its event, hanging ones never answer, and at the refusing one nothing listens.

import { text } from 'node:stream/consumers'
import type { Ends } from '../../server/test/setup/ends.ts'
import { freePort, serveHttp } from '../../server/test/setup/loopback.ts'

export type Endpoints = Readonly<{
  urlOf(kind: 'good' | 'spare' | 'hanging' | 'refusing', nth: number): string
  /** Milliseconds, one a delivery to a good endpoint, as they came. */
  waits: readonly number[]
  /** Deliveries that good endpoints got once more. */
  repeats(): number
}>

export async function openEndpoints(ends: Ends): Promise<Endpoints> {
  const waits: number[] = []
  const known = new Set<string>()
  let repeats = 0
  const receive = (body: string) => {
    const { id, created_at } = JSON.parse(body)
    if (known.has(id)) repeats += 1
    else waits.push(Date.now() - Date.parse(created_at))
    known.add(id)
  }
  const answering = await ends.keep(
    serveHttp(async (request, response) => {
      const body = await text(request)
      if (request.url?.startsWith('/good')) receive(body)
      response.end()
    }),
  )
  const hanging = await ends.keep(serveHttp((request) => void request.resume()))
  const { port } = answering
  const ports = { good: port, spare: port, hanging: hanging.port, refusing: await freePort() }
  return {
    urlOf: (kind, nth) => `http://127.0.0.1:${ports[kind]}/${kind}/${nth}`,
    waits,
    repeats: () => repeats,
  }
}
