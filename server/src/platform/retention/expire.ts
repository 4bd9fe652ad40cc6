// Removes data at its end date: portion by portion, each a short statement of its own that skips
// locked rows, so that a payment never waits for it. One process at a time; what a process that
// dies has removed stays removed.

import type { Db, Sql } from '../db.ts'
import { giveUpLease, takeLease } from '../jobs/leases.ts'
import { addRemoved, listRuns, type Run } from './store.ts'

export type Expiring = Readonly<{
  kind: string
  days: number
  /** Removes at most so many, the oldest first where it matters. Returns how many. */
  remove: (sql: Sql, portion: Readonly<{ days: number; limit: number }>) => Promise<number>
  /** How many make a full portion, after which there may be more. */
  limit: number
  /** Whether something remains that should have gone. Then the run does not count as complete. */
  isOverdue?: (sql: Sql, days: number) => Promise<boolean>
}>

const lease_name = 'retention'
const lease_s = 150

type Done = Readonly<{ kind: string; removed: number }>

/** How many rows of each kind were removed; undefined when another process is at work. */
export async function expireAll(
  db: Db,
  kinds: readonly Expiring[],
  signal?: AbortSignal,
): Promise<Done[] | undefined> {
  const lease = await takeLease(db, lease_name, lease_s)
  if (lease === undefined) return undefined
  try {
    const done: Done[] = []
    for (const one of kinds) {
      const removed = await expireOne(db, one, signal)
      if (removed === undefined) return undefined
      done.push({ kind: one.kind, removed })
    }
    return done
  } finally {
    await giveUpLease(db, { name: lease_name, ...lease })
  }
}

/** The lease is renewed for each portion, which is much shorter; undefined when it is lost. */
async function expireOne(
  db: Db,
  one: Expiring,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  let removed = 0
  for (let is_finished = false; !is_finished && signal?.aborted !== true; ) {
    if ((await takeLease(db, lease_name, lease_s)) === undefined) return undefined
    const portion = await one.remove(db, one)
    is_finished = portion < one.limit
    removed += portion
    const is_clean = is_finished && (await one.isOverdue?.(db, one.days)) !== true
    await addRemoved(db, one.kind, { removed: portion, is_finished: is_clean })
  }
  return removed
}

export const readRuns = (sql: Sql): Promise<Run[]> => listRuns(sql)
