// An entry of the caller's, or the right refusal (contract 3.5). They belong to the merchant in
// both environments.

import type { Sql } from '../../platform/db.ts'
import { type Refusal, refuse } from '../../platform/errors.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import type { EntryStatus, WhitelistEntry } from './entry.ts'
import { type EntryKey, findEntry, isEntryOfAnother, listEntries } from './store.ts'

export async function getEntry(sql: Sql, key: EntryKey): Promise<WhitelistEntry> {
  const entry = await findEntry(sql, key)
  if (entry === undefined) throw await whyNoEntry(sql, key)
  return entry
}

/** Only for an entry that was not found under `key`. */
export async function whyNoEntry(sql: Sql, key: EntryKey): Promise<Refusal> {
  const elsewhere = await isEntryOfAnother(sql, key)
  return refuse(elsewhere ? transportErrors.permission_denied : transportErrors.not_found)
}

export type EntrySearch = Readonly<{
  status: EntryStatus | undefined
  /** In address and label, whatever the case. */
  search: string
}>

/** Newest first. */
export async function searchEntries(
  sql: Sql,
  merchant_id: string,
  { status, search }: EntrySearch,
): Promise<WhitelistEntry[]> {
  const all = await listEntries(sql, merchant_id)
  const wanted = search.toLowerCase()
  return all.filter(
    (one) =>
      (status === undefined || one.status === status) &&
      `${one.ip_address}\n${one.label}`.toLowerCase().includes(wanted),
  )
}
