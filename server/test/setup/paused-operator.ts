// The way to the sandbox operator, where a payout can be stopped: before the operator has it, or
// after, before we have its answer. Everything else passes.

import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { serveHttp } from './loopback.ts'

export type PausedOperator = Readonly<{
  url: string
  /** The next payout stops there; resolves when it has. Its sender never receives an answer. */
  stopNext(where: 'before' | 'after'): Promise<void>
  close(): Promise<void>
}>

type Stop = { where: 'before' | 'after'; reached: () => void }

export async function pausedOperator(target: string): Promise<PausedOperator> {
  let stop: Stop | undefined
  const server = await serveHttp(async (request, response) => {
    const isPayout = request.method === 'POST' && /^\/[ab]\/payouts$/.test(request.url ?? '')
    const own = isPayout ? stop : undefined
    if (own !== undefined) stop = undefined
    if (own?.where === 'before') {
      own.reached()
      return
    }
    await passOn(target, request, (status, body) => {
      if (own === undefined) {
        response.writeHead(status, { 'content-type': 'application/json' }).end(body)
        return
      }
      own.reached()
    })
  })
  return {
    url: server.url,
    stopNext: (where) =>
      new Promise((reached) => {
        stop = { where, reached }
      }),
    close: server.close,
  }
}

async function passOn(
  target: string,
  request: IncomingMessage,
  answer: (status: number, body: string) => void,
): Promise<void> {
  const sent = await text(request)
  const { authorization = '' } = request.headers
  const reply = await fetch(`${target}${request.url}`, {
    method: request.method ?? 'GET',
    headers: { authorization, 'content-type': 'application/json' },
    ...(sent === '' ? {} : { body: sent }),
  })
  answer(reply.status, await reply.text())
}
