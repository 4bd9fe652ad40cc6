// The endpoints of `--only delivery`: good ones note how long each first delivery took from the
// commit of its event, hanging ones never answer, and at the refusing one nothing listens.

import { createServer, type RequestListener, type Server } from 'node:http'
import type { Ends } from './ends.ts'

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
  const answering = await listen(ends, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url?.startsWith('/good')) receive(Buffer.concat(chunks).toString())
      response.end()
    })
  })
  const hanging = await listen(ends, (request) => void request.resume())
  const refusing = createServer()
  const refusing_port = await portOf(refusing)
  await new Promise((resolve) => refusing.close(resolve))
  const ports = { good: answering, spare: answering, hanging, refusing: refusing_port }
  return {
    urlOf: (kind, nth) => `http://127.0.0.1:${ports[kind]}/${kind}/${nth}`,
    waits,
    repeats: () => repeats,
  }
}

async function listen(ends: Ends, answer: RequestListener): Promise<number> {
  const server = createServer(answer)
  ends.add(async () => {
    server.close()
    server.closeAllConnections()
  })
  return portOf(server)
}

function portOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}
