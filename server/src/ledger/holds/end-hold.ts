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
  const wanted = oneRow(db, 'wanted', hold.id)
  const ended = insertHoldEnd(db, hold, end, { when: wanted })
  const last = selectCounts(db, [ended.found, ended])
  const [done] = await retryOnDeadlock(() => composed(db, [wanted, ended], last))
  assert(done?.[ended.found.name] === 1n, `no hold ${hold.id} of ${hold.amount}`)
  return done[ended.name] === 1n ? 'ended' : 'ended_before'
}
