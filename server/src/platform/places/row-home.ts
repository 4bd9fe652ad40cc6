// Where a row is of which only the id is known: staff act over all merchants and name none.

import type { Db } from '../db.ts'
import { listOwners } from './map-store.ts'
import { groupsOf, homeOf, oneOfAll } from './places.ts'

/**
 * Where the transaction begins that locks this row: its merchant's group. On one PostgreSQL nothing
 * is asked. Where no group has it, any of them, where it will not be found.
 */
export async function homeOfRow(db: Db, table: string, id: string): Promise<Db> {
  const [any] = groupsOf(db)
  if (any === undefined) return db
  const merchant_id = await findOwner(db, table, id)
  return merchant_id === undefined ? any : homeOf(db, merchant_id)
}

/** Whose row it is; undefined where nobody has it. */
export async function findOwner(db: Db, table: string, id: string): Promise<string | undefined> {
  const row = await oneOfAll(db, (at) => listOwners(at, table, id))
  return row?.merchant_id
}
