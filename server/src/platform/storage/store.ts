// The statements about files that no row names yet, or any more. They are listed at control, also
// where the row that names them is in a merchant's group.

import type { Sql } from '../db.ts'
import { control } from '../places/places.ts'

/** Before a file is stored, or in the transaction that removes the row that named it. */
export async function insertLoose(sql: Sql, storage_key: string): Promise<void> {
  await control(sql)`insert into loose_files (storage_key) values (${storage_key})`
}

/** False when it is being swept, or was not begun. */
export async function deleteLoose(sql: Sql, storage_key: string): Promise<boolean> {
  const deleted = await control(sql)`
    delete from loose_files where storage_key = ${storage_key} and swept_at is null`
  return deleted.count === 1
}

/**
 * Claims those listed so long ago; one claimed by a process that died is claimed again, behind
 * those that nobody has tried yet.
 */
export async function claimStrays(
  sql: Sql,
  { older_than_s, limit }: { older_than_s: number; limit: number },
): Promise<string[]> {
  const rows = await sql<{ storage_key: string }[]>`
    update loose_files set swept_at = now()
     where storage_key in (
       select storage_key from loose_files
        where begun_at < now() - ${older_than_s} * interval '1 second'
          and (swept_at is null or swept_at < now() - interval '10 minutes')
        order by swept_at nulls first, begun_at limit ${limit} for update skip locked)
    returning storage_key`
  return rows.map(({ storage_key }) => storage_key)
}

export async function deleteSwept(sql: Sql, storage_key: string): Promise<void> {
  await sql`delete from loose_files where storage_key = ${storage_key}`
}
