// A merchant's endpoint on loopback that keeps what it received and answers as instructed.

import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type LoopbackServer, serveHttp } from './loopback.ts'

export type Got = Readonly<{
  /** Path and query that it came to. */
  path: string
  headers: IncomingHttpHeaders
  raw: string
  /** The raw body as JSON: any field may be looked at. */
  body: ReturnType<typeof JSON.parse>
  at_ms: number
}>

/** Answers a call, or never does; `nth` counts the calls from 1. */
export type Answer = (response: ServerResponse, got: Got, nth: number) => unknown

export type Receiver = Omit<LoopbackServer, 'port'> &
  Readonly<{
    received: Got[]
    /** How the next calls are answered; 200 unless set. */
    answerWith(answer: Answer): void
  }>

export async function startReceiver(
  first: Answer = (response) => response.end('ok'),
): Promise<Receiver> {
  const received: Got[] = []
  let answer = first
  const { url, connections, close } = await serveHttp(async (request, response) => {
    const raw = await text(request)
    const { url: path = '', headers } = request
    const got = { path, headers, raw, body: JSON.parse(raw), at_ms: Date.now() }
    received.push(got)
    await answer(response, got, received.length)
  })
  return {
    url: `${url}/hook`,
    received,
    connections,
    close,
    answerWith(next) {
      answer = next
    },
  }
}
