// Tables partitioned by month, by an id that contains the time. Coming months are made before
// anything is written to them, and those that are over are dropped whole.

import type { Sql } from '../db.ts'
import {
  dropDefaultRows,
  dropOldestPartition,
  hasOverdue,
  listMissingMonths,
  makeMonths,
} from './store.ts'

/**
 * Throws, naming them, when some could not be made (because of a lock): the others are there, and
 * the next call tries again.
 */
export async function ensurePartitions(sql: Sql): Promise<void> {
  await makeMonths(sql)
  const missing = await listMissingMonths(sql)
  if (missing.length > 0) throw new Error(`months not made yet: ${missing.join(', ')}`)
}

/**
 * Drops a month that is over, or `limit` rows as old outside any month; zero when there are none.
 */
export async function endOldest(
  sql: Sql,
  parent: string,
  { days, limit }: Readonly<{ days: number; limit: number }>,
): Promise<number> {
  const dropped = await dropOldestPartition(sql, parent, days)
  return dropped > 0 ? dropped : dropDefaultRows(sql, parent, { days, limit })
}

/** Whether there is a month, or a row outside the months, that should have gone by now. */
export const isOverdue = (sql: Sql, parent: string, days: number): Promise<boolean> =>
  hasOverdue(sql, parent, days)
