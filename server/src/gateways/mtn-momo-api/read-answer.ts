// What this operator's answers mean. Pure. Law (money 1): "refused" and "not found" are read only
// where its documents give them; a page of a firewall, a 5xx and any other body leave the outcome
// unknown, because nothing says that they come before the money is taken.

import { readFields } from '../../platform/json-fields.ts'
import type { SendResult } from '../../platform/outbound/outbound.ts'
import type { Answer, AttemptKey, CallbackReading } from '../gateway.ts'
import type { CallResult } from './client.ts'
import { cellOf, type Meaning, missingReasons } from './reasons.ts'
import {
  amountOnWire,
  codeOf,
  currencyOffWire,
  detailOf,
  readShown,
  type Shown,
  type WireCurrency,
} from './wire.ts'

export type Answered = Extract<SendResult, { is: 'answered' }>
type Unanswered = Exclude<CallResult, { is: 'answered' }>

export type Read =
  | Answer
  /** Named by the operator only together with what our own balance is. */
  | { is: 'ask_balance'; meaning: Meaning; reason: string; external_reference: string }
  /** This key is taken: what it is must be asked. */
  | { is: 'taken' }
  /** The token was not taken, and nothing was done. */
  | { is: 'denied'; detail: string }

export type ReadContext = WireCurrency &
  Readonly<{
    /** Counts what is not listed. */
    note: (what: string) => void
  }>

const unknown = (because: string) => ({ is: 'unknown', because }) satisfies Answer

const isJson = ({ body }: Answered): boolean => readFields(body) !== undefined

/** The answer to a create call. */
export function readCreated(attempt: AttemptKey, result: Answered, context: ReadContext): Read {
  const { status, body } = result
  const fields = readFields(body)
  const accepted = status === 202 && (body.trim() === '' || fields !== undefined)
  if (accepted) {
    return { is: 'waiting', external_reference: attempt.our_key, next: 'payer' }
  }
  if (status === 401) return { is: 'denied', detail: detailOf(status, fields) }
  if (status === 409 && codeOf(fields) === 'RESOURCE_ALREADY_EXIST') return { is: 'taken' }
  if ((status === 400 || status === 403) && isOurRefusal(result)) {
    return refusedHere(detailOf(status, fields), 'CONFIGURATION')
  }
  context.note(`create ${status} ${codeOf(fields) || formOf(result)}`)
  return unknown(`status ${status} ${codeOf(fields)}`.trim())
}

/**
 * 400 and 403 come from the layer before the wallets, as JSON or without a body; the firewall's
 * page does not.
 */
const isOurRefusal = (result: Answered): boolean => result.body.trim() === '' || isJson(result)

const formOf = (result: Answered): string => {
  if (result.body.trim() === '') return 'empty'
  return isJson(result) ? 'json' : 'no json'
}

/** A create that was not answered: where nobody gives us a token for who we are, it is refused. */
export const readUnanswered = (result: Unanswered): Answer =>
  result.is === 'never_sent' && result.denied === true
    ? refusedHere(result.because, 'CREDENTIAL')
    : { is: result.is, because: result.because }

/** The operator's own refusal before anything was taken. */
export const refusedHere = (detail: string, alarm: 'CREDENTIAL' | 'CONFIGURATION'): Answer => ({
  is: 'refused',
  by: 'gateway',
  failure_code: 'GATEWAY_REFUSED',
  detail,
  external_reference: '',
  alarm,
})

/** The answer to a question about a transaction. */
export function readStatus(attempt: AttemptKey, result: Answered, context: ReadContext): Read {
  const fields = readFields(result.body)
  // That we were not let in says nothing of what was asked about.
  if (result.status === 401) return { ...unknown(detailOf(401, fields)), alarm: 'CREDENTIAL' }
  if (result.status === 403 && isOurRefusal(result)) {
    return { ...unknown(detailOf(403, fields)), alarm: 'CONFIGURATION' }
  }
  if (result.status === 404) {
    // A wrong address answers 404 as well, in another form: only the code proves it.
    const isMissing = missingReasons.some((one) => one === codeOf(fields))
    if (isMissing) return { is: 'not_found' }
  }
  const shown = result.status === 200 ? readShown(fields) : undefined
  if (shown !== undefined) return readTransaction(attempt, shown, context)
  context.note(`status ${result.status} ${codeOf(fields) || formOf(result)}`)
  return unknown(`status ${result.status}`)
}

function readTransaction(attempt: AttemptKey, shown: Shown, context: ReadContext): Read {
  if (shown.external_id !== '' && shown.external_id !== attempt.our_key) {
    context.note('another order')
    return unknown('another order')
  }
  const { status, reason } = shown
  const external_reference = shown.financial_id || attempt.our_key
  const cell = cellOf(attempt.direction, status, reason)
  switch (cell.is) {
    case 'confirmed':
      return readConfirmed(attempt, shown, context)
    case 'waiting':
      return { is: 'waiting', external_reference: attempt.our_key, next: 'payer' }
    case 'failed': {
      if (!cell.listed) context.note(`reason ${reason || 'none'}`)
      const { ask_balance, ...meaning } = cell.meaning
      if (ask_balance) return { is: 'ask_balance', meaning, reason, external_reference }
      return { is: 'refused', ...meaning, detail: reason || 'FAILED', external_reference }
    }
    case 'unknown':
      context.note(`pair ${status} ${reason}`)
      return unknown(`status ${status} with reason ${reason || 'none'}`)
  }
}

function readConfirmed(attempt: AttemptKey, shown: Shown, context: ReadContext): Answer {
  const amount = amountOnWire(shown.amount, attempt.currency)
  if (amount === undefined || shown.currency === '') {
    context.note('unreadable amount')
    return unknown('unreadable amount')
  }
  const currency = currencyOffWire(shown.currency, attempt.currency, context)
  const external_reference = shown.financial_id || attempt.our_key
  return { is: 'confirmed', external_reference, amount, currency }
}

/**
 * A failure that the operator explains alike by the receiver's limit and by our empty float.
 * `balance` in hundredths; undefined when it could not be read.
 */
export function readWithBalance(
  attempt: AttemptKey,
  read: Extract<Read, { is: 'ask_balance' }>,
  balance: bigint | undefined,
): Answer {
  const { meaning, reason, external_reference } = read
  if (balance !== undefined && balance < attempt.amount) {
    const detail = `${reason}: the account has less than the amount`
    return {
      is: 'refused',
      by: 'float',
      failure_code: 'GATEWAY_UNAVAILABLE',
      detail,
      external_reference,
    }
  }
  const failure_code = balance === undefined ? 'UNKNOWN' : meaning.failure_code
  return { is: 'refused', by: 'payer', failure_code, detail: reason, external_reference }
}

/** Nothing proves a callback here: it says whom to ask about, and no more. */
export function readCallback(body: string): CallbackReading {
  const shown = readShown(readFields(body))
  return {
    proof: 'UNSIGNED',
    key: shown?.external_id ?? '',
    answer: unknown(shown === undefined ? 'unreadable' : 'a callback here proves nothing'),
  }
}
