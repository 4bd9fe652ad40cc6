// The statements about days' limits that are not part of a composed one.

import type { Sql } from '../../platform/db.ts'

const kept_days = 7

/** A day that is long over has nothing to give back. */
export async function deleteOldCounts(sql: Sql): Promise<void> {
  await sql`
    delete from outflow_counts
     where day < (now() at time zone 'UTC')::date - ${kept_days}::int`
}
