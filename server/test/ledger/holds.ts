// A hold by itself, placed and ended as one statement each. In the service a hold is a part of the
// statement that makes or ends what it is for; here what the parts promise can be tried alone.

import {
  type Hold,
  type HoldEnd,
  isBalanceTooLow,
  type NewHold,
} from '../../src/ledger/holds/hold.ts'
import { insertHold, insertHoldEnd } from '../../src/ledger/holds/statements.ts'
import { type Db, retryOnDeadlock } from '../../src/platform/db.ts'
import { assert } from '../../src/platform/errors.ts'
import { homeOf } from '../../src/platform/places/places.ts'
import { composed, oneRow, selectCounts, selectIds } from '../../src/platform/sql.ts'

/**
 * `held_before`: the cause has a hold already, of whatever amount, open or ended; nothing was
 * written. `insufficient_balance`: `available` does not cover the amount; nothing was written.
 */
export type HoldOutcome = 'held' | 'held_before' | 'insufficient_balance'

export async function placeHold(db: Db, hold: NewHold): Promise<HoldOutcome> {
  const at = homeOf(db, hold.merchant_id)
  const wanted = oneRow(at, 'wanted', hold.cause_id)
  const made = insertHold(at, hold, { when: wanted })
  try {
    const rows = await retryOnDeadlock(() => composed(at, [wanted, made], selectIds(at, made)))
    return rows.length === 1 ? 'held' : 'held_before'
  } catch (error) {
    if (isBalanceTooLow(error)) return 'insufficient_balance'
    throw error
  }
}

/** `ended_before`: it was ended already, in one way or the other; nothing was written. */
export type HoldEndOutcome = 'ended' | 'ended_before'

/**
 * Released, all of it goes back to `available`; spent, it leaves `pending` by the postings it is
 * spent on. `hold` is as it was made: a hold that was never made, or one of another amount, is a
 * bug.
 */
export async function endHold(db: Db, hold: Hold, end: HoldEnd): Promise<HoldEndOutcome> {
  const at = homeOf(db, hold.merchant_id)
  const wanted = oneRow(at, 'wanted', hold.id)
  const ended = insertHoldEnd(at, hold, end, { when: wanted })
  const last = selectCounts(at, [ended.found, ended])
  const [done] = await retryOnDeadlock(() => composed(at, [wanted, ended], last))
  assert(done?.[ended.found.name] === 1n, `no hold ${hold.id} of ${hold.amount}`)
  return done[ended.name] === 1n ? 'ended' : 'ended_before'
}
