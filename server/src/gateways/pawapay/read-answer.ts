// What this operator's answers and callbacks mean. Pure. Law (money 1): "refused" and "not found"
// are read only where its documents give them, by their code; a 5xx and any other body leave the
// outcome unknown. An answer of 200 carries refusals, repetitions and "not found" alike.

import { verifyRequest } from '../../platform/crypto/http-signature.ts'
import { type Fields, isFields, readFields, wordIn } from '../../platform/json-fields.ts'
import type { SendResult } from '../../platform/outbound/outbound.ts'
import type { KeyStore } from '../adapter.ts'
import type { Answer, AttemptKey, CallbackReading, Received } from '../gateway.ts'
import { cellOf, type Meaning, meaningIn, rejections, technical, unnamed } from './reasons.ts'
import { max_skew_s, signedHeaders } from './settings.ts'
import {
  amountOnWire,
  detailOf,
  idNames,
  type Operation,
  readReason,
  readShown,
  type Shown,
} from './wire.ts'

export type Answered = Extract<SendResult, { is: 'answered' }>

/** `taken`: this key was taken before, and what it is must be asked. */
export type Read = Answer | { is: 'taken' }

/** Counts what is not listed. */
export type Note = (what: string) => void

type About = Readonly<{ operation: Operation; attempt: Pick<AttemptKey, 'our_key'> }>

const unknown = (because: string) => ({ is: 'unknown', because }) satisfies Answer

const refusedAs = (meaning: Meaning, detail: string, external_reference = ''): Answer => ({
  ...{ is: 'refused', ...meaning, detail, external_reference },
})

const technicalOf = (code: string): Meaning | undefined =>
  Object.hasOwn(technical, code) ? technical[code] : undefined

/** The answer to a create call. */
export function readCreated(about: About, result: Answered, note: Note): Read {
  const { status } = result
  const fields = readFields(result.body)
  if (fields === undefined) {
    note(`create ${status} no json`)
    return unknown(`status ${status}`)
  }
  if (status === 200) return readInitiated(about, fields, note)
  const code = readReason(fields)
  const isBefore = status === 400 || status === 401 || status === 403
  const meaning = isBefore ? technicalOf(code) : undefined
  if (meaning !== undefined) return refusedAs(meaning, `status ${status} ${detailOf(fields)}`)
  note(`create ${status} ${code}`)
  return unknown(`status ${status} ${code}`.trim())
}

function readInitiated({ operation, attempt }: About, fields: Fields, note: Note): Read {
  const named = wordIn(fields, idNames[operation]).toLowerCase()
  // One of its guides shows a refund's answer under another name; another payment's id is none.
  if (named !== '' && named !== attempt.our_key) return unknownAs(note, 'another payment')
  const status = wordIn(fields, 'status')
  const code = readReason(fields)
  if (status === 'DUPLICATE_IGNORED') return { is: 'taken' }
  if (status === 'REJECTED') {
    // Only the code shows which layer refuses.
    const meaning = meaningIn(rejections, operation, code) ?? technicalOf(code)
    if (meaning === undefined) note(`rejected ${code || 'without a reason'}`)
    return refusedAs(meaning ?? unnamed, detailOf(fields) || 'REJECTED')
  }
  if (status !== 'ACCEPTED') return unknownAs(note, `create ${status || 'without a status'}`)
  const { status: _, depositId: _d, payoutId: _p, refundId: _r, ...rest } = fields
  const shown = readShown({ ...rest, status, [idNames[operation]]: attempt.our_key })
  return shown === undefined ? unknownAs(note, 'unreadable') : readPayment(shown, note)
}

function unknownAs(note: Note, what: string) {
  note(what)
  return unknown(what)
}

/** The answer to a question. That we were not let in says nothing of what was asked about. */
export function readStatus(about: About, result: Answered, note: Note): Answer {
  const fields = result.status === 200 ? readFields(result.body) : undefined
  const status = fields === undefined ? '' : wordIn(fields, 'status')
  if (status === 'NOT_FOUND') return { is: 'not_found' }
  const data = status === 'FOUND' && isFields(fields?.['data']) ? fields['data'] : undefined
  if (data === undefined) {
    const shown = unknownAs(note, `status ${result.status} ${status}`.trim())
    // Only the code shows which layer refuses, whatever the status is.
    const alarm = technicalOf(readReason(readFields(result.body) ?? {}))?.alarm
    return alarm === undefined ? shown : { ...shown, alarm }
  }
  const shown = readShown(data)
  if (shown === undefined) return unknownAs(note, 'unreadable')
  const isOurs = shown.operation === about.operation && shown.our_key === about.attempt.our_key
  return isOurs ? readPayment(shown, note) : unknownAs(note, 'another payment')
}

function readPayment(shown: Shown, note: Note): Answer {
  const { operation, status, reason, next_step } = shown
  const cell = cellOf(operation, shown)
  const external_reference = shown.network_id || shown.our_key
  switch (cell.is) {
    case 'confirmed':
      return readConfirmed(shown, external_reference, note)
    case 'waiting': {
      const external_reference = shown.our_key
      if (cell.queued) return { is: 'waiting', external_reference, next: 'payer', queued: true }
      if (cell.next !== 'page') return { is: 'waiting', external_reference, next: cell.next }
      if (shown.page === '') return unknownAs(note, 'no address of the page')
      return { is: 'waiting', external_reference, next: { redirect_to: shown.page } }
    }
    case 'failed':
      if (!cell.listed) note(`reason ${reason || 'none'}`)
      return refusedAs(cell.meaning, reason || 'FAILED', external_reference)
    case 'unknown':
      return unknownAs(note, ['state', status, reason, next_step].filter(Boolean).join(' '))
  }
}

function readConfirmed(shown: Shown, external_reference: string, note: Note): Answer {
  const { currency } = shown
  const amount = amountOnWire(shown.amount, currency)
  if (amount === undefined) return unknownAs(note, 'unreadable amount')
  return { is: 'confirmed', external_reference, amount, currency }
}

/** The answer to taking back what is enqueued: accepted is not yet taken back. */
export function readCancelled(result: Answered, note: Note): 'asked' | 'refused' | 'unknown' {
  const fields = result.status === 200 ? readFields(result.body) : undefined
  const status = fields === undefined ? '' : wordIn(fields, 'status')
  if (status === 'ACCEPTED') return 'asked'
  if (status === 'REJECTED') return 'refused'
  note(`cancel ${result.status} ${status}`.trim())
  return 'unknown'
}

const required = [
  ...['@method', '@authority', '@path'],
  ...['signature-date', 'content-digest', 'content-type'],
]

export type CallbackContext = Readonly<{ keys: KeyStore | undefined }>

/**
 * One that is signed is evidence. A signature that is theirs but not of now wakes, and no more: the
 * operator may send again what it signed long ago, and so may whoever has seen it.
 */
export function readCallback(received: Received, { keys }: CallbackContext): CallbackReading {
  const shown = readShown(readFields(received.body.toString()))
  if (shown === undefined) return { proof: 'UNSIGNED', key: '', answer: unknown('unreadable') }
  // What a callback says and its table does not list is counted when it is asked about.
  const read = { key: shown.our_key, answer: readPayment(shown, () => undefined) }
  const verdict = verifyRequest(received, {
    label: 'sig-pp',
    required,
    headers: signedHeaders,
    public_key: (id) => keys?.get(id),
    now_ms: received.at_ms,
    skew_s: max_skew_s,
  })
  switch (verdict.is) {
    case 'valid':
      return { ...read, proof: 'SIGNED' }
    case 'out_of_time':
      return { ...read, proof: 'BEARER' }
    case 'unknown_key':
      return { ...read, proof: 'UNSIGNED', unknown_key: verdict.key_id }
    case 'invalid':
      return { ...read, proof: 'UNSIGNED' }
  }
}
