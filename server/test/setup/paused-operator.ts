// The way to the sandbox operator, where a payout can be stopped: before the operator has it, or
// after, before we have its answer. Everything else passes.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export type PausedOperator = Readonly<{
  url: string
  /** The next payout stops there; resolves when it has. Its sender never receives an answer. */
  stopNext(where: 'before' | 'after'): Promise<void>
  close(): void
}>

type Stop = { where: 'before' | 'after'; reached: () => void }

export async function pausedOperator(target: string): Promise<PausedOperator> {
  let stop: Stop | undefined
  const paused = new Set<ServerResponse>()
  const server = createServer(async (request, response) => {
    const isPayout = request.method === 'POST' && /^\/[ab]\/payouts$/.test(request.url ?? '')
    const own = isPayout ? stop : undefined
    if (own !== undefined) stop = undefined
    if (own?.where === 'before') {
      paused.add(response)
      own.reached()
      return
    }
    await passOn(target, request, (status, body) => {
      if (own === undefined) {
        response.writeHead(status, { 'content-type': 'application/json' }).end(body)
        return
      }
      paused.add(response)
      own.reached()
    }).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    stopNext: (where) =>
      new Promise((reached) => {
        stop = { where, reached }
      }),
    close() {
      for (const response of paused) response.destroy()
      server.close()
      server.closeAllConnections()
    },
  }
}

async function passOn(
  target: string,
  request: IncomingMessage,
  answer: (status: number, body: string) => void,
): Promise<void> {
  let sent = ''
  for await (const chunk of request) sent += chunk
  const { authorization = '' } = request.headers
  const reply = await fetch(`${target}${request.url}`, {
    method: request.method ?? 'GET',
    headers: { authorization, 'content-type': 'application/json' },
    ...(sent === '' ? {} : { body: sent }),
  })
  answer(reply.status, await reply.text())
}
