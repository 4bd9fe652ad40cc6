// When an endpoint is switched off (410, five days of failures, by its merchant) or deleted, its
// waiting deliveries are not sent any more: switched on again it receives events from then on, and
// a replay sends what it missed.

import type { Db } from '../../platform/db.ts'
import { exhaustSome, type QueueLease } from './store.ts'

const at_once = 1_000

/**
 * Portion by portion, so that no statement waits long for one; returns how many there were. Zero
 * when the endpoint is on, or the queue no longer ours.
 */
export async function exhaustWaiting(
  db: Db,
  lease: QueueLease,
  mayGoOn: () => Promise<boolean>,
): Promise<number> {
  let ended = 0
  for (let some = at_once; some === at_once && (await mayGoOn()); ended += some) {
    some = await exhaustSome(db, lease, at_once)
  }
  return ended
}
