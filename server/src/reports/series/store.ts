// The statements about counted days. Law: a day's lines are written in the statement that moves the
// mark past it, so each day is counted once, however many workers come to it.

import type { Fragment, Sql } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { eachGroup, homeOf } from '../../platform/places/places.ts'
import { jsonRows } from '../../platform/sql.ts'
import { triggers } from '../../transactions/schema.ts'
import type { EndedLine } from '../overview/store.ts'

export type Owner = Readonly<{ merchant_id: string; environment: Environment }>

/** All days before `until_day` (`2026-11-21`) are counted. */
export type Mark = Owner & Readonly<{ until_day: string }>

const markColumns = (sql: Sql): Fragment => sql`
  m.merchant_id, m.environment, to_char(m.until_day, 'YYYY-MM-DD') as until_day`

/** Due at once: the column rounds to the millisecond, upwards too. */
const atOnce = (sql: Sql): Fragment => sql`date_trunc('milliseconds', now())`

/** A mark in words: whose it is. */
export const nameOfMark = ({ merchant_id, environment }: Mark): string =>
  `${merchant_id} ${environment}`

/** Feeds whose next day may be over, the longest due first; all but those of these names. */
export const listDueMarks = (sql: Sql, limit: number, but: readonly string[]): Promise<Mark[]> =>
  eachGroup(
    sql,
    (at) => at<Mark[]>`
  select ${markColumns(at)} from counting_marks m
   where m.due_at <= now() and m.merchant_id || ' ' || m.environment <> all(${but}::text[])
   order by m.due_at
   limit ${limit}`,
  )

/** Marks for feeds that have none: what moves a balance or has an event. Answers how many. */
export async function insertMarks(sql: Sql, limit: number): Promise<number> {
  const made = await eachGroup(
    sql,
    (at) => at<Owner[]>`
  insert into counting_marks (merchant_id, environment, until_day, due_at)
  select f.merchant_id, f.environment, '1970-01-01', ${atOnce(at)}
    from (select merchant_id, environment from event_feeds
           union select merchant_id, environment from balances) as f
   where not exists (select 1 from counting_marks m
                      where m.merchant_id = f.merchant_id and m.environment = f.environment)
   limit ${limit}
      on conflict (merchant_id, environment) do nothing
  returning merchant_id, environment`,
  )
  return made.length
}

/** The first moment at or after this one at which something ended. */
export async function findNextEnded(sql: Sql, owner: Owner, from: Date): Promise<Date | null> {
  const { merchant_id, environment } = owner
  const [row] = await homeOf(sql, merchant_id)<{ at: Date | null }[]>`
    select min(l.created_at) as at
      from unnest(array['SUCCESS', 'FAILED']) as s (status)
     cross join unnest(${[...triggers]}::text[]) as g (trigger)
     cross join lateral (
           select l.created_at from transaction_status_logs l
            where l.merchant_id = ${merchant_id} and l.environment = ${environment}
              and l.to_status = s.status and l.triggered_by = g.trigger
              and l.created_at >= ${from}
            order by l.created_at limit 1) as l`
  return row?.at ?? null
}

/** The merchant’s day of a moment: `2026-11-21`. */
export async function findDayOf(sql: Sql, merchant_id: string, moment: Date): Promise<string> {
  const [row] = await sql<{ day: string }[]>`
    select to_char(merchants_day_of(${merchant_id}::uuid, ${moment}::timestamptz), 'YYYY-MM-DD')
             as day`
  return row?.day ?? ''
}

/** To a day on which nothing before it ended, or to a later time; not where another moved it. */
export async function moveMark(
  sql: Sql,
  { merchant_id, environment, until_day }: Mark,
  to: Readonly<{ day: string; due_at: Date }>,
): Promise<void> {
  await homeOf(sql, merchant_id)`
    update counting_marks set until_day = ${to.day}::date, due_at = ${to.due_at}
     where merchant_id = ${merchant_id} and environment = ${environment}
       and until_day = ${until_day}::date`
}

/** The days of this merchant are counted from the first one on, over what was counted. */
export async function restartMarks(sql: Sql, merchant_id: string): Promise<void> {
  await homeOf(sql, merchant_id)`
    update counting_marks
       set until_day = '1970-01-01', links_until_day = '1970-01-01', due_at = ${atOnce(sql)}
     where merchant_id = ${merchant_id}`
}

/**
 * The lines of the mark's day; the mark is on the next one then. Of a day that was counted before,
 * lines that there are no more go: a failure that was paid late has lost its cause since.
 */
export async function insertDay(
  sql: Sql,
  { merchant_id, environment, until_day }: Mark,
  lines: readonly EndedLine[],
): Promise<void> {
  await homeOf(sql, merchant_id)`
    with moved as (
      update counting_marks set until_day = ${until_day}::date + 1, due_at = ${atOnce(sql)}
       where merchant_id = ${merchant_id} and environment = ${environment}
         and until_day = ${until_day}::date
      returning merchant_id, environment), lines as (
      select r.type, r.country, r.network, r.currency, r.status, r.failure_code, r.count,
             r.requested, r.fees, r.net
        from ${lineRows(sql, lines)} as r), gone as (
      delete from counted_days d using moved
       where d.merchant_id = ${merchant_id} and d.environment = ${environment}
         and d.day = ${until_day}::date
         and not exists (
           select from lines r
            where r.type = d.transaction_type and r.country = d.country
              and r.network = d.network and r.currency = d.currency and r.status = d.status
              and r.failure_code = d.failure_code))
    insert into counted_days (merchant_id, environment, day, transaction_type, country, network,
      currency, status, failure_code, count, requested, fees, net)
    select moved.merchant_id, moved.environment, ${until_day}::date, r.type, r.country, r.network,
           r.currency, r.status, r.failure_code, r.count, r.requested, r.fees, r.net
      from moved cross join lines r
        on conflict (merchant_id, environment, day, transaction_type, country, network, currency,
                     status, failure_code) do update
       set count = excluded.count, requested = excluded.requested, fees = excluded.fees,
           net = excluded.net`
}

const lineRows = (sql: Sql, lines: readonly EndedLine[]): Fragment =>
  jsonRows(
    sql,
    lines,
    sql`type text, country text, network text, currency text, status text, failure_code text,
        count int, requested bigint, fees bigint, net bigint`,
  )

export type Progress = Readonly<{ until_day: string | null; has_feed: boolean }>

/** How far this merchant's days are counted; without a feed nothing has ended. */
export async function findProgress(sql: Sql, owner: Owner): Promise<Progress> {
  const { merchant_id, environment } = owner
  const mine = sql`merchant_id = ${merchant_id} and environment = ${environment}`
  const [row] = await homeOf(sql, merchant_id)<Progress[]>`
    select (select to_char(until_day, 'YYYY-MM-DD') from counting_marks where ${mine}) as until_day,
           exists (select 1 from event_feeds where ${mine})
             or exists (select 1 from balances where ${mine}) as has_feed`
  return row ?? { until_day: null, has_feed: false }
}

/** `day`: of the merchant’s calendar, or the moment that an hour begins at. */
export type DayLine = EndedLine & Readonly<{ day: string; payment_link?: string }>

/** What was counted of these days: a range of the key, some lines a day. */
export const listCounted = (
  sql: Sql,
  { merchant_id, environment }: Owner,
  { first, last, type }: Readonly<{ first: string; last: string; type: EndedLine['type'] }>,
): Promise<DayLine[]> => homeOf(sql, merchant_id)<DayLine[]>`
  select to_char(d.day, 'YYYY-MM-DD') as day, d.transaction_type as type, d.country, d.network,
         d.currency, d.status, d.failure_code, d.count, d.requested, d.fees, d.net
    from counted_days d
   where d.merchant_id = ${merchant_id} and d.environment = ${environment}
     and d.day >= ${first}::date and d.day <= ${last}::date and d.transaction_type = ${type}`
