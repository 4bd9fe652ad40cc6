// Callbacks of this operator: which session they mean, what they report, and what proves it. Law:
// reading always answers, whatever comes; only a fresh signature over the bytes makes it evidence.

import { createHash, timingSafeEqual } from 'node:crypto'
import { isFields, readFields, wordIn } from '../../platform/json-fields.ts'
import type { Answer, AttemptKey, CallbackProof, CallbackReading, Received } from '../gateway.ts'
import { hasTimedSignature } from '../timed-signature.ts'
import { answerOf } from './read-answer.ts'
import { readSession } from './wire.ts'

const unread: Answer = { is: 'unknown', because: 'unreadable' }

export type CallbackContext = Readonly<{
  /** The current one, and the former until it is retired. */
  webhook_secrets: readonly string[]
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
  const isOurs = context.webhook_secrets.some((secret) => secret !== '' && isSame(token, secret))
  return isOurs ? 'BEARER' : 'UNSIGNED'
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()
const isSame = (a: string, b: string): boolean => timingSafeEqual(digestOf(a), digestOf(b))

/** `t=…,v1=…[,v1=…]`: each an HMAC over the time and the body, with nothing between them. */
const isSigned = ({ webhook_secrets }: CallbackContext, received: Received): boolean =>
  hasTimedSignature(received, {
    ...{ header: 'wave-signature', scheme: 'v1', secrets: webhook_secrets, joint: '' },
  })
