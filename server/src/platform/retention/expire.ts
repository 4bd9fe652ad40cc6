// Removes data at its end date: portion by portion, each a short statement of its own that skips
// locked rows, so that a payment never waits for it. One process at a time; what a process that
// dies has removed stays removed.

import type { Db, Sql } from '../db.ts'
import { giveUpLease, takeLease } from '../jobs/leases.ts'
import { addRemoved, listRuns, type Run } from './store.ts'

export type Expiring = Readonly<{
  kind: string
  days: number
  /** Removes a portion, the oldest first where it matters: the first at 0, then where it says. */
  remove: (sql: Sql, portion: Readonly<{ days: number; at: number }>) => Promise<Removed>
  /** Whether something remains that should have gone. Then the run does not count as complete. */
  isOverdue?: (sql: Sql, days: number) => Promise<boolean>
}>

/** What a portion removed, and where the next begins; undefined: this run has come to its end. */
export type Removed = Readonly<{ removed: number; next: number | undefined }>

/** Portions of at most `limit`: after a full one there may be more. */
export const whileFull =
  (
    limit: number,
    remove: (sql: Sql, portion: Readonly<{ days: number; limit: number }>) => Promise<number>,
  ): Expiring['remove'] =>
  async (sql, { days }) => {
    const removed = await remove(sql, { days, limit })
    return { removed, next: removed < limit ? undefined : 0 }
  }

const lease_name = 'retention'
const lease_s = 150

type Done = Readonly<{ kind: string; removed: number }>

/** `by_service`: the days are the service's own settings, and are noted as such. */
type How = Readonly<{ signal?: AbortSignal; by_service?: true }>

/**
 * How many rows of each kind were removed; undefined when another process is at work. A kind that
 * fails keeps no other from its end; the first failure is thrown after the last kind.
 */
export async function expireAll(
  db: Db,
  kinds: readonly Expiring[],
  how: How = {},
): Promise<Done[] | undefined> {
  const lease = await takeLease(db, lease_name, lease_s)
  if (lease === undefined) return undefined
  const failures: unknown[] = []
  try {
    const done: Done[] = []
    for (const one of kinds) {
      try {
        const removed = await expireOne(db, one, how)
        if (removed === undefined) return undefined
        done.push({ kind: one.kind, removed })
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
    return done
  } finally {
    await giveUpLease(db, { name: lease_name, ...lease })
  }
}

/** The lease is renewed for each portion, which is much shorter; undefined when it is lost. */
async function expireOne(
  db: Db,
  one: Expiring,
  { signal, by_service }: How,
): Promise<number | undefined> {
  const days = by_service === true ? one.days : null
  let removed = 0
  for (let at: number | undefined = 0; at !== undefined && signal?.aborted !== true; ) {
    if ((await takeLease(db, lease_name, lease_s)) === undefined) return undefined
    const portion: Removed = await one.remove(db, { days: one.days, at })
    at = portion.next
    removed += portion.removed
    const is_finished = at === undefined && (await one.isOverdue?.(db, one.days)) !== true
    await addRemoved(db, one.kind, { removed: portion.removed, is_finished, days })
  }
  return removed
}

export const readRuns = (sql: Sql): Promise<Run[]> => listRuns(sql)
