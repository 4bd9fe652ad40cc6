// Limits that a merchant sets on its own payouts in one country (docs/decisions/0013): for a
// single payout, for a day (UTC), and above which a second person must approve.

import type { DayLimit } from '../../ledger/day-limit-statements.ts'
import type { Environment } from '../../platform/http/route.ts'

/** The owner of a limit that is no key's: the whole merchant. */
export const wholeMerchant = '00000000-0000-0000-0000-000000000000'

/** Hundredths of the limit's currency; null: no such limit. */
export type Figures = Readonly<{
  per_payout: bigint | null
  per_day: bigint | null
  approval_above: bigint | null
}>

/** A loosening change, requested and not in force yet. Without any figure, the limit is dropped. */
export type NextFigures = Figures &
  Readonly<{
    at: Date
    by: string | null
    /** How long the requester had to wait. Hours. */
    wait_h: number
  }>

/** The figures in force now. */
export type PayoutLimit = Figures &
  Readonly<{
    merchant_id: string
    id: string
    environment: Environment
    country: string
    api_key_id: string
    /**
     * Which key's day it counts towards: for a key that follows another, the first one's. Null: its
     * own.
     */
    counts_as: string | null
    currency: string
    next: NextFigures | null
    created_by_member: string | null
    created_at: Date
    updated_at: Date
  }>

export const figuresOf = ({ per_payout, per_day, approval_above }: Figures): Figures => ({
  per_payout,
  per_day,
  approval_above,
})

export const noFigures: Figures = { per_payout: null, per_day: null, approval_above: null }

export const isSame = (a: Figures, b: Figures): boolean =>
  a.per_payout === b.per_payout && a.per_day === b.per_day && a.approval_above === b.approval_above

export const isNothing = (figures: Figures): boolean => isSame(figures, noFigures)

/**
 * What is in force at once, and what comes after a wait: anything stricter counts at once, anything
 * looser waits. `next` null: nothing is to come.
 */
export function splitChange(
  was: Figures,
  request: Figures,
): Readonly<{ now: Figures; next: Figures | null }> {
  const now = {
    per_payout: stricter(was.per_payout, request.per_payout),
    per_day: stricter(was.per_day, request.per_day),
    approval_above: stricter(was.approval_above, request.approval_above),
  }
  return { now, next: isSame(now, request) ? null : figuresOf(request) }
}

/** For each figure the lower is the stricter, and none at all the loosest. */
function stricter(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b
  return a < b ? a : b
}

/** The limits that a payout meets: the merchant's, and the calling key's. */
export type LimitsMet = readonly Pick<
  PayoutLimit,
  'api_key_id' | 'counts_as' | 'per_payout' | 'per_day' | 'approval_above'
>[]

export const isTooLarge = (limits: LimitsMet, debited_amount: bigint): boolean =>
  limits.some(({ per_payout }) => per_payout !== null && debited_amount > per_payout)

/** The lowest of them; null where there is none. */
export const strictest = (figures: readonly (bigint | null)[]): bigint | null =>
  figures.reduce(stricter, null)

/** What leaves one balance at once, in hundredths. */
type Outflow = Omit<DayLimit, 'api_key_id' | 'cap'> & Readonly<{ amount: bigint }>

/** More than any day could hold. */
const unlimited = 9_000_000_000_000_000_000n

/**
 * The days that it counts on. Above the limit of a single one it is given a day without room: one
 * check for both.
 */
export function dayLimits(limits: LimitsMet, { amount, ...place }: Outflow): DayLimit[] {
  const tooLarge = isTooLarge(limits, amount)
  return limits.flatMap(({ api_key_id, counts_as, per_payout, per_day }) => {
    if (per_day === null && per_payout === null) return []
    const cap = tooLarge ? 0n : (per_day ?? unlimited)
    return [{ ...place, api_key_id: counts_as ?? api_key_id, cap }]
  })
}

/** Above it a second person must agree; null: never. Only the whole merchant's limit has one. */
export const approvedAbove = (limits: LimitsMet): bigint | null =>
  limits.find(({ approval_above }) => approval_above !== null)?.approval_above ?? null

export function needsApproval(limits: LimitsMet, debited_amount: bigint): boolean {
  const above = approvedAbove(limits)
  return above !== null && debited_amount > above
}
