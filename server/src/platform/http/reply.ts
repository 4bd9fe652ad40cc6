// How an answer leaves: JSON text made once, wrapped or not as the caller prefers (contract 1.2).

import type { FastifyReply } from 'fastify'
import type { ErrorAnswer } from './errors.ts'
import { type Packer, pack } from './packed-text.ts'
import type { FileReply, ServedReply } from './route.ts'

export const json_type = 'application/json; charset=utf-8'

export type Wrapping = Readonly<{
  /** Holds when the caller states nothing. */
  by_default: Envelope
  /** The caller's. */
  preference: Envelope | undefined
  /** How a long answer is compressed, or that this caller takes none; absent: it never is. */
  packer?: Packer | 'none'
}>

/** Less goes in one packet anyway. */
const packed_min = 1_400

function sendText(reply: FastifyReply, wrapping: Wrapping, bare: string, wrapped: string) {
  const { by_default, preference, packer } = wrapping
  if (packer !== undefined) varyBy(reply, 'Accept-Encoding')
  if (preference !== undefined) {
    reply.header('Preference-Applied', `envelope=${preference}`)
    varyBy(reply, 'Prefer')
  }
  const text = (preference ?? by_default) === 'on' ? wrapped : bare
  reply.header('Content-Type', json_type)
  if (packer === undefined || packer === 'none' || text.length < packed_min) return reply.send(text)
  const sendPacked = (packed: Buffer) => reply.header('Content-Encoding', packer).send(packed)
  return pack(text, packer).then(sendPacked)
}

function varyBy(reply: FastifyReply, name: string): void {
  const others = reply.getHeader('Vary')
  reply.header('Vary', others === undefined ? name : `${others}, ${name}`)
}

function sendFile(reply: FastifyReply, answer: FileReply) {
  reply.header('Content-Type', answer.content_type)
  if (answer.filename !== undefined) {
    // Our own names are plain; anything that could end the quotes is taken out.
    const name = answer.filename.replace(/[^A-Za-z0-9._-]/g, '_')
    reply.header('Content-Disposition', `attachment; filename="${name}"`)
  }
  return reply.send(answer.file)
}

/** Sends a handler's answer; a replayed one is marked as such (contract 4.2). */
export function sendReply(reply: FastifyReply, wrapping: Wrapping, answer: ServedReply) {
  if ('replayed' in answer && answer.replayed) reply.header('Idempotent-Replayed', 'true')
  reply.code(answer.status)
  if ('headers' in answer && answer.headers !== undefined) reply.headers(answer.headers)
  if ('file' in answer) return sendFile(reply, answer)
  if (!('json' in answer) && !('data' in answer)) return reply.send()
  const json = 'json' in answer ? answer.json : (JSON.stringify(answer.data) ?? 'null')
  // A stored refusal comes back as a reply: its status shows that it is one.
  const wrap = answer.status >= 400 ? wrapError : wrapSuccess
  return sendText(reply, wrapping, json, wrap(json, answer.status))
}

/** Sends an error; its envelope follows the server's default, on a raw route too. */
export function sendError(reply: FastifyReply, wrapping: Wrapping, answer: ErrorAnswer) {
  const json = JSON.stringify(answer.error)
  reply.code(answer.status).headers(answer.headers)
  return sendText(reply, wrapping, json, wrapError(json, answer.status))
}

// The envelope around every JSON answer (contract 1.2), and the preference that takes it off. A
// payload is serialised once and wrapped as text, so that a stored one replays byte for byte.

export type Envelope = 'on' | 'off'

/** The envelope that `Prefer` requests; other preferences in the list are ignored (RFC 7240). */
export function readEnvelopePreference(
  prefer: string | string[] | undefined,
): Envelope | undefined {
  const header = Array.isArray(prefer) ? prefer.join(',') : prefer
  for (const preference of header?.split(',') ?? []) {
    const [token = ''] = preference.split(';')
    const [, value] = /^\s*envelope\s*=\s*"?(on|off)"?\s*$/i.exec(token) ?? []
    // The first of two contradicting preferences counts.
    if (value !== undefined) return value.toLowerCase() === 'on' ? 'on' : 'off'
  }
  return undefined
}

export const wrapSuccess = (json: string, status: number): string =>
  `{"success":true,"data":${json},"code":${status}}`

export const wrapError = (json: string, status: number): string =>
  `{"success":false,"error":${json},"code":${status}}`
