// A door that operators call: what came first under each name is kept as it came.

import { text } from 'node:stream/consumers'
import type { Callback } from '../../src/gateways/conformance.ts'
import { serveHttp } from './loopback.ts'

export type Mailbox = Readonly<{
  url: string
  /** The first that came under this name; at most ten seconds from now. */
  first(name: string): Promise<Callback>
  close(): Promise<void>
}>

/** `nameOf`: under which name a body is kept that came to this path. */
export async function openMailbox(
  nameOf: (body: string, path: string) => string,
): Promise<Mailbox> {
  const delivered = new Map<string, Callback>()
  const receiver = await serveHttp(async (req, res) => {
    const headers = Object.fromEntries(
      Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
    )
    const body = await text(req)
    const name = nameOf(body, req.url ?? '')
    if (!delivered.has(name)) delivered.set(name, { body, headers })
    res.end()
  })
  return {
    url: `http://127.0.0.1:${receiver.port}`,
    close: receiver.close,
    async first(name) {
      const give_up = Date.now() + 10_000
      for (;;) {
        const callback = delivered.get(name)
        if (callback !== undefined) return callback
        if (Date.now() > give_up) throw new Error(`no callback came for ${name}`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
  }
}
