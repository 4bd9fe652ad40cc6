// Answers to what never became a request: broken HTTP, headers too large, a body that never came.
// There is no reply object yet, so the bytes are written to the socket.

import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { wrapError } from './envelope.ts'
import { answerError } from './errors.ts'
import type { HttpSettings } from './facts.ts'
import { requestIdOf } from './headers.ts'

/** Writes the enveloped error and closes. */
export function answerClientError(error: Error, socket: Socket, settings: HttpSettings): void {
  const gone = 'code' in error && error.code === 'ECONNRESET'
  if (gone || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, error: shown } = answerError(error, settings.default_locale)
  const bare = JSON.stringify(shown)
  const body = settings.envelope === 'on' ? wrapError(bare, status) : bare
  const headers = {
    ...settings.headers(requestIdOf(undefined)),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}
