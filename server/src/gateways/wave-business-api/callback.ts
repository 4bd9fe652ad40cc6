// Callbacks of this operator: which session they mean, what they report, and what proves it. Law:
// reading always answers, whatever comes; only a fresh signature over the bytes makes it evidence.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { isFields, readFields, wordIn } from '../../platform/json-fields.ts'
import type { Answer, AttemptKey, CallbackProof, CallbackReading, Received } from '../gateway.ts'
import { answerOf } from './read-answer.ts'
import { readSession } from './wire.ts'

/** A signature proves that the body was meant now: an old one may be a replay. */
const age_max_s = 300
/** While a secret is replaced there are two. */
const signaturesMost = 8

const unread: Answer = { is: 'unknown', because: 'unreadable' }

export type CallbackContext = Readonly<{
  webhook_secret: string
  note: (what: string) => void
}>

/** Reads a callback; header names are in lower case. */
export function readWaveCallback(context: CallbackContext, received: Received): CallbackReading {
  const fields = readFields(received.body.toString())
  const type = fields === undefined ? '' : wordIn(fields, 'type')
  if (fields === undefined || type === '') return { proof: 'UNSIGNED', key: '', answer: unread }
  const proof = proofOf(context, received)
  const data = fields['data']
  const session = type.startsWith('checkout.session.') && isFields(data) && readSession(data)
  if (session === false || session === undefined) {
    return { proof, key: '', answer: unread, ...(proof === 'UNSIGNED' ? {} : { is_other: true }) }
  }
  const key: AttemptKey = {
    ...{ merchant_id: '', attempt_id: '', direction: 'COLLECT', our_key: session.client_reference },
    ...{ external_reference: '', amount: 0n, currency: session.currency },
  }
  // A stranger's word is no answer of the operator's, and is not counted as one.
  const note = proof === 'SIGNED' ? context.note : () => undefined
  const answer = answerOf(key, session, { note, now_ms: received.at_ms })
  // What has failed may be tried again: only our own question learns that a session has ended.
  const isNews = answer.is === 'confirmed' && type === 'checkout.session.completed'
  return {
    proof,
    key: session.client_reference,
    answer: isNews ? answer : { is: 'unknown', because: `told ${answer.is}` },
  }
}

function proofOf(context: CallbackContext, received: Received): CallbackProof {
  if (isSigned(context, received)) return 'SIGNED'
  const [, token = ''] = /^Bearer (\S{1,512})$/.exec(received.headers['authorization'] ?? '') ?? []
  return token !== '' && isSame(token, context.webhook_secret) ? 'BEARER' : 'UNSIGNED'
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()
const isSame = (a: string, b: string): boolean => timingSafeEqual(digestOf(a), digestOf(b))

/** `t=…,v1=…[,v1=…]`: each an HMAC over the time and the body, with nothing between them. */
function isSigned({ webhook_secret }: CallbackContext, { body, headers, at_ms }: Received) {
  const parts = (headers['wave-signature'] ?? '').split(',').slice(0, signaturesMost)
  const valuesOf = (name: string) =>
    parts.flatMap((part) => (part.startsWith(`${name}=`) ? [part.slice(name.length + 1)] : []))
  const [timestamp = ''] = valuesOf('t')
  if (!/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(Math.floor(at_ms / 1000) - Number(timestamp)) > age_max_s) return false
  const expected = createHmac('sha256', webhook_secret).update(timestamp).update(body).digest()
  return valuesOf('v1').some(
    (one) => /^[0-9a-f]{64}$/.test(one) && timingSafeEqual(expected, Buffer.from(one, 'hex')),
  )
}
