// A page of a merchant's transactions by filters and search. Law: the page is exact, and its time
// does not grow with the history. Common matches are found on a short walk down the list; rare ones
// by the index of the search rows, from where the walk ended.

import { readTerms } from '../../customers/search/terms.ts'
import type { Sql } from '../../platform/db.ts'
import type { Looked } from '../../platform/http/lists.ts'
import type { TransactionFilters } from '../filters.ts'
import { listTransactions, type MarkedTransaction, type WithPlace } from '../store.ts'
import {
  type CustomerSearch,
  listByStatus,
  listByWords,
  listByWordsOf,
  listCommon,
  listMatches,
  listOfSession,
  listWalked,
  type SearchPage,
  type Walked,
} from './store.ts'
import { piecesOf, tellingTerms } from './telling-parts.ts'

/** Steps of the walk: milliseconds; a merchant with fewer rows needs no index. */
const steps = 2_000
/**
 * A walk goes to so many times its steps when that should fill the page: the index would find far
 * too many.
 */
const further = 10

export type SearchQuery = Omit<SearchPage, 'terms'> &
  Readonly<{
    /** As it was typed. */
    search: string | undefined
  }>

/** How many transactions a page looks at for what has no index: tens of milliseconds. */
const looked_at_max = 20_000

/**
 * The same by filters that have neither an index nor a column in the search rows: a page looks at
 * so many, and says where it ended if that did not fill it.
 */
export async function lookForTransactions(
  sql: Sql,
  query: SearchQuery,
  most = looked_at_max,
): Promise<Looked<MarkedTransaction>> {
  if (isKeyed(query) || !isUnkept(query)) {
    return { rows: await findTransactions(sql, query), stopped_at: undefined }
  }
  if ((query.merchant ?? query.merchant_id) !== query.merchant_id) {
    return { rows: [], stopped_at: undefined }
  }
  const page = { ...query, terms: readTerms(query.search ?? '') }
  const { rows, end } = await listWalked(sql, page, most)
  return { rows, stopped_at: end }
}

/** It has an index of its own, or search rows that lead to it. */
const isKeyed = (query: TransactionFilters): boolean =>
  [
    ...[query.customer, query.merchant_reference, query.payment_link],
    ...[query.checkout_session, query.incident],
  ].some((one) => one !== undefined)

const isUnkept = (query: TransactionFilters): boolean => {
  const { amount__gte, amount__lte, via, api_key, created_by_member, failure_code } = query
  const unkept = [amount__gte, amount__lte, via, api_key, created_by_member, failure_code]
  return unkept.some((one) => one !== undefined)
}

export async function findTransactions(
  sql: Sql,
  { search = '', ...query }: SearchQuery,
  walk_steps = steps,
): Promise<Rows> {
  const terms = readTerms(search)
  if ((query.merchant ?? query.merchant_id) !== query.merchant_id) return []
  const page = { ...query, terms }
  const { checkout_session } = query
  if (checkout_session !== undefined) return listOfSession(sql, { ...page, checkout_session })
  if (isKeyed(query)) return listByWords(sql, page)
  if (terms.length === 0 && !narrows(query)) return listTransactions(sql, query)
  const { rows, end } = isIndexed(page)
    ? await listByStatus(sql, page, walk_steps * further)
    : await walk(sql, page, walk_steps)
  if (end === undefined) return rows
  const common = await listCommon(sql, page, piecesOf(terms))
  const telling = tellingTerms(terms, common)
  return [...rows, ...(await listMatches(sql, { ...page, telling }, end))].slice(0, page.limit)
}

/** A numbered page of one customer's transactions, which have an index of their own. */
export const findOfCustomer = (
  sql: Sql,
  { search = '', ...query }: Omit<CustomerSearch, 'terms'> & Pick<SearchQuery, 'search'>,
) => listByWordsOf(sql, { ...query, terms: readTerms(search) })

type Rows = readonly (MarkedTransaction & WithPlace)[]

/**
 * Walks down the list while what it has found lets expect a full page at its end; `end`: from where
 * the rest is to be searched. Each walk is twice as long as all before it, since those of one
 * customer come together: some among the newest and then none for long.
 */
async function walk(sql: Sql, page: SearchPage, walk_steps: number): Promise<Walked> {
  let { rows, end } = await listWalked(sql, page, walk_steps)
  const most = walk_steps * further
  for (let walked = walk_steps; end !== undefined && walked < most; ) {
    if (rows.length * most < page.limit * walked) break
    const next = Math.min(walked * 2, most - walked)
    const far = await listWalked(sql, { ...page, cursor: end }, next)
    rows = [...rows, ...far.rows].slice(0, page.limit)
    end = rows.length < page.limit ? far.end : undefined
    walked += next
  }
  return { rows, end }
}

/** Nothing but what the index of a status has: steps of such a walk cost next to nothing. */
const isIndexed = ({ terms, status, currency, network }: SearchPage): boolean =>
  terms.length === 0 &&
  status !== undefined &&
  status !== 'SUCCESS' &&
  currency === undefined &&
  network === undefined

/** Filters that may leave few of many; a status alone has an index in the list's order. */
function narrows(query: Omit<SearchQuery, 'search'>): boolean {
  const { status, transaction_type, flow_direction, currency, country, network } = query
  const others = [transaction_type, flow_direction, currency, country, network]
  return status === 'SUCCESS' || others.some((filter) => filter !== undefined)
}
