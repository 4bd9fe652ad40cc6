// Promises money to a cause: out of `available` into `pending`, as one statement. Never more than
// there is, and once for each cause, however often it is called.

import { type Db, retryOnDeadlock } from '../../platform/db.ts'
import { composed, oneRow, selectIds } from '../../platform/sql.ts'
import { isBalanceTooLow, type NewHold } from './hold.ts'
import { insertHold } from './statements.ts'

/**
 * `held_before`: the cause has a hold already, of whatever amount, open or ended; nothing was
 * written. `insufficient_balance`: `available` does not cover the amount; nothing was written.
 */
export type HoldOutcome = 'held' | 'held_before' | 'insufficient_balance'

export async function placeHold(db: Db, hold: NewHold): Promise<HoldOutcome> {
  const wanted = oneRow(db, 'wanted', hold.cause_id)
  const made = insertHold(db, hold, { when: wanted })
  try {
    const rows = await retryOnDeadlock(() => composed(db, [wanted, made], selectIds(db, made)))
    return rows.length === 1 ? 'held' : 'held_before'
  } catch (error) {
    if (isBalanceTooLow(error)) return 'insufficient_balance'
    throw error
  }
}
