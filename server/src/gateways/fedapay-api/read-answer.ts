// What this operator's answers mean. Pure. Law (money 1): "refused" is read only where nothing was
// asked for, or where its own status says so; a payout that is still `pending` may have started.

import { readFields, sentenceIn } from '../../platform/json-fields.ts'
import type { SendResult } from '../../platform/outbound/outbound.ts'
import type { Answer, AttemptKey, Prepared } from '../gateway.ts'
import { shortReference } from '../reference-codec.ts'
import { causeOf, cellOf, reasonIn } from './statuses.ts'
import { amountOffWire, detailOf, readOne, referenceOf, type Shown } from './wire.ts'

export type Answered = Extract<SendResult, { is: 'answered' }>
export type Note = (what: string) => void

type Refused = Extract<Answer, { is: 'refused' }>
type Unknown = Extract<Answer, { is: 'unknown' }>

const unknown = (because: string): Unknown => ({ is: 'unknown', because })

const refusedHere = (detail: string, alarm: 'CREDENTIAL' | 'CONFIGURATION'): Refused => ({
  is: 'refused',
  by: 'gateway',
  failure_code: 'GATEWAY_REFUSED',
  detail,
  external_reference: '',
  alarm,
})

/** What any call may be answered with instead of what it asked for. */
export function readRefusal(
  { status, body }: Answered,
  what: string,
  note: Note,
): Refused | Unknown {
  const fields = readFields(body)
  if (fields !== undefined && (status === 401 || status === 403)) {
    return refusedHere(detailOf(status, fields), 'CREDENTIAL')
  }
  if (fields !== undefined && (status === 400 || status === 422)) {
    return refusedHere(detailOf(status, fields), 'CONFIGURATION')
  }
  note(`${what} ${status} ${fields === undefined ? 'no json' : 'json'}`)
  return unknown(`status ${status}`)
}

/** A question that was answered with nothing of what it was about, which it made itself. */
export function readUnshown({ status, body }: Answered): Unknown {
  const shown = unknown(`status ${status}`)
  const fields = readFields(body)
  if (fields === undefined) return shown
  if (status === 401 || status === 403) return { ...shown, alarm: 'CREDENTIAL' }
  // Its own "not found" has a message; a page of whatever stands between need not.
  const isDenied = status === 404 && sentenceIn(fields, 'message') !== ''
  return isDenied ? { ...shown, alarm: 'CONTRADICTION' } : shown
}

const isMade = ({ status }: Answered): boolean => status === 200 || status === 201

/** The answer to the call that takes no money. */
export function readPrepared(attempt: AttemptKey, result: Answered, note: Note): Prepared {
  const { direction, amount } = attempt
  const shown = isMade(result) ? readOne(direction, readFields(result.body)) : undefined
  if (shown === undefined) return readRefusal(result, 'prepare', note)
  if (shown.status !== 'pending' || amountOffWire(shown.amount) !== amount) {
    note(`prepared ${shown.status}`)
    return unknown('prepared as something else')
  }
  return { is: 'prepared', external_reference: referenceOf(direction, shown.id) }
}

/** `currency`: of the operator's own word; empty where it has not said it. */
export function answerOf(
  attempt: Pick<AttemptKey, 'direction'> & Partial<Pick<AttemptKey, 'our_key' | 'currency'>>,
  shown: Shown,
  currency: string,
  note: Note,
): Answer {
  const { direction, our_key } = attempt
  const { merchant_reference, error_code, status } = shown
  const external_reference = referenceOf(direction, shown.id)
  if (our_key !== undefined && merchant_reference !== '') {
    if (merchant_reference !== shortReference(our_key)) {
      note('another order')
      return unknown('another order')
    }
  }
  const cell = cellOf(direction, status)
  switch (cell) {
    case 'waiting':
      return { is: 'waiting', external_reference, next: 'payer' }
    case 'queued':
      return { is: 'waiting', external_reference, next: 'payer', queued: true }
    case 'undecided':
      return unknown('made, and perhaps started')
    case 'confirmed':
    case 'partly_refunded':
    case 'refunded': {
      const amount = amountOffWire(shown.amount)
      if (amount === undefined || currency === '') {
        note('unreadable amount')
        return unknown('unreadable amount')
      }
      const named = { operator_reference: shown.reference }
      const paid: Answer = { is: 'confirmed', external_reference, amount, currency, ...named }
      if (cell === 'confirmed') return paid
      if (cell === 'partly_refunded') return { ...paid, alarm: 'GIVEN_BACK' }
      if (attempt.currency !== undefined && currency !== attempt.currency) {
        note('given back in another currency')
        return unknown('given back in another currency')
      }
      return { is: 'reversed', external_reference, amount, detail: 'EXTERNAL_REFUND' }
    }
    case 'cancelled':
    case 'refused': {
      const reason = reasonIn(direction, shown.error_message)
      const why = { error_code, reason }
      // The status says that it ended, and alone no more than that the payer left it.
      const known = causeOf(direction, why) ?? (cell === 'cancelled' ? 'NOT_APPROVED' : undefined)
      if (known === undefined) note(`error ${error_code || 'none'}`)
      const detail = [status, error_code, reason].filter(Boolean).join(' ')
      const failure_code = known ?? 'UNKNOWN'
      return { is: 'refused', by: 'payer', failure_code, detail, external_reference }
    }
    case 'unknown':
      note(`status ${status}`)
      return unknown(`status ${status}`)
  }
}
