// Finding in a long history: a short walk down the list, and beyond it the search rows, with what
// has changed since they were made read directly (docs/decisions/0018).

import { andWords } from '../../customers/search/statements.ts'
import type { Term } from '../../customers/search/terms.ts'
import { idsOfOpen } from '../../incidents/store.ts'
import type { Fragment, Sql } from '../../platform/db.ts'
import type { Cursor } from '../../platform/http/pages.ts'
import { homeOf } from '../../platform/places/places.ts'
import { boundIn } from '../../platform/sql.ts'
import { incidentMark } from '../mark-statements.ts'
import {
  beyond,
  createdWithin,
  inStatus,
  letThrough,
  type MarkedTransaction,
  type Owner,
  ownedBy,
  type PageQuery,
  transactionColumns,
  type WithPlace,
} from '../store.ts'
import {
  freshIds,
  inIndex,
  liveMatches,
  membersOfRows,
  type StoredSearch,
  storedMatches,
  type TransactionSearch,
  wordsOf,
} from './statements.ts'

export type SearchPage = TransactionSearch & PageQuery

type Row = MarkedTransaction & WithPlace

/**
 * What the walk goes along: all of the owner's, or those of one status other than the usual one.
 */
const along = (sql: Sql, page: SearchPage): Fragment => sql`
  ${ownedBy(sql, page)}
  ${page.status === undefined || page.status === 'SUCCESS' ? sql`` : inStatus(sql, page.status)}
  ${createdWithin(sql, page)}
  ${page.cursor === undefined ? sql`` : beyond(sql, page.cursor, sql`t.created_at, t.id`)}
  order by t.created_at ${way(sql, page)}, t.id ${way(sql, page)}`

const way = (sql: Sql, { cursor }: SearchPage): Fragment =>
  cursor?.dir === 'prev' ? sql`asc` : sql`desc`

/** What a walk found, and where it ended before that filled the page. */
export type Walked = Readonly<{ rows: readonly Row[]; end: Cursor | undefined }>

type WalkedRow = (Row | Readonly<{ id: null }>) &
  Readonly<{ stopped_at: string | null; stopped_id: string | null }>

/**
 * The matches among the next `steps` of the list, up to what the page needs; and the last of those
 * steps, where the matches are fewer and the list goes on. Of one moment: what comes in or changes
 * between two statements would move where the walk ends.
 */
export async function listWalked(sql: Sql, search: SearchPage, steps: number): Promise<Walked> {
  const order = sql`order by t.created_at ${way(sql, search)}, t.id ${way(sql, search)}`
  const found = await homeOf(sql, search.merchant_id)<WalkedRow[]>`
    with page as materialized (
      select ${transactionColumns(sql)}, ${incidentMark(sql)}, t.created_at::text as place
        from (select ${transactionColumns(sql)} from transactions t
               where ${along(sql, search)} limit ${steps}) as t
        ${withWords(sql, search.terms)}
       where true ${letThrough(sql, search)} ${andWords(sql, sql`said.words`, search.terms)}
       ${order}
       limit ${search.limit}),
    stopped as materialized (
      select s.created_at, s.id
        from (select t.created_at, t.id from transactions t
               where ${along(sql, search)} offset ${steps - 1} limit 1) as s
       where (select count(*) from page) < ${search.limit})
    select ${transactionColumns(sql)}, t.incident, t.approval, t.waiting_reason, t.outcome_unknown,
           t.place, stopped.created_at::text as stopped_at, stopped.id as stopped_id
      from (values (1)) as one (nth)
      left join page t on true
      left join stopped on true
     ${order}`
  return walkedOf(found, search)
}

function walkedOf(found: readonly WalkedRow[], { cursor }: SearchPage): Walked {
  const rows = found.flatMap(({ stopped_at, stopped_id, ...row }) => (row.id === null ? [] : [row]))
  const [one] = found
  if (one === undefined || one.stopped_at === null || one.stopped_id === null) {
    return { rows, end: undefined }
  }
  const dir = cursor?.dir ?? 'next'
  return { rows, end: { dir, created_at: one.stopped_at, id: one.stopped_id } }
}

/** `offset 0` makes PostgreSQL build the text once a row, however many terms look at it. */
const withWords = (sql: Sql, terms: readonly Term[]): Fragment =>
  terms.length === 0
    ? sql``
    : sql`cross join lateral (select ${wordsOf(sql)} as words offset 0) as said`

/**
 * As `listWalked`, for one status that has the index, and without words to look for: kind and
 * country stand in the index behind the moment, so of some `steps` only those are read that are
 * wanted. The walk ends between two moments and never between the rows of one.
 */
export async function listByStatus(sql: Sql, search: SearchPage, steps: number): Promise<Walked> {
  const { cursor, status = 'PENDING' } = search
  const is_back = cursor?.dir === 'prev'
  const beyondCursor = cursor === undefined ? sql`` : beyond(sql, cursor, sql`t.created_at, t.id`)
  const found = await homeOf(sql, search.merchant_id)<WalkedRow[]>`
    with stopped as materialized (
      select t.created_at
        from transactions t
       where ${ownedBy(sql, search)} ${inStatus(sql, status)} ${createdWithin(sql, search)}
         ${cursor === undefined ? sql`` : asFarAs(sql, cursor)}
       order by t.created_at ${way(sql, search)} offset ${steps - 1} limit 1),
    page as materialized (
      select ${transactionColumns(sql)}, ${incidentMark(sql)}, t.created_at::text as place
        from transactions t
       where ${ownedBy(sql, search)} ${letThrough(sql, search)} ${inIndex(sql, search)}
         ${beyondCursor}
         and t.created_at ${is_back ? sql`<=` : sql`>=`} coalesce(
               (select created_at from stopped),
               ${is_back ? sql`'infinity'` : sql`'-infinity'`}::timestamptz)
       order by t.created_at ${way(sql, search)}, t.id ${way(sql, search)}
       limit ${search.limit})
    select ${transactionColumns(sql)}, t.incident, t.approval, t.waiting_reason, t.outcome_unknown,
           t.place, stopped.created_at::text as stopped_at,
           ${is_back ? last_id : first_id}::uuid as stopped_id
      from (values (1)) as one (nth)
      left join page t on true
      left join stopped on (select count(*) from page) < ${search.limit}
     order by t.created_at ${way(sql, search)}, t.id ${way(sql, search)}`
  return walkedOf(found, search)
}

/** On the cursor's side of its moment, and that moment itself. */
const asFarAs = (sql: Sql, { dir, created_at }: Cursor): Fragment =>
  dir === 'prev'
    ? sql`and t.created_at >= ${created_at}::text::timestamptz`
    : sql`and t.created_at <= ${created_at}::text::timestamptz`

const first_id = '00000000-0000-0000-0000-000000000000'
const last_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** A page from beyond `from`, wherever in the history its rows are. */
export async function listMatches(
  sql: Sql,
  search: SearchPage & StoredSearch,
  from: Cursor,
): Promise<Row[]> {
  const bind = boundIn(sql)
  const next = sql`${beyond(sql, from, sql`t.created_at, t.id`)}
    order by t.created_at ${way(sql, search)}, t.id ${way(sql, search)} limit ${search.limit}`
  return homeOf(sql, search.merchant_id)<Row[]>`
    with ${freshIds(sql, search, bind)},
    live as materialized (${liveMatches(sql, search, bind)} ${next}),
    stored as materialized (${storedMatches(sql, search, bind)} ${next}),
    found as (select id from live union select id from stored)
    select ${transactionColumns(sql)}, ${incidentMark(sql)}, t.created_at::text as place
      from found
      join transactions t on t.merchant_id = ${search.merchant_id} and t.id = found.id
     order by t.created_at ${way(sql, search)}, t.id ${way(sql, search)}
     limit ${search.limit}`
}

/** Of so many of the newest rows, each for up to eight transactions; of fewer nothing is said. */
const sample_size = 64

/**
 * Those of the pieces that nine of ten search rows have: each that the index is not asked for lets
 * one in ten more rows through at most.
 */
export async function listCommon(
  sql: Sql,
  { merchant_id }: Owner,
  pieces: readonly string[],
): Promise<ReadonlySet<string>> {
  if (pieces.length < 2) return new Set()
  const rows = await homeOf(sql, merchant_id)<{ piece: string }[]>`
    with looked as materialized (
      select words from transaction_search
       where merchant_id = ${merchant_id} order by id desc limit ${sample_size})
    select p.piece
      from unnest(${[...pieces]}::text[]) as p (piece)
     where (select count(*) from looked) = ${sample_size}
       and (select count(*) from looked where strpos(words, p.piece) > 0)
           >= ${Math.ceil(sample_size * 0.9)}`
  return new Set(rows.map(({ piece }) => piece))
}

/** Those of a customer, a reference, a link or an incident, which have an index of their own. */
export async function listByWords(sql: Sql, search: SearchPage): Promise<Row[]> {
  const { cursor } = search
  return homeOf(sql, search.merchant_id)<Row[]>`
    select ${transactionColumns(sql)}, ${incidentMark(sql)}, t.created_at::text as place
      from transactions t
      ${withWords(sql, search.terms)}
     where ${ownedBy(sql, search)} ${letThrough(sql, search)}
       ${search.incident === undefined ? sql`` : amongOpen(sql, search)}
       ${andWords(sql, sql`said.words`, search.terms)}
       ${cursor === undefined ? sql`` : beyond(sql, cursor, sql`t.created_at, t.id`)}
     order by t.created_at ${way(sql, search)}, t.id ${way(sql, search)}
     limit ${search.limit}`
}

/** Read first: else they might be looked for down the whole list. */
const amongOpen = (sql: Sql, owner: Owner): Fragment =>
  sql`and t.id = any(array(${idsOfOpen(sql, owner)}))`

/**
 * Those that were begun on a session's page. Their search rows have its slug among their words; of
 * what is not in the search rows yet each is looked at.
 */
export async function listOfSession(
  sql: Sql,
  search: SearchPage & Readonly<{ checkout_session: string }>,
): Promise<Row[]> {
  const { merchant_id, environment, checkout_session, cursor } = search
  const slug = sql`
    (select s.slug from checkout_sessions s
      where s.merchant_id = ${merchant_id} and s.environment = ${environment}
        and s.id = ${checkout_session})`
  return homeOf(sql, merchant_id)<Row[]>`
    with ${freshIds(sql, search, boundIn(sql))}
    select ${transactionColumns(sql)}, ${incidentMark(sql)}, t.created_at::text as place
      from transactions t
      ${withWords(sql, search.terms)}
     where ${ownedBy(sql, search)} ${letThrough(sql, search)}
       and t.id = any(array(
             select f.id from fresh f
             union
             select m.id from transaction_search t ${membersOfRows(sql)}
              where ${ownedBy(sql, search)} and t.words like '%' || fold_text(${slug}) || '%'
                and m.words like '%' || fold_text(${slug}) || '%'))
       ${andWords(sql, sql`said.words`, search.terms)}
       ${cursor === undefined ? sql`` : beyond(sql, cursor, sql`t.created_at, t.id`)}
     order by t.created_at ${way(sql, search)}, t.id ${way(sql, search)}
     limit ${search.limit}`
}

export type CustomerSearch = TransactionSearch &
  Readonly<{ customer_id: string; oldest_first: boolean; limit: number; offset: number }>

/** One customer's transactions by page number, and how many there are in all. */
export async function listByWordsOf(
  sql: Sql,
  search: CustomerSearch,
): Promise<{ count: number; rows: MarkedTransaction[] }> {
  const { customer_id, oldest_first, limit, offset } = search
  const order = oldest_first ? sql`t.created_at, t.id` : sql`t.created_at desc, t.id desc`
  const found = sql`
    from transactions t ${withWords(sql, search.terms)}
   where ${ownedBy(sql, search)} and t.customer_id = ${customer_id} ${letThrough(sql, search)}
     ${andWords(sql, sql`said.words`, search.terms)}`
  const at = homeOf(sql, search.merchant_id)
  const [rows, [total]] = await Promise.all([
    at<MarkedTransaction[]>`
      select ${transactionColumns(sql)}, ${incidentMark(sql)} ${found}
       order by ${order} limit ${limit} offset ${offset}`,
    at<{ count: number }[]>`select count(*)::int as count ${found}`,
  ])
  return { count: total?.count ?? 0, rows }
}
