// The search rows are made and made anew here, in the order of a feed's events: see decisions 0018
// and 0232.

import type { Fragment, Sql } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { eachGroup, homeOf } from '../../platform/places/places.ts'
import { transactionColumns } from '../store.ts'
import { members_of_row, rowsOf, wordsOf } from './statements.ts'

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
