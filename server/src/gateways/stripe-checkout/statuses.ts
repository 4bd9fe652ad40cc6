// What this operator's statuses and reasons mean, over every pair of them. Pure. Law: a pair that
// is not here is unknown, and is counted. Sources, and how sure each is: docs/operators/stripe.md.

import type { FailureCode } from '../gateway.ts'

export const sessionStatuses = ['open', 'complete', 'expired'] as const
export const paymentStatuses = ['paid', 'unpaid', 'no_payment_required'] as const

export type SessionCell = 'confirmed' | 'page' | 'under_way' | 'expired' | 'unknown'

type Pairs = Readonly<Record<string, Readonly<Record<string, SessionCell>>>>

const pairs: Pairs = {
  // A card that was declined leaves the page open: its payer may take another.
  open: { unpaid: 'page' },
  complete: { paid: 'confirmed', unpaid: 'under_way' },
  expired: { unpaid: 'expired' },
}

const at = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** The entry for one pair. */
export const sessionCell = (status: string, payment_status: string): SessionCell =>
  at(at(pairs, status) ?? {}, payment_status) ?? 'unknown'

export const refundStatuses = [
  'pending',
  'requires_action',
  'succeeded',
  'failed',
  'canceled',
] as const

export type RefundCell = 'waiting' | 'confirmed' | 'refused' | 'unknown'

const refundCells: Readonly<Record<string, RefundCell>> = {
  pending: 'waiting',
  requires_action: 'waiting',
  // Not its last word: a bank may send it back weeks later, and then it says failed.
  succeeded: 'confirmed',
  failed: 'refused',
  canceled: 'refused',
}

export const refundCell = (status: string): RefundCell => at(refundCells, status) ?? 'unknown'

export const disputeStatuses = [
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'needs_response',
  'under_review',
  'won',
  'lost',
  'prevented',
  'appeal_needs_response',
  'appeal_under_review',
] as const

export type DisputeCell = 'taken' | 'left' | 'unknown'

const disputeCells: Readonly<Record<string, DisputeCell>> = {
  // An inquiry takes nothing yet, and what was won is given back.
  warning_needs_response: 'left',
  warning_under_review: 'left',
  warning_closed: 'left',
  won: 'left',
  prevented: 'left',
  needs_response: 'taken',
  under_review: 'taken',
  lost: 'taken',
  appeal_needs_response: 'taken',
  appeal_under_review: 'taken',
}

export const disputeCell = (status: string): DisputeCell => at(disputeCells, status) ?? 'unknown'

const failures: Readonly<Record<string, FailureCode>> = {
  insufficient_funds: 'INSUFFICIENT_FUNDS',
  card_velocity_exceeded: 'LIMIT_REACHED',
  withdrawal_count_limit_exceeded: 'LIMIT_REACHED',
  expired_card: 'PAYER_NOT_FOUND',
  invalid_account: 'PAYER_NOT_FOUND',
  processing_error: 'GATEWAY_UNAVAILABLE',
  issuer_not_available: 'GATEWAY_UNAVAILABLE',
  generic_decline: 'NOT_APPROVED',
  do_not_honor: 'NOT_APPROVED',
  authentication_required: 'NOT_APPROVED',
  card_declined: 'NOT_APPROVED',
}

/** Whatever of a card is incorrect, its number, code, PIN or address: it is not the payer's. */
const causeOf = (code: string): FailureCode | undefined =>
  at(failures, code) ?? (code.startsWith('incorrect_') ? 'PAYER_NOT_FOUND' : undefined)

/** Why a page ended unpaid: its last decline, or that nobody tried. */
export const failureOf = (decline_code: string, code: string): FailureCode =>
  causeOf(decline_code) ?? causeOf(code) ?? (code === '' ? 'EXPIRED' : 'NOT_APPROVED')

const refundFailures: Readonly<Record<string, FailureCode>> = {
  lost_or_stolen_card: 'RECIPIENT_NOT_FOUND',
  expired_or_canceled_card: 'RECIPIENT_NOT_FOUND',
}

export const refundFailureOf = (reason: string): FailureCode =>
  at(refundFailures, reason) ?? 'UNKNOWN'
