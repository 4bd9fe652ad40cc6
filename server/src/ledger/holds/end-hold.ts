// Ends a hold, released or spent, as one statement and at most once: of several that end it at the
// same time, in whatever way, one succeeds.

import { type Db, retryOnDeadlock } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import { composed, oneRow, selectCounts } from '../../platform/sql.ts'
import type { Hold, HoldEnd } from './hold.ts'
import { insertHoldEnd } from './statements.ts'

/** `ended_before`: it was ended already, in one way or the other; nothing was written. */
export type HoldEndOutcome = 'ended' | 'ended_before'

/**
 * Released, all of it goes back to `available`; spent, it leaves `pending` by the postings it is
 * spent on. `hold` is as it was made: a hold that was never made, or one of another amount, is a
 * bug.
 */
export async function endHold(db: Db, hold: Hold, end: HoldEnd): Promise<HoldEndOutcome> {
  const parts = [oneRow(db, 'wanted', hold.id), ...insertHoldEnd(db, hold, end, 'wanted')]
  const last = selectCounts(db, ['held', 'hold_ended'])
  const [done] = await retryOnDeadlock(() => composed(db, parts, last))
  assert(done?.['held'] === 1n, `no hold ${hold.id} of ${hold.amount}`)
  return done['hold_ended'] === 1n ? 'ended' : 'ended_before'
}
