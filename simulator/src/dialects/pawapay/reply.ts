// What this operator answers, and how it is written; beside it the ways in which an answer is lost.

import type { ServerResponse } from 'node:http'

export type Reply =
  | Readonly<{ is: 'json'; status: number; body: unknown }>
  | Readonly<{ is: 'html'; status: number; html: string; location?: string }>
  /** A 2xx that nobody can read. */
  | Readonly<{ is: 'garbled' }>
  /** No answer at all: the connection is kept open, then broken. */
  | Readonly<{ is: 'lost' }>

export const json = (status: number, body: unknown): Reply => ({ is: 'json', status, body })

export const isReply = (value: object): value is Reply => 'is' in value

export function writeReply(response: ServerResponse, reply: Reply, hold_ms: number): void {
  switch (reply.is) {
    case 'json':
      response.writeHead(reply.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(reply.body))
      return
    case 'html': {
      const { location } = reply
      response.writeHead(reply.status, {
        'content-type': 'text/html; charset=utf-8',
        ...(location === undefined ? {} : { location }),
      })
      response.end(reply.html)
      return
    }
    case 'garbled':
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"status":"\u0000<html>502 upstream')
      return
    case 'lost': {
      const timer = setTimeout(() => response.destroy(), hold_ms)
      response.on('close', () => clearTimeout(timer))
    }
  }
}
