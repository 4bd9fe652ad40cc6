// A page of a merchant's movements by what they were for. Law: the page is exact, and its time does
// not grow with the history of other kinds. What is common is found on a short walk down the list;
// what is rare by its causes, from where the walk ended.

import type { Sql } from '../platform/db.ts'
import type { Cursor } from '../platform/http/pages.ts'
import {
  type EntriesQuery,
  type EntryKind,
  findWalked,
  isOfPeople,
  type LedgerEntry,
  listEntries,
  listOfKind,
  listOfThings,
} from './entries-store.ts'

/** Steps of the walk: a merchant with fewer movements needs nothing else. */
const steps = 10_000

export async function findEntries(
  sql: Sql,
  query: EntriesQuery,
  walk_steps = steps,
): Promise<readonly LedgerEntry[]> {
  const { kind, transaction, settlement, wallet_transfer, reference } = query
  const things = [transaction, settlement, wallet_transfer, reference]
  if (things.some((thing) => thing !== undefined)) return listOfThings(sql, query)
  if (kind === undefined) return listEntries(sql, query)
  if (isOfPeople(kind)) return listOfKind(sql, query, kind)
  const near = await listEntries(sql, query, walk_steps)
  if (near.length >= query.limit) return near
  const end = await findWalked(sql, query, walk_steps)
  return end === undefined ? near : filled(sql, { query, kind, near, end })
}

type Walked = Readonly<{
  query: EntriesQuery
  kind: EntryKind
  near: readonly LedgerEntry[]
  end: Cursor
}>

/** What came between two statements may stand in both of their answers. */
async function filled(
  sql: Sql,
  { query, kind, near, end }: Walked,
): Promise<readonly LedgerEntry[]> {
  const further = await listOfKind(sql, { ...query, cursor: end }, kind)
  const seen = new Set(near.map(({ id }) => id))
  return [...near, ...further.filter(({ id }) => !seen.has(id))].slice(0, query.limit)
}
