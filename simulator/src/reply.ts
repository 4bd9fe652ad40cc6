// What a route can answer, and the only place that writes it to a socket. Beside honest answers an
// operator has two dishonest ones: `garbled` (200 with rubbish) and `lost` (no answer at all).

import type { ServerResponse } from 'node:http'

export type Reply =
  | Readonly<{ is: 'json'; status: number; body: unknown }>
  | Readonly<{ is: 'page'; status: number; html: string; policy: string; language: string }>
  | Readonly<{ is: 'see_other'; location: string }>
  | Readonly<{ is: 'garbled' }>
  | Readonly<{ is: 'lost' }>

export const json = (status: number, body: unknown): Reply => ({ is: 'json', status, body })

/** An error in the operator's own dialect. */
export function problem(status: number, code: string, message: string): Reply {
  return json(status, { code, message })
}

/** Headers without which no page of a payer may leave. */
function pageHeaders(policy: string, language: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-language': language,
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    vary: 'accept-language',
  }
}

/** Sends the reply; a lost one keeps the socket open for `hold_ms` and then breaks it. */
export function writeReply(res: ServerResponse, reply: Reply, hold_ms: number): void {
  switch (reply.is) {
    case 'json':
      res.writeHead(reply.status, {
        'content-type': 'application/json',
        'cache-control': 'no-store',
      })
      res.end(JSON.stringify(reply.body))
      return
    case 'page':
      res.writeHead(reply.status, pageHeaders(reply.policy, reply.language))
      res.end(reply.html)
      return
    case 'see_other':
      res.writeHead(303, { location: reply.location, 'cache-control': 'no-store' })
      res.end()
      return
    case 'garbled':
      res.writeHead(200, { 'content-type': 'application/json' })
      res.end('{"id":"SIM\u0000<html>502 upstream')
      return
    case 'lost': {
      const timer = setTimeout(() => res.destroy(), hold_ms)
      res.on('close', () => clearTimeout(timer))
    }
  }
}
