// What the sandbox operator's answers mean. Pure. Law (money 1): "refused" and "not found" are read
// only where the operator documents them; anything else leaves the outcome unknown.

import { assert } from '../../platform/errors.ts'
import { type Fields, readFields, sentenceIn, wordIn } from '../../platform/json-fields.ts'
import type { SendResult } from '../../platform/outbound/outbound.ts'
import type { Answer, AttemptKey, FailureCode, GatewayOrder } from '../gateway.ts'
import { fromWireAmount, type OperatorOrder, readOrder } from './wire.ts'

type Answered = Extract<SendResult, { is: 'answered' }>

const unknown = (because: string): Answer => ({ is: 'unknown', because })

const isSuccess = ({ status }: Answered): boolean => status >= 200 && status < 300

/** An order's own state as our answer; the amount is the operator's, be it ours or not. */
export function answerOf(order: OperatorOrder): Answer {
  const external_reference = order.id
  switch (order.status) {
    case 'SUCCESSFUL': {
      const { currency } = order
      const amount = fromWireAmount(order.amount, currency)
      if (amount === undefined) return unknown('unreadable amount')
      return { is: 'confirmed', external_reference, amount, currency }
    }
    case 'FAILED': {
      const failure_code = failureFor(order.reason)
      const detail = order.reason
      return { is: 'refused', by: 'payer', failure_code, detail, external_reference }
    }
    case 'OTP_REQUIRED':
      return { is: 'waiting', external_reference, next: 'otp' }
    case 'PENDING': {
      const { checkout_url } = order
      const next = checkout_url === '' ? 'payer' : { redirect_to: checkout_url }
      return { is: 'waiting', external_reference, next }
    }
  }
}

/** Reads the order inside an answer; another payment's order proves nothing about ours. */
function readOurs({ our_key, direction }: AttemptKey, value: unknown): Answer {
  const order = readOrder(value)
  if (order === undefined) return unknown('unreadable')
  if (order.reference !== our_key) return unknown('another order')
  return direction === 'DISBURSE' ? (takenBack(order) ?? answerOf(order)) : answerOf(order)
}

/** A payout that was paid and is the caller's again. */
function takenBack({ id, status, reason, amount: text, currency }: OperatorOrder) {
  if (status !== 'FAILED' || reason !== 'REVERSED') return undefined
  const amount = fromWireAmount(text, currency)
  if (amount === undefined) return unknown('unreadable amount')
  return { is: 'reversed', external_reference: id, amount, detail: reason } as const
}

function refused(code: string, detail: string): Answer {
  return { is: 'refused', ...refusalFor(code), detail, external_reference: '' }
}

function detailOf(fields: Fields): string {
  return `${wordIn(fields, 'code')} ${sentenceIn(fields, 'message')}`.trim()
}

/** An order as far as the answer to it is read. */
type SentOrder = AttemptKey & Pick<GatewayOrder, 'flow'>

/** The answer to a create call. */
export function readCreated(order: SentOrder, result: SendResult): Answer {
  if (result.is !== 'answered') return result
  const fields = readFields(result.body)
  if (isSuccess(result)) return readAccepted(order, fields)
  // This key is taken: the first call arrived, whatever answer we received then.
  if (result.status === 409 && fields && wordIn(fields, 'code') === 'ALREADY_EXISTS') {
    return reachable(order, readOurs(order, fields['collection']))
  }
  const isRefusal = result.status >= 400 && result.status < 500
  if (!isRefusal || result.status === 408 || result.status === 409) {
    return unknown(`status ${result.status}`)
  }
  if (fields && isBadOtp(result, fields)) return refused('INVALID_OTP', detailOf(fields))
  return refused('ORDER_REFUSED', `status ${result.status} ${detailOf(fields ?? {})}`.trim())
}

/** The operator sends HTTP 2xx with a refusal too. */
function readAccepted(order: SentOrder, fields: Fields | undefined): Answer {
  if (fields?.['status'] !== 'REFUSED') return reachable(order, readOurs(order, fields))
  const code = wordIn(fields, 'code')
  return code === '' ? unknown('unreadable') : refused(code, detailOf(fields))
}

/** A payer who must decide on a page cannot, when we were not given its address. */
function reachable(order: SentOrder, answer: Answer): Answer {
  const wantsPage = order.direction === 'COLLECT' && order.flow === 'redirect'
  return wantsPage && answer.is === 'waiting' && answer.next === 'payer'
    ? unknown('no address of the page')
    : answer
}

/** The answer to a query, to a cancel and to a resolve: the order in its current state. */
export function readState(attempt: AttemptKey, result: SendResult): Answer {
  if (result.is !== 'answered') return result
  const fields = readFields(result.body)
  if (isSuccess(result)) return readOurs(attempt, fields)
  // Too late to steer: the order is shown beside the refusal.
  if (result.status === 409 && fields) return readOurs(attempt, fields['collection'])
  // A wrong address answers 404 as well: only the documented code proves that nothing was taken.
  const isNotFound = result.status === 404 && fields && wordIn(fields, 'code') === 'NOT_FOUND'
  return isNotFound ? { is: 'not_found' } : unknown(`status ${result.status}`)
}

/** The answer to a reversal: the payout as it is now, or the refusal that is documented. */
export function readReversed(payout: AttemptKey, result: SendResult): Answer {
  const fields = result.is === 'answered' ? readFields(result.body) : undefined
  if (result.is === 'answered' && result.status === 409 && fields) {
    if (wordIn(fields, 'code') === 'NOT_REVERSIBLE') {
      return refused('ORDER_REFUSED', wordIn(fields, 'code'))
    }
  }
  return readState(payout, result)
}

/** The answer to a payer's code. */
export function readConfirmed(
  attempt: AttemptKey,
  result: SendResult,
): Answer | { is: 'wrong_otp' } {
  if (result.is !== 'answered') return result
  const fields = readFields(result.body)
  const isWrong = isSuccess(result) && fields && wordIn(fields, 'code') === 'INVALID_OTP'
  if (isWrong || (fields && isBadOtp(result, fields))) return { is: 'wrong_otp' }
  return readState(attempt, result)
}

/** A code that has not even the form of one: the field is named. */
function isBadOtp({ status }: Answered, fields: Fields): boolean {
  return status === 400 && wordIn(fields, 'code') === 'INVALID_REQUEST' && fields['field'] === 'otp'
}

// The sandbox operator's codes for a failure, and what they mean in ours (contract 5.8). Law: only
// a code of this table blames the payer at once; an undocumented one is the gateway's refusal.

type Meaning = Readonly<{ code: string; by: 'payer' | 'gateway'; failure_code: FailureCode }>

const meanings: readonly Meaning[] = [
  { code: 'PAYER_NOT_FOUND', by: 'payer', failure_code: 'PAYER_NOT_FOUND' },
  { code: 'RECIPIENT_NOT_FOUND', by: 'payer', failure_code: 'RECIPIENT_NOT_FOUND' },
  { code: 'INSUFFICIENT_FUNDS', by: 'payer', failure_code: 'INSUFFICIENT_FUNDS' },
  { code: 'NOT_APPROVED', by: 'payer', failure_code: 'NOT_APPROVED' },
  { code: 'LIMIT_REACHED', by: 'payer', failure_code: 'LIMIT_REACHED' },
  { code: 'INVALID_OTP', by: 'payer', failure_code: 'INVALID_OTP' },
  { code: 'EXPIRED', by: 'payer', failure_code: 'EXPIRED' },
  { code: 'OPERATOR_UNAVAILABLE', by: 'gateway', failure_code: 'GATEWAY_UNAVAILABLE' },
  { code: 'ORDER_REFUSED', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
  { code: 'REJECTED_BY_MERCHANT', by: 'payer', failure_code: 'REJECTED_BY_MERCHANT' },
  { code: 'UNSPECIFIED', by: 'payer', failure_code: 'UNKNOWN' },
  // We cancel what its payer has not approved, before another try.
  { code: 'CANCELLED', by: 'payer', failure_code: 'NOT_APPROVED' },
  { code: 'REVERSED', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
]

const byCode: ReadonlyMap<string, Meaning> = new Map(meanings.map((one) => [one.code, one]))

/**
 * A refusal at once: whether the payer or the gateway caused it decides if another route may be
 * tried (money 1).
 */
export function refusalFor(code: string): Pick<Meaning, 'by' | 'failure_code'> {
  const { by, failure_code } = byCode.get(code) ?? {
    by: 'gateway',
    failure_code: 'GATEWAY_REFUSED',
  }
  return { by, failure_code }
}

/** Why an accepted order failed; `UNKNOWN` for an undocumented reason, or none. */
export function failureFor(code: string): FailureCode {
  return byCode.get(code)?.failure_code ?? 'UNKNOWN'
}

/**
 * The operator's code for a failure that a test requests: it reads back as the same code of ours.
 */
export function wordFor(failure_code: FailureCode): string {
  const meaning = meanings.find((one) => one.failure_code === failure_code)
  assert(meaning !== undefined, `the sandbox operator has no word for ${failure_code}`)
  return meaning.code
}
