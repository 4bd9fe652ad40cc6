// An address from which a merchant's server may pay out, added by the platform itself (seeds).

import type { Sql } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { insertEntry } from './store.ts'

/** Adds an address in the form of `readNetwork`; one that is listed stays as it is. */
export async function whitelistAddress(
  sql: Sql,
  entry: Readonly<{ merchant_id: string; ip_address: string; label: string }>,
): Promise<void> {
  await insertEntry(sql, { ...entry, id: newId(), status: 'ACTIVE', created_by_member: null })
}
