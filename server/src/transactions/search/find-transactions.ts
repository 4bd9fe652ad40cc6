// A page of a merchant's transactions by filters and search. Law: the page is exact, and its time
// does not grow with the history. What is common is met on a short walk down the list; what is rare
// is found by the index of the search rows, from where the walk ended.

import type { Sql } from '../../platform/db.ts'
import { listTransactions, type MarkedTransaction, type Placed } from '../store.ts'
import { findWalked, listSaid, listSought, listWalked, type SoughtPage } from './store.ts'
import { readTerms } from './terms.ts'

/** Steps of the walk: milliseconds; who has less than this needs no index. */
const steps = 2_000

export type Asked = Omit<SoughtPage, 'terms'> &
  Readonly<{
    /** As it was typed. */
    search: string | undefined
  }>

export async function findTransactions(
  sql: Sql,
  { search = '', ...asked }: Asked,
  walk_steps = steps,
): Promise<readonly (MarkedTransaction & Placed)[]> {
  const terms = readTerms(search)
  if ((asked.merchant ?? asked.merchant_id) !== asked.merchant_id) return []
  const page = { ...asked, terms }
  if (asked.customer !== undefined || asked.merchant_reference !== undefined) {
    return listSaid(sql, page)
  }
  if (terms.length === 0 && !narrows(asked)) return listTransactions(sql, asked)
  const walked = await listWalked(sql, page, walk_steps)
  if (walked.length >= page.limit) return walked
  const end = await findWalked(sql, page, walk_steps)
  if (end === undefined) return walked
  const beyond = await listSought(sql, page, end)
  // Rows that came meanwhile put the walk's end before rows that it has seen.
  const seen = new Set(walked.map(({ id }) => id))
  return [...walked, ...beyond.filter(({ id }) => !seen.has(id))].slice(0, page.limit)
}

/** Filters by which few of many may remain; a status alone has an index in the list's order. */
function narrows(asked: Omit<Asked, 'search'>): boolean {
  const { status, transaction_type, flow_direction, currency, country, network } = asked
  const others = [transaction_type, flow_direction, currency, country, network]
  return status === 'SUCCESS' || others.some((filter) => filter !== undefined)
}
