// Money of a payment on its way back to its payer (contract 8.22). Its figures are frozen when it
// is made; what it takes from the balance has a hold under its own id until it ends.

import { type Attempt, floatOf } from '../attempts/attempt.ts'
import type { Place } from '../ledger/account.ts'
import type { Hold, NewHold } from '../ledger/holds/hold.ts'
import type { RefundFigures } from '../ledger/refund-postings.ts'
import {
  bigint,
  boolean,
  int,
  orNull,
  type RowOf,
  text,
  timestamptz,
  uuid,
} from '../platform/columns.ts'
import { assert } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import type { RefundChange } from '../transactions/refund-statements.ts'
import { type RefundStatus, refundStates } from './states.ts'

export type RefundKey = Readonly<{ merchant_id: string; id: string }>

/** `OPERATOR`: the operator gives its own payment back; `PAYOUT`: the payer is paid. */
export const refundMethods = ['OPERATOR', 'PAYOUT'] as const
export type RefundMethod = (typeof refundMethods)[number]

/** Whose decision it waits for, before any operator is asked. */
export const decidingWaits = ['SECOND_MEMBER', 'STAFF'] as const
/**
 * Or that a route may be taken again, as a payout does: its account has a float (all are marked as
 * empty, or its operator has taken nothing for want of ours), is open, or works.
 */
export const sendingWaits = ['GATEWAY_FLOAT', 'GATEWAY_CLOSED', 'NO_ROUTE'] as const
export type SendingWait = (typeof sendingWaits)[number]
export const refundWaits = [...decidingWaits, ...sendingWaits] as const
export type RefundWait = (typeof refundWaits)[number]

/** It waits for no person: it is sent by itself as soon as it can be. */
export const waitsToBeSent = (wait: RefundWait | null): wait is SendingWait =>
  sendingWaits.some((one) => one === wait)

/** The columns of `refunds`, said once; amounts in hundredths. */
export const refundRow = {
  merchant_id: uuid(),
  id: uuid(),
  environment: text<Environment>(),
  payment_id: uuid(),
  status: text<RefundStatus>(),
  /** 1 at first, one more with each change that an event reports. */
  version: int(),
  country_code: text(),
  /** What the payer gets. */
  amount: bigint(),
  currency: text(),
  /** What the refund itself costs the merchant. */
  fee: bigint(),
  gateway_fee: bigint(),
  platform_fee: bigint(),
  /** What the merchant gets back of the payment's own fee. */
  returned_gateway_fee: bigint(),
  returned_platform_fee: bigint(),
  is_returned_by_operator: boolean(),
  /** What leaves the balance. */
  held_amount: bigint(),
  method: text<RefundMethod>(),
  /** The attempt that collected the money. */
  refund_of: uuid(),
  network_code: text(),
  /** Who gets it, for a payout: E.164. */
  operation_msisdn: text(),
  /** The merchant named that number: a second person confirms it. */
  is_named: boolean(),
  waiting_for: orNull(text<RefundWait>()),
  /** When it ends by itself, unless somebody has decided. */
  lapses_at: orNull(timestamptz()),
  /**
   * A second person is asked because the outcome of this payout, or of a refund of this payment,
   * was not known: the same number, the same sum.
   */
  after_unknown: orNull(uuid()),
  decided_by: orNull(uuid()),
  reason: text(),
  reference: text(),
  failure_code: text(),
  external_reference: text(),
  /** What its payer finds it by in the operator's message; empty where there is none. */
  operator_reference: text(),
  settled_attempt: orNull(uuid()),
  /** Its money came back after it had succeeded; the status stays. */
  returned_at: orNull(timestamptz()),
  ip_address: text(),
  request_id: text(),
  api_key_id: orNull(uuid()),
  member_id: orNull(uuid()),
  created_at: timestamptz(),
  updated_at: timestamptz(),
  ended_at: orNull(timestamptz()),
}

export type Refund = RowOf<typeof refundRow>

export const placeOf = (refund: Refund): Place => ({
  merchant_id: refund.merchant_id,
  environment: refund.environment,
  country: refund.country_code,
  currency: refund.currency,
})

/** Everything that it costs the merchant, under its own id. */
export const holdOf = (refund: Refund): Hold => ({
  ...placeOf(refund),
  id: refund.id,
  amount: refund.held_amount,
})

export const newHoldOf = (refund: Refund): NewHold => ({
  ...holdOf(refund),
  cause_kind: 'REFUND',
  cause_id: refund.id,
})

/** What it books; the gateway's part of its fee is known with the attempt that paid it. */
export const figuresOf = (refund: Refund, attempt: Attempt): RefundFigures => ({
  ...refund,
  gateway_fee: attempt.gateway_fee,
  platform_fee: attempt.platform_fee,
  gateway_cost_excess: attempt.gateway_cost_excess,
  by: floatOf(attempt),
})

export type Changes = Partial<
  Pick<
    Refund,
    | 'failure_code'
    | 'external_reference'
    | 'operator_reference'
    | 'settled_attempt'
    | 'gateway_fee'
    | 'platform_fee'
    | 'decided_by'
  >
>

/** Its state after this move; it waits for nobody any more. */
export function moved(before: Refund, to: RefundStatus, now: Date, changes: Changes): Refund {
  const { id, status, version } = before
  assert(refundStates.allows(status, to), `refund ${id} from ${status} to ${to}`)
  return {
    ...before,
    ...changes,
    status: to,
    version: version + 1,
    waiting_for: null,
    updated_at: now,
    ended_at: now,
  }
}

/** Of its payment, as it is locked: what is set aside or given back, in hundredths. */
export type Counted = Readonly<{
  debited_amount: bigint
  refund_reserved: bigint
  refunded_amount: bigint
}>

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/**
 * What ended without being paid may be given back again, but for what people have booked as paid by
 * one of its attempts, or of another's. Hundredths.
 */
export function givenUp({ amount }: Refund, booked: bigint, payment: Counted): RefundChange {
  const { refund_reserved, refunded_amount } = payment
  const left = refund_reserved - amount + smaller(booked, amount)
  return { reserved: larger(left, refunded_amount) - refund_reserved, refunded: 0n }
}

/**
 * What was on its way has arrived, beside what people have booked as paid by another of its
 * attempts: both are given back, and never more than was paid. Hundredths.
 */
export function arrived({ amount }: Refund, booked: bigint, payment: Counted): RefundChange {
  const { debited_amount, refund_reserved, refunded_amount } = payment
  const refunded = smaller(refunded_amount + amount, debited_amount)
  const aside = smaller(refund_reserved + smaller(booked, amount), debited_amount)
  return {
    reserved: larger(aside, refunded) - refund_reserved,
    refunded: refunded - refunded_amount,
  }
}

/** Only the last two digits are shown; empty where no number is known to us. */
export const maskedNumber = (msisdn: string): string =>
  msisdn === '' ? '' : `${'*'.repeat(Math.max(0, msisdn.length - 2))}${msisdn.slice(-2)}`
