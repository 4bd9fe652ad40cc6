// One question to one gateway, with its own frozen snapshot of what was requested (money 1). The
// gateway's answers are compared with these figures, never with the transaction's.

import type { Gateway } from '../gateways/gateway.ts'
import { uuidOfReference } from '../gateways/reference-codec.ts'
import type { SkippedRoute, WhyLater } from '../gateways/routing.ts'
import type { RowOf } from '../platform/columns.ts'
import type { attemptRow, snapshotRow } from './columns.ts'
import type { AttemptStatus } from './states.ts'

export type { NextAction } from './columns.ts'

/** What is frozen when a route is chosen; amounts in hundredths. */
export type Snapshot = RowOf<typeof snapshotRow>

/** A route that may be tried, ready to be written as an attempt. */
export type AttemptPlan = Snapshot &
  Readonly<{
    id: string
    our_key: string
    flow: 'push' | 'redirect'
    breaker: boolean
    skipped_routes: readonly SkippedRoute[]
    /** Why this route is not taken now; a payout waits for it where no other is. */
    held_back?: WhyLater | undefined
    /** When a route that is closed opens, where it is known. Unix milliseconds. */
    opens_ms?: number | null | undefined
    /** Hundredths of XOF that may be with its account at once; absent or null: no limit. */
    exposure_limit?: bigint | null
  }>

export type Attempt = RowOf<typeof attemptRow> &
  Readonly<{
    /** Judged by the database's clock. */
    may_send_again: boolean
    /** Since it was made: no key of it has left before. Seconds. */
    age_s: number
    grace_age_s: number
    /** For how long the operator has not known it, in seconds; null while it does. */
    not_found_age_s: number | null
    asking_is_over: boolean
    leased: boolean
    /** People asked for it back from its operator's queue, not longer ago than a request counts. */
    is_wanted_back: boolean
  }>

export type AttemptKeyOf = Readonly<{ merchant_id: string; id: string }>

/**
 * What crosses the wire: a payin collects the debited amount, a payout pays the net
 * (contract 2.3).
 */
export function wireAmount(
  snapshot: Pick<Snapshot, 'direction' | 'debited_amount' | 'net_amount'>,
) {
  return snapshot.direction === 'COLLECT' ? snapshot.debited_amount : snapshot.net_amount
}

/**
 * Which of its gateway's accounts the money is in: an operator that gives a payment back takes it
 * from what it has collected.
 */
export const floatOf = ({ direction, refund_of }: Pick<Attempt, 'direction' | 'refund_of'>) =>
  refund_of === null ? direction : 'COLLECT'

/**
 * Of what was asked before: whoever has refused it comes after those who have not, the last one
 * last. An operator that says only later that its float is empty would else be the only one ever
 * asked. `tried`: gateways, oldest first.
 */
export const inTurns = (plans: readonly AttemptPlan[], tried: readonly string[]): AttemptPlan[] =>
  plans.toSorted((a, b) => tried.lastIndexOf(a.gateway_id) - tried.lastIndexOf(b.gateway_id))

/**
 * Any sign that the operator has it: an answer, a callback, or a reference that it gave (contract
 * 8.13).
 */
export const wasTaken = (
  attempt: Pick<Attempt, 'accepted_at' | 'acknowledged_at' | 'external_reference'>,
): boolean =>
  attempt.accepted_at !== null ||
  attempt.acknowledged_at !== null ||
  attempt.external_reference !== ''

type Referred = Pick<Attempt, 'our_key' | 'external_reference' | 'operator_reference'> &
  Readonly<{ status: AttemptStatus }>

/**
 * What whoever paid or was paid finds it by at the operator; empty until it is paid, and where the
 * operator has given no reference of its own: ours, in either form, says nothing to anybody there.
 */
export function operatorReferenceOf(attempt: Referred): string {
  const { status, our_key, external_reference, operator_reference } = attempt
  if (status !== 'SUCCESS') return ''
  if (operator_reference !== null) return operator_reference
  const isOurs =
    external_reference === our_key || uuidOfReference(external_reference) === our_key.toLowerCase()
  return isOurs ? '' : external_reference
}

/** Another page was made for the same key, because no search had found the first. */
export const hasTwoPages = (
  { direction, sends }: Pick<Attempt, 'direction' | 'sends'>,
  { ask_by }: Pick<Gateway['facts'], 'ask_by'>,
): boolean => direction === 'COLLECT' && ask_by === 'SEARCH' && sends > 1

export const isOpen = (status: AttemptStatus): boolean =>
  status === 'PENDING' || status === 'UNKNOWN'

/**
 * It was counted as unknown when it was sent, and nothing has been known of it since. How a route
 * fares is counted by payments and payouts alone; what we closed ourselves was known.
 */
export const countsAsUnknown = (
  attempt: Pick<Attempt, 'status' | 'accepted_at' | 'refund_of'>,
): boolean =>
  attempt.status === 'UNKNOWN' && attempt.accepted_at === null && attempt.refund_of === null

/** For how long a payin is queried at short intervals (money 1); after that, daily. Seconds. */
export const queryTimeS = { COLLECT: 24 * 3600, DISBURSE: 72 * 3600 } as const
export const dailyQueryTimeS = 30 * 24 * 3600
/** An attempt may be sent (again) for this long after it was written. Seconds. */
export const sendTimeS = 120
/** What an operator has taken is released only by two "not found" answers. Seconds between them. */
export const notFoundAgainAfterS = 3600
/** A gateway that refused and then confirmed is queried once more to learn which holds. Seconds. */
export const queryAfterRefusalS = 60
/** For how long a request to have a payout back is sent to its operator. Seconds. */
export const askedBackTimeS = 24 * 3600
/** How many pages are made for one attempt, however many answers are lost. */
export const mostPages = 2
/** How long a lease lasts beyond the gateway's call time-out. Seconds. */
export const leaseMarginS = 10

/**
 * Seconds until the next query: short intervals at first, then every five minutes. Whoever was
 * first asked later is not asked at the shortest ones.
 */
export function queryAgainAfterS(asks: number, first_s: number): number {
  const early = first_s < 15 ? [first_s, first_s * 2, 15] : [first_s]
  const steps = [...early, 30, 60, 120, 300]
  return steps[Math.min(asks, steps.length - 1)] ?? 300
}
