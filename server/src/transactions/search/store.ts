// Finding in a long history: a short walk down the list, and beyond it the search rows, with what
// has changed since they were made read directly (docs/decisions/0018).

import { andWords } from '../../customers/search/statements.ts'
import type { Term } from '../../customers/search/terms.ts'
import type { Fragment, Sql } from '../../platform/db.ts'
import type { Cursor } from '../../platform/http/pages.ts'
import type { Environment } from '../../platform/http/route.ts'
import { eachGroup, homeOf } from '../../platform/places/places.ts'
import { boundIn } from '../../platform/sql.ts'
import {
  beyond,
  createdWithin,
  incidentMark,
  inStatus,
  letThrough,
  type MarkedTransaction,
  ownedBy,
  type PageQuery,
  transactionColumns,
  type WithPlace,
} from '../store.ts'
import {
  freshIds,
  liveMatches,
  members_of_row,
  membersOfRows,
  rowsOf,
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
    select ${transactionColumns(sql)}, t.incident, t.approval, t.waiting_reason, t.place,
           stopped.created_at::text as stopped_at, stopped.id as stopped_id
      from (values (1)) as one (nth)
      left join page t on true
      left join stopped on true
     ${order}`
  const rows = found.flatMap(({ stopped_at, stopped_id, ...row }) => (row.id === null ? [] : [row]))
  const [one] = found
  if (one === undefined || one.stopped_at === null || one.stopped_id === null) {
    return { rows, end: undefined }
  }
  const dir = search.cursor?.dir ?? 'next'
  return { rows, end: { dir, created_at: one.stopped_at, id: one.stopped_id } }
}

/** `offset 0` makes PostgreSQL build the text once a row, however many terms look at it. */
const withWords = (sql: Sql, terms: readonly Term[]): Fragment =>
  terms.length === 0
    ? sql``
    : sql`cross join lateral (select ${wordsOf(sql)} as words offset 0) as said`

/** A page from beyond `from`, wherever in the history its rows are. */
export async function listMatches(sql: Sql, search: SearchPage, from: Cursor): Promise<Row[]> {
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

/** Those of a customer, a reference or a link, which have an index of their own. */
export async function listByWords(sql: Sql, search: SearchPage): Promise<Row[]> {
  const { cursor } = search
  return homeOf(sql, search.merchant_id)<Row[]>`
    select ${transactionColumns(sql)}, ${incidentMark(sql)}, t.created_at::text as place
      from transactions t
      ${withWords(sql, search.terms)}
     where ${ownedBy(sql, search)} ${letThrough(sql, search)}
       ${andWords(sql, sql`said.words`, search.terms)}
       ${cursor === undefined ? sql`` : beyond(sql, cursor, sql`t.created_at, t.id`)}
     order by t.created_at ${way(sql, search)}, t.id ${way(sql, search)}
     limit ${search.limit}`
}

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

type Feed = Readonly<{ merchant_id: string; environment: Environment }>

/** Feeds with events that are not in the search rows yet. */
export const listFeedsBehind = (sql: Sql, limit: number): Promise<Feed[]> =>
  eachGroup(
    sql,
    (at) => at<Feed[]>`
  select f.merchant_id, f.environment
    from event_feeds f
    left join transaction_search_marks m
      on m.merchant_id = f.merchant_id and m.environment = f.environment
   where f.last_seq > coalesce(m.seq, 0)
   limit ${limit}`,
  )

/** Inserts the row whose lock guards a feed's search rows; safe to repeat. */
export async function insertMark(sql: Sql, { merchant_id, environment }: Feed): Promise<void> {
  await homeOf(sql, merchant_id)`
    insert into transaction_search_marks (merchant_id, environment)
    values (${merchant_id}, ${environment})
    on conflict (merchant_id, environment) do nothing`
}

/**
 * `ended as (…), written as (…)`: search rows for those in the relation `changed` that are not
 * PENDING. A row's transactions are alike in all that is filtered by, and those of one name stand
 * together: the fewer rows have a name, the fewer are read for it. Its id begins with the moment of
 * the first, so that new entries of the key stay together, and is no transaction's.
 */
const searchRows = (sql: Sql, merchant_id: string): Fragment => sql`
  ended as materialized (
    select t.id, t.environment, t.created_at, t.status, t.transaction_type, t.currency,
           t.country_code, t.network_code, t.words,
           (row_number() over (
             partition by t.environment, t.status, t.transaction_type, t.currency, t.country_code,
                          t.network_code
             order by t.customer_first_name, t.customer_last_name, t.customer_email, t.id) - 1)
             / ${members_of_row}::int as portion
      from changed cross join lateral (
           select ${transactionColumns(sql)}, ${wordsOf(sql)} as words
             from transactions t
            where t.merchant_id = ${merchant_id} and t.id = changed.id
           offset 0) as t
     where t.status <> 'PENDING'),
  written as (
    insert into transaction_search (merchant_id, id, environment, created_at, status,
      transaction_type, currency, country_code, network_code, words, members, moments)
    select ${merchant_id},
           overlay(gen_random_uuid()::text placing left(min(t.id::text), 8) from 1 for 8)::uuid,
           t.environment, min(t.created_at), t.status, t.transaction_type, t.currency,
           t.country_code, t.network_code,
           string_agg(t.words, chr(10) order by t.created_at, t.id),
           array_agg(t.id order by t.created_at, t.id),
           array_agg(t.created_at order by t.created_at, t.id)
      from ended t
     group by t.environment, t.status, t.transaction_type, t.currency, t.country_code,
              t.network_code, t.portion)`

/** Makes the search rows of these, without any event. */
export async function indexThese(sql: Sql, merchant_id: string, ids: readonly string[]) {
  await homeOf(sql, merchant_id)`
    with changed as materialized (select unnest(${ids}::uuid[]) as id),
    ${searchRows(sql, merchant_id)}
    select 1`
}

/** The only event of a transaction that has not ended. */
const beginning = 'transaction.created'

/** What an end brings: a row is made for one, or in place of one that was there. */
const ends = ['transaction.success', 'transaction.failed', 'transaction.cancelled']

/**
 * `changed as (…)`: the transactions that the events in the relation `span` are about, and all
 * others of the search rows that any of them may have already: those rows are taken away. Whoever
 * moved once and has an end alone can have none but one from before rows were of several, which has
 * its id.
 */
const changedIn = (sql: Sql, merchant_id: string): Fragment => sql`
  named as materialized (
    select transaction_id as id, bool_or(type = any(${ends}::text[])) as has_end,
           bool_or(type <> all(${ends}::text[])) as is_later
      from span
     where transaction_id is not null and type <> ${beginning}
     group by transaction_id),
  again as materialized (
    select t.id, t.environment, t.reference, t.version
      from named join transactions t on t.merchant_id = ${merchant_id} and t.id = named.id
     where t.version > 2 or named.is_later),
  taken as (
    delete from transaction_search t
     where t.merchant_id = ${merchant_id}
       and t.id = any(array(
             select id from named union ${rowsOf(sql, merchant_id, 'again')}))
    returning coalesce(t.members, array[t.id]) as members),
  changed as materialized (
    select id from named where has_end
     union select id from again where version > 2
     union select unnest(members) from taken)`

/**
 * Makes the search rows of the transactions that a feed's next events are about, in their current
 * state, and moves the mark. A PENDING one is left for the event of its end. A row that has one of
 * them already is made anew for all of its transactions. Returns how many events were read: none
 * when another worker holds the mark.
 */
export async function indexEvents(
  sql: Sql,
  { merchant_id, environment }: Feed,
  limit: number,
): Promise<number> {
  const [row] = await homeOf(sql, merchant_id)<{ read: number }[]>`
    with seen as materialized (
      select seq from transaction_search_marks
       where merchant_id = ${merchant_id} and environment = ${environment}),
    mark as materialized (
      select m.seq from transaction_search_marks m join seen on seen.seq = m.seq
       where m.merchant_id = ${merchant_id} and m.environment = ${environment}
         for update of m skip locked),
    span as materialized (
      select e.seq, e.type, e.transaction_id from mark cross join lateral (
             select seq, type, transaction_id from events
              where merchant_id = ${merchant_id} and environment = ${environment}
                and seq > mark.seq
              order by seq limit ${limit}) as e),
    ${changedIn(sql, merchant_id)},
    ${searchRows(sql, merchant_id)},
    moved as (
      update transaction_search_marks
         set seq = (select max(seq) from span), updated_at = now()
       where merchant_id = ${merchant_id} and environment = ${environment}
         and exists (select 1 from span))
    select count(*)::int as read from span`
  return row?.read ?? 0
}
