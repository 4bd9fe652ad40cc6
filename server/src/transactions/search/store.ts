// Finding in a long history: a short walk down the list, and beyond it the search rows, with what
// has changed since they were made looked at itself (decision 0018).

import type { Fragment, Sql } from '../../platform/db.ts'
import type { Cursor } from '../../platform/http/cursor.ts'
import type { Environment } from '../../platform/http/route.ts'
import {
  type Bind,
  beyond,
  createdWithin,
  incidentMark,
  inStatus,
  letThrough,
  type MarkedTransaction,
  ownedBy,
  type PageAsked,
  type Placed,
  transactionColumns,
} from '../store.ts'
import { andSaid, freshIds, liveSought, type Sought, storedSought, wordsOf } from './statements.ts'
import type { Term } from './terms.ts'

export type SoughtPage = Sought & PageAsked

type Row = MarkedTransaction & Placed

/** What the walk goes along: all of the owner's, or those of one status that is not the usual. */
const along = (sql: Sql, asked: SoughtPage): Fragment => sql`
  ${ownedBy(sql, asked)}
  ${asked.status === undefined || asked.status === 'SUCCESS' ? sql`` : inStatus(sql, asked.status)}
  ${createdWithin(sql, asked)}
  ${asked.cursor === undefined ? sql`` : beyond(sql, asked.cursor, sql`t.created_at, t.id`)}
  order by t.created_at ${way(sql, asked)}, t.id ${way(sql, asked)}`

const way = (sql: Sql, { cursor }: SoughtPage): Fragment =>
  cursor?.dir === 'prev' ? sql`asc` : sql`desc`

/** Those among the next `steps` of the list, as far as the page wants them. */
export async function listWalked(sql: Sql, asked: SoughtPage, steps: number): Promise<Row[]> {
  return sql<Row[]>`
    select ${transactionColumns(sql)}, ${incidentMark(sql)}, t.created_at::text as place
      from (select ${transactionColumns(sql)} from transactions t
             where ${along(sql, asked)} limit ${steps}) as t
      ${withWords(sql, asked.terms)}
     where true ${letThrough(sql, asked)} ${andSaid(sql, sql`said.words`, asked.terms)}
     order by t.created_at ${way(sql, asked)}, t.id ${way(sql, asked)}
     limit ${asked.limit}`
}

/** `offset 0` has the words put together once a row, however many terms look at them. */
const withWords = (sql: Sql, terms: readonly Term[]): Fragment =>
  terms.length === 0
    ? sql``
    : sql`cross join lateral (select ${wordsOf(sql)} as words offset 0) as said`

/** Where that walk ended; nothing when it saw the end of the list. */
export async function findWalked(
  sql: Sql,
  asked: SoughtPage,
  steps: number,
): Promise<Cursor | undefined> {
  const [row] = await sql<{ created_at: string; id: string }[]>`
    select t.created_at::text as created_at, t.id from transactions t
     where ${along(sql, asked)} offset ${steps - 1} limit 1`
  return row && { ...row, dir: asked.cursor?.dir ?? 'next' }
}

/** A page from beyond `from`, wherever in the history its rows are. */
export async function listSought(sql: Sql, asked: SoughtPage, from: Cursor): Promise<Row[]> {
  const bind: Bind = (value) => sql`${value}`
  const next = sql`${beyond(sql, from, sql`t.created_at, t.id`)}
    order by t.created_at ${way(sql, asked)}, t.id ${way(sql, asked)} limit ${asked.limit}`
  return sql<Row[]>`
    with ${freshIds(sql, asked, bind)},
    live as materialized (${liveSought(sql, asked, bind)} ${next}),
    stored as materialized (${storedSought(sql, asked, bind)} ${next}),
    found as (select id from live union all select id from stored)
    select ${transactionColumns(sql)}, ${incidentMark(sql)}, t.created_at::text as place
      from found
      join transactions t on t.merchant_id = ${asked.merchant_id} and t.id = found.id
     order by t.created_at ${way(sql, asked)}, t.id ${way(sql, asked)}
     limit ${asked.limit}`
}

/** Those of a customer or a reference, which have an index of their own. */
export async function listSaid(sql: Sql, asked: SoughtPage): Promise<Row[]> {
  const { cursor } = asked
  return sql<Row[]>`
    select ${transactionColumns(sql)}, ${incidentMark(sql)}, t.created_at::text as place
      from transactions t
      ${withWords(sql, asked.terms)}
     where ${ownedBy(sql, asked)} ${letThrough(sql, asked)}
       ${andSaid(sql, sql`said.words`, asked.terms)}
       ${cursor === undefined ? sql`` : beyond(sql, cursor, sql`t.created_at, t.id`)}
     order by t.created_at ${way(sql, asked)}, t.id ${way(sql, asked)}
     limit ${asked.limit}`
}

export type CustomerAsked = Sought &
  Readonly<{ customer_id: string; oldest_first: boolean; limit: number; offset: number }>

/** Those of one customer by page number, and how many there are in all. */
export async function listSaidOf(
  sql: Sql,
  asked: CustomerAsked,
): Promise<{ count: number; rows: MarkedTransaction[] }> {
  const { customer_id, oldest_first, limit, offset } = asked
  const order = oldest_first ? sql`t.created_at, t.id` : sql`t.created_at desc, t.id desc`
  const found = sql`
    from transactions t ${withWords(sql, asked.terms)}
   where ${ownedBy(sql, asked)} and t.customer_id = ${customer_id} ${letThrough(sql, asked)}
     ${andSaid(sql, sql`said.words`, asked.terms)}`
  const [rows, [total]] = await Promise.all([
    sql<MarkedTransaction[]>`
      select ${transactionColumns(sql)}, ${incidentMark(sql)} ${found}
       order by ${order} limit ${limit} offset ${offset}`,
    sql<{ count: number }[]>`select count(*)::int as count ${found}`,
  ])
  return { count: total?.count ?? 0, rows }
}

type Feed = Readonly<{ merchant_id: string; environment: Environment }>

/** Feeds whose news is not in the search rows yet. */
export const listFeedsBehind = (sql: Sql, limit: number): Promise<Feed[]> => sql<Feed[]>`
  select f.merchant_id, f.environment
    from event_feeds f
    left join transaction_search_marks m
      on m.merchant_id = f.merchant_id and m.environment = f.environment
   where f.last_seq > coalesce(m.seq, 0)
   limit ${limit}`

/** Makes the row under whose lock a feed's search rows are made; safe to repeat. */
export async function insertMark(sql: Sql, { merchant_id, environment }: Feed): Promise<void> {
  await sql`
    insert into transaction_search_marks (merchant_id, environment)
    values (${merchant_id}, ${environment})
    on conflict (merchant_id, environment) do nothing`
}

/** `written as (…)`: the search rows of those in the relation `changed` that are not PENDING. */
const searchRows = (sql: Sql, merchant_id: string): Fragment => sql`
  written as (
    insert into transaction_search (merchant_id, id, environment, created_at, status,
      transaction_type, currency, country_code, network_code, words)
    select t.merchant_id, t.id, t.environment, t.created_at, t.status, t.transaction_type,
           t.currency, t.country_code, t.network_code, t.words
      from changed cross join lateral (
           select ${transactionColumns(sql)}, ${wordsOf(sql)} as words
             from transactions t
            where t.merchant_id = ${merchant_id} and t.id = changed.id
           offset 0) as t
     where t.status <> 'PENDING'
    on conflict (merchant_id, id) do update
       set status = excluded.status, network_code = excluded.network_code,
           words = excluded.words)`

/** Makes the search rows of these, without any event. */
export async function indexThese(sql: Sql, merchant_id: string, ids: readonly string[]) {
  await sql`
    with changed as materialized (select unnest(${ids}::uuid[]) as id),
    ${searchRows(sql, merchant_id)}
    select 1`
}

/**
 * Makes the search rows of what the next events of a feed are about, as it stands now, and moves
 * the mark. A PENDING one is left for the event of its end. Answers how many events were read: none
 * when a rival holds the mark.
 */
export async function indexEvents(
  sql: Sql,
  { merchant_id, environment }: Feed,
  limit: number,
): Promise<number> {
  const [row] = await sql<{ read: number }[]>`
    with seen as materialized (
      select seq from transaction_search_marks
       where merchant_id = ${merchant_id} and environment = ${environment}),
    mark as materialized (
      select m.seq from transaction_search_marks m join seen on seen.seq = m.seq
       where m.merchant_id = ${merchant_id} and m.environment = ${environment}
         for update of m skip locked),
    span as materialized (
      select e.seq, e.transaction_id from mark cross join lateral (
             select seq, transaction_id from events
              where merchant_id = ${merchant_id} and environment = ${environment}
                and seq > mark.seq
              order by seq limit ${limit}) as e),
    changed as materialized (
      select distinct transaction_id as id from span where transaction_id is not null),
    ${searchRows(sql, merchant_id)},
    moved as (
      update transaction_search_marks
         set seq = (select max(seq) from span), updated_at = now()
       where merchant_id = ${merchant_id} and environment = ${environment}
         and exists (select 1 from span))
    select count(*)::int as read from span`
  return row?.read ?? 0
}
