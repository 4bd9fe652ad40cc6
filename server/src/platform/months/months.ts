// Tables of months: partitions by an id, which is time. The months to come are made before anybody
// writes to them, and those that are over end whole.

import type { Sql } from '../db.ts'
import {
  dropDefaultRows,
  dropOldestPartition,
  hasOverdue,
  listMissingMonths,
  type Monthly,
  makeMonths,
} from './store.ts'

export type { Monthly }

/**
 * Throws, naming them, when some could not be made (somebody held a lock): the others are there,
 * and the next call tries again.
 */
export async function ensurePartitions(sql: Sql): Promise<void> {
  await makeMonths(sql)
  const missing = await listMissingMonths(sql)
  if (missing.length > 0) throw new Error(`months not made yet: ${missing.join(', ')}`)
}

/** Ends a month that is over, or `limit` rows as old that no month took; zero: there is none. */
export async function endOldest(
  sql: Sql,
  parent: Monthly,
  { days, limit }: Readonly<{ days: number; limit: number }>,
): Promise<number> {
  const dropped = await dropOldestPartition(sql, parent, days)
  return dropped > 0 ? dropped : dropDefaultRows(sql, parent, { days, limit })
}

/** Is there a month, or a row outside them, that should have ended by now? */
export const isOverdue = (sql: Sql, parent: Monthly, days: number): Promise<boolean> =>
  hasOverdue(sql, parent, days)
