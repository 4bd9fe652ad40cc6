// T1 of a payout: its key, customer, transaction, hold, attempt and event together, or none of
// them. The statement that takes from the balance locks it, so no two payouts spend the same franc,
// and a freeze that came first is seen.

import { insertAttempts, type NewAttempt } from '../attempts/statements.ts'
import { type CustomerFacts, upsertCustomers } from '../customers/statements.ts'
import type { FeedKey, NewEvent } from '../events/event.ts'
import { recordEvents } from '../events/statements.ts'
import { countOutflow, type DayLimit, isDayFull } from '../ledger/day-limit-statements.ts'
import { isBalanceTooLow, type NewHold } from '../ledger/holds/hold.ts'
import { insertHold } from '../ledger/holds/statements.ts'
import { lockUnfrozen } from '../ledger/statements.ts'
import { inTurn } from '../platform/batch-calls.ts'
import type { Db } from '../platform/db.ts'
import { type Claiming, claimKeys } from '../platform/idempotency/statements.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, selectReached } from '../platform/sql.ts'
import { insertTransactions, type NewTransaction } from '../transactions/statements.ts'
import { insertWait } from '../transactions/wait-statements.ts'
import {
  insertApproval,
  isApprovalNeeded,
  limitUnapproved,
  type NewApproval,
  type Unapproved,
} from './approval-statements.ts'

/** Everything but the key is gated by the transaction's id. */
export type NewPayout = Readonly<{
  claiming: Claiming
  customer: CustomerFacts
  transaction: NewTransaction
  hold: NewHold
  /** The day limits of the merchant and of the calling key. */
  day_limits: readonly DayLimit[]
  /** Null: it waits for a second person or an operator, and no operator receives it before. */
  attempt: NewAttempt | null
  approval: NewApproval | null
  /** Null: nothing else is counted together with it. */
  unapproved: Unapproved | null
  wait: Parameters<typeof insertWait>[1] | null
  event: NewEvent & FeedKey
}>

/** `balance_not_open`: it is frozen, or there is none. Then only the key was written. */
export type PayoutResult =
  | 'made'
  | 'key_taken'
  | 'balance_not_open'
  | 'limit_exceeded'
  | 'insufficient_balance'
  /**
   * Together with what went to the same phone before, a second person must agree. Nothing was
   * written.
   */
  | 'approval_needed'

export async function makePayout(db: Db, payout: NewPayout): Promise<PayoutResult> {
  const { claiming, customer, transaction, hold, day_limits, event } = payout
  const { attempt, approval, wait, unapproved } = payout
  const { amount } = hold
  const counted = { limits: day_limits, amount, cause_id: transaction.id }
  const claimed = claimKeys(db, [claiming])
  const unfrozen = lockUnfrozen(db, hold, { when: claimed })
  const apart = unapproved && limitUnapproved(db, unapproved, { when: unfrozen })
  const when = apart ?? unfrozen
  const known = upsertCustomers(db, [customer], { when })
  const made = insertTransactions(db, [transaction], { when, customer: known })
  const gate = { when: made }
  const parts = [
    claimed,
    unfrozen,
    ...(apart === null ? [] : [apart]),
    ...(day_limits.length === 0 ? [] : [countOutflow(db, counted, { when })]),
    known,
    made,
    insertHold(db, hold, gate),
    ...(attempt === null ? [] : [insertAttempts(db, [attempt], gate)]),
    ...(approval === null ? [] : [insertApproval(db, approval, gate)]),
    ...(wait === null ? [] : [insertWait(db, wait, gate)]),
    recordEvents(db, [event], gate),
  ]
  try {
    const [row] = await inTurn(db, hold, () =>
      composed(homeOf(db, hold.merchant_id), parts, selectReached(db, claimed, made)),
    )
    if (row === undefined) return 'key_taken'
    return row['reached'] === true ? 'made' : 'balance_not_open'
  } catch (error) {
    if (isDayFull(error)) return 'limit_exceeded'
    if (isApprovalNeeded(error)) return 'approval_needed'
    if (isBalanceTooLow(error)) return 'insufficient_balance'
    throw error
  }
}
