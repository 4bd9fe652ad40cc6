// Money that is promised to something under way (money 3): meanwhile the sum is in `pending`
// instead of `available`. A hold is never changed; it ends at most once, released or spent.

import { brokenConstraint } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import type { Place } from '../account.ts'
import type { Line } from '../postings.ts'
import type { CauseKind } from '../statements.ts'

export type Hold = Place &
  Readonly<{
    id: string
    /** Hundredths, more than zero: all of it is taken, and all of it is released or spent. */
    amount: bigint
  }>

/** `cause_kind` and `cause_id`: what the money is promised to. One cause has one hold. */
export type NewHold = Hold &
  Readonly<{ cause_kind: 'PAYOUT' | 'SETTLEMENT' | 'TRANSFER' | 'REFUND'; cause_id: string }>

/** What a hold is spent on: the postings of `payoutSuccess` and its like, under their own cause. */
export type Spending = Readonly<{
  cause_kind: Extract<CauseKind, 'TRANSACTION' | 'SETTLEMENT' | 'TRANSFER' | 'REFUND'>
  cause_id: string
  attempt_id: string | null
  lines: readonly Line[]
}>

/**
 * How a hold ends, at most once. Who may end one, on what ground (law *ends of holds*):
 *
 * - The operator has answered our own question (attempts/decide.ts), or two people have proved what
 *   became of it: transactions/payout-hold.ts, settlements/settlement-purpose.ts,
 *   refunds/refund-purpose.ts.
 * - Nothing was ever sent, because it was refused, cancelled or its time is over:
 *   transactions/fail-unsent.ts, refunds/decide-refund.ts.
 * - People decide it without an operator, as the bank's payment of a settlement or a transfer:
 *   settlements/decide-settlement.ts, wallets/complete-transfer.ts, wallets/decide-transfer.ts.
 */
export type HoldEnd = Readonly<{ how: 'RELEASE' } | { how: 'SPEND'; on: Spending }>

/**
 * Whether a statement failed because `available` would have fallen below zero. It then wrote
 * nothing.
 */
export const isBalanceTooLow = (error: unknown): boolean =>
  brokenConstraint(error) === 'balances_available_check'

/** Spending a hold takes from `pending` exactly what it holds, to the franc. */
export function assertSpent({ amount }: Hold, { lines }: Spending): void {
  const taken = lines
    .filter(({ debit }) => debit.kind === 'pending')
    .reduce((sum, line) => sum + line.amount, 0n)
  assert(taken === amount, `a hold of ${amount} is spent as ${taken}`)
}
