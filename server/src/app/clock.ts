// This process's clock beside the database's, which decides deadlines. Ids contain the time and are
// made by processes: one whose clock is far ahead would write into months that are not made yet.

import type { Db, Sql } from '../platform/db.ts'
import { readClockAhead } from './store.ts'

/** Ids of one process never go back by less than this (platform/ids.ts). */
const differs_max_ms = 5 * 60_000

export const isOnTime = async (sql: Sql): Promise<boolean> =>
  Math.abs(await readClockAhead(sql)) <= differs_max_ms

/** Throws one clear line: nothing is served by a wrong clock. */
export async function requireOnTime(db: Db): Promise<void> {
  const ahead_ms = await readClockAhead(db)
  if (Math.abs(ahead_ms) <= differs_max_ms) return
  const minutes = Math.round(Math.abs(ahead_ms) / 60_000)
  const where = ahead_ms > 0 ? 'ahead of' : 'behind'
  throw new Error(
    `This machine's clock is ${minutes} minutes ${where} the database's. Set it and start again.`,
  )
}
