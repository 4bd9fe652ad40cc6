// Callbacks of the sandbox operator: which order they mean, what they report, and whether the
// signature proves it. Law: reading always answers, whatever comes; only a fresh signature makes it
// evidence.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFields } from '../../platform/json-fields.ts'
import type { CallbackReading, Received } from '../gateway.ts'
import { answerOf } from './read-answer.ts'
import { readOrder } from './wire.ts'

/** A signature proves that the body was meant now: an old one may be a replay. */
const age_max_s = 300

export type CallbackSecret = Readonly<{ callback_secret: string }>

type Callback = Pick<Received, 'body' | 'headers' | 'at_ms'>

/** Reads a callback (simulator/README.md, "Callbacks"). Header names are in lower case. */
export function readSimulatorCallback(secret: CallbackSecret, received: Callback): CallbackReading {
  const order = readOrder(readFields(received.body.toString()))
  if (order === undefined) {
    return { proof: 'UNSIGNED', key: '', answer: { is: 'unknown', because: 'unreadable' } }
  }
  const proof = isSigned(secret, received) ? 'SIGNED' : 'UNSIGNED'
  return { proof, key: order.reference, answer: answerOf(order) }
}

function isSigned({ callback_secret }: CallbackSecret, { body, headers, at_ms }: Callback) {
  const timestamp = headers['x-sim-timestamp'] ?? ''
  const signature = headers['x-sim-signature'] ?? ''
  if (!/^\d{1,12}$/.test(timestamp) || !/^[0-9a-f]{64}$/.test(signature)) return false
  const age_s = Math.floor(at_ms / 1000) - Number(timestamp)
  if (Math.abs(age_s) > age_max_s) return false
  const mac = createHmac('sha256', callback_secret).update(`${timestamp}.`).update(body)
  const expected = mac.digest()
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'))
}
