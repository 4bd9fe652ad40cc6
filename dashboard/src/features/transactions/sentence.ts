// What happened to a payment or payout, what it means and what to do, in one or two sentences: they
// are read out on the telephone, so they say no more than is known.

import type { Transaction, TransactionDetail } from '../../api/types.gen.ts'
import { adviceOnUnknown, isOwn } from '../../parts/advice-on.ts'
import { isContested, isErased } from '../../ui/contested.ts'
import type { Key } from '../../words/translate.ts'

export type Sentence = Readonly<{ key: Key; advice?: Key }>

export function sentenceOf(transaction: TransactionDetail): Sentence {
  if (isContested(transaction)) return { key: 'said_incident', advice: 'said_incident_advice' }
  if (transaction.outcome_unknown)
    return { key: 'said_unknown', advice: adviceOnUnknown(transaction) }
  return transaction.flow_direction === 'INBOUND' ? ofPayment(transaction) : ofPayout(transaction)
}

/** Whose payer has a page of ours open, which shows them what to do. */
export const isPaidOnPage = ({ via }: Transaction): boolean => via === 'LINK' || via === 'CHECKOUT'

function waitingFor(payment: TransactionDetail): Sentence {
  const { next_action } = payment
  if (isOwn(payment)) {
    if (next_action === 'ENTER_OTP') return { key: 'said_own_code', advice: 'said_own_code_advice' }
    if (next_action === 'REDIRECT') return { key: 'top_up_page' }
    return { key: 'said_own_waits', advice: 'said_own_waits_advice' }
  }
  if (next_action === 'ENTER_OTP') {
    const advice = isPaidOnPage(payment) ? 'said_code_there_advice' : 'said_code_waits_advice'
    return { key: 'said_code_waits', advice }
  }
  if (next_action === 'REDIRECT') {
    return { key: 'said_page_waits', advice: 'said_page_waits_advice' }
  }
  return { key: 'said_waits', advice: 'said_waits_advice' }
}

/** A payment that was given back does not read as paid, and no more. */
function paidOf(payment: TransactionDetail): Key {
  if (payment.refund_status === 'FULL') return 'said_refunded'
  if (payment.refund_status === 'PARTIAL') return 'said_refunded_partly'
  return isOwn(payment) ? 'said_own_paid' : 'said_paid'
}

function ofPayment(payment: TransactionDetail): Sentence {
  const { status } = payment
  if (status === 'SUCCESS') return { key: paidOf(payment) }
  if (status === 'PENDING') return waitingFor(payment)
  if (status === 'CANCELLED') return { key: 'said_cancelled' }
  if (isOwn(payment)) return { key: 'said_own_failed', advice: adviceOnTopUp(payment) }
  return { key: 'said_failed', advice: adviceOnFailed(payment) }
}

/** A page that is over, or whose payer is nobody any more, is not asked again. */
function adviceOnFailed(payment: TransactionDetail): Key {
  if (payment.incident?.prevents_retry) return 'said_otherwise_advice'
  const isMaybe = mayBePaid(payment)
  if (payment.may_retry) return isMaybe ? 'said_failed_unknown_advice' : 'said_failed_advice'
  if (isMaybe) return 'said_over_unknown_advice'
  return isPaidOnPage(payment) && !isErased(payment) ? 'said_over_advice' : 'said_erased_advice'
}

/** Another one is not begun while this one may have taken the money. */
function adviceOnTopUp(top_up: TransactionDetail): Key {
  if (top_up.incident?.prevents_retry) return 'said_own_otherwise_advice'
  if (!top_up.may_retry) return 'said_own_over_advice'
  return mayBePaid(top_up) ? 'said_own_failed_unknown_advice' : 'said_own_failed_advice'
}

/** Failed for want of an answer: only its own retry asks the operator before it asks the payer. */
const mayBePaid = ({ failure_code, attempts }: TransactionDetail): boolean =>
  failure_code === 'UNKNOWN' || attempts.some(({ status }) => status === 'UNKNOWN')

function ofPayout({ status, approval, waiting_reason, returned_at }: TransactionDetail): Sentence {
  if (returned_at !== null) return { key: 'said_returned' }
  if (status === 'SUCCESS') return { key: 'said_sent' }
  if (status === 'CANCELLED') return { key: 'said_cancelled' }
  if (status === 'FAILED') return { key: 'said_not_sent', advice: 'said_not_sent_advice' }
  if (approval === 'REQUIRED') return { key: 'said_approval', advice: 'said_approval_advice' }
  if (waiting_reason === 'GATEWAY_FLOAT') return { key: 'said_float', advice: 'said_held_advice' }
  if (waiting_reason === 'GATEWAY_CLOSED') {
    return { key: 'said_gateway_closed', advice: 'said_gateway_closed_advice' }
  }
  if (waiting_reason === 'GATEWAY_QUEUED') return { key: 'said_queued', advice: 'said_held_advice' }
  if (waiting_reason !== null) return { key: 'said_no_route', advice: 'said_held_advice' }
  return { key: 'said_sending', advice: 'said_sending_advice' }
}
