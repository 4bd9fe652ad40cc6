// The statements about the addresses that a merchant's servers may pay out from.

import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import { ownershipOf } from '../../platform/http/ownership.ts'
import type { EntryStatus, WhitelistEntry } from './entry.ts'

const entryColumns = (sql: Sql): Fragment => sql`
  merchant_id, id, ip_address, label, status, created_by_member, created_at, updated_at`

export type EntryKey = Readonly<{ merchant_id: string; id: string }>

/** All of a merchant's entries, newest first: at most `entries_max`. */
export async function listEntries(sql: Sql, merchant_id: string): Promise<WhitelistEntry[]> {
  return sql<WhitelistEntry[]>`
    select ${entryColumns(sql)}
      from ip_whitelist
     where merchant_id = ${merchant_id}
     order by created_at desc, id desc`
}

export async function listActiveNetworks(sql: Sql, merchant_id: string): Promise<string[]> {
  const rows = await sql<{ ip_address: string }[]>`
    select ip_address from ip_whitelist where merchant_id = ${merchant_id} and status = 'ACTIVE'`
  return rows.map(({ ip_address }) => ip_address)
}

export async function findEntry(sql: Sql, key: EntryKey): Promise<WhitelistEntry | undefined> {
  const [row] = await sql<WhitelistEntry[]>`
    select ${entryColumns(sql)}
      from ip_whitelist where merchant_id = ${key.merchant_id} and id = ${key.id}`
  return row
}

export const requireOwnEntry = ownershipOf('ip_whitelist', { at_control: true })

/** Of the caller (contract 3.5), in both environments. */
export const getEntry = async (sql: Sql, key: EntryKey): Promise<WhitelistEntry> =>
  requireOwnEntry(sql, key, await findEntry(sql, key))

/** Changes of one merchant's list queue up here: they are counted, and compared with each other. */
export async function lockWhitelist(tx: Tx, merchant_id: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`ip_whitelist ${merchant_id}`}, 0))`
}

export type NewEntry = EntryKey &
  Readonly<{
    ip_address: string
    label: string
    status: EntryStatus
    created_by_member: string | null
  }>

/** Undefined when the address is listed already. */
export async function insertEntry(sql: Sql, entry: NewEntry): Promise<WhitelistEntry | undefined> {
  const [row] = await sql<WhitelistEntry[]>`
    insert into ip_whitelist (merchant_id, id, ip_address, label, status, created_by_member)
    values (${entry.merchant_id}, ${entry.id}, ${entry.ip_address}, ${entry.label},
      ${entry.status}, ${entry.created_by_member})
    on conflict (merchant_id, ip_address) do nothing
    returning ${entryColumns(sql)}`
  return row
}

export type EntryFields = Readonly<{ ip_address: string; label: string; status: EntryStatus }>

export async function updateEntry(
  tx: Tx,
  key: EntryKey,
  fields: EntryFields,
): Promise<WhitelistEntry | undefined> {
  const [row] = await tx<WhitelistEntry[]>`
    update ip_whitelist
       set ip_address = ${fields.ip_address}, label = ${fields.label}, status = ${fields.status},
           updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id}
    returning ${entryColumns(tx)}`
  return row
}

export async function deleteEntry(tx: Tx, key: EntryKey): Promise<void> {
  await tx`
    delete from ip_whitelist where merchant_id = ${key.merchant_id} and id = ${key.id}`
}
