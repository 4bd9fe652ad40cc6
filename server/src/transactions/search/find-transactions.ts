// A page of a merchant's transactions by filters and search. Law: the page is exact, and its time
// does not grow with the history. What is common is met on a short walk down the list; what is rare
// is found by the index of the search rows, from where the walk ended.

import type { Sql } from '../../platform/db.ts'
import type { Cursor } from '../../platform/http/cursor.ts'
import { listTransactions, type MarkedTransaction, type Placed } from '../store.ts'
import {
  type CustomerAsked,
  findWalked,
  listSaid,
  listSaidOf,
  listSought,
  listWalked,
  type SoughtPage,
} from './store.ts'
import { readTerms } from './terms.ts'

/** Steps of the walk: milliseconds; who has less than this needs no index. */
const steps = 2_000
/** So much further is walked when that should fill the page: the index would find far too many. */
const further = 10

export type Asked = Omit<SoughtPage, 'terms'> &
  Readonly<{
    /** As it was typed. */
    search: string | undefined
  }>

export async function findTransactions(
  sql: Sql,
  { search = '', ...asked }: Asked,
  walk_steps = steps,
): Promise<Rows> {
  const terms = readTerms(search)
  if ((asked.merchant ?? asked.merchant_id) !== asked.merchant_id) return []
  const page = { ...asked, terms }
  if (asked.customer !== undefined || asked.merchant_reference !== undefined) {
    return listSaid(sql, page)
  }
  if (terms.length === 0 && !narrows(asked)) return listTransactions(sql, asked)
  const { rows, end } = await walk(sql, page, walk_steps)
  if (end === undefined) return rows
  return filled(page, rows, await listSought(sql, page, end))
}

/** A numbered page of one customer's, who has an index of his own. */
export const findOfCustomer = (
  sql: Sql,
  { search = '', ...asked }: Omit<CustomerAsked, 'terms'> & Pick<Asked, 'search'>,
) => listSaidOf(sql, { ...asked, terms: readTerms(search) })

type Rows = readonly (MarkedTransaction & Placed)[]

/** Down the list while that fills the page; `end`: where the rest is to be sought. */
async function walk(
  sql: Sql,
  page: SoughtPage,
  walk_steps: number,
): Promise<{ rows: Rows; end?: Cursor | undefined }> {
  const near = await listWalked(sql, page, walk_steps)
  if (near.length >= page.limit) return { rows: near }
  const end = await findWalked(sql, page, walk_steps)
  if (end === undefined || near.length * further < page.limit) return { rows: near, end }
  const from = { ...page, cursor: end }
  const rows = filled(page, near, await listWalked(sql, from, walk_steps * further))
  if (rows.length >= page.limit) return { rows }
  return { rows, end: await findWalked(sql, from, walk_steps * further) }
}

/** The page, as far as these fill it; what came meanwhile may have pushed a row into both. */
function filled({ limit }: SoughtPage, rows: Rows, more: Rows): Rows {
  const seen = new Set(rows.map(({ id }) => id))
  return [...rows, ...more.filter(({ id }) => !seen.has(id))].slice(0, limit)
}

/** Filters by which few of many may remain; a status alone has an index in the list's order. */
function narrows(asked: Omit<Asked, 'search'>): boolean {
  const { status, transaction_type, flow_direction, currency, country, network } = asked
  const others = [transaction_type, flow_direction, currency, country, network]
  return status === 'SUCCESS' || others.some((filter) => filter !== undefined)
}
