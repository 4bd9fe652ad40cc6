// The statements about counted days. Law: a day's lines are written in the statement that moves the
// mark past it, so each day is counted once, however many workers come to it.

import type { Fragment, Sql } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { eachGroup, homeOf } from '../../platform/places/places.ts'
import { jsonRows } from '../../platform/sql.ts'
import { triggers } from '../../transactions/schema.ts'
import type { EndedLine } from '../overview/store.ts'

export type Owner = Readonly<{ merchant_id: string; environment: Environment }>

/** What a series may be of. */
export const seriesTypes = ['PAIEMENT', 'RETRAIT', 'RECHARGE'] as const

/** What is alike of what ended, or began. */
export type CountedLine = Omit<EndedLine, 'status'> &
  Readonly<{ status: EndedLine['status'] | 'STARTED' }>

/** All days before `until_day` (`2026-11-21`) are counted. */
export type Mark = Owner & Readonly<{ until_day: string }>

/** What is counted of a day after the day itself: all before `day` is, until `until_day` it may. */
export type FollowingMark = Mark & Readonly<{ day: string }>

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
       set until_day = '1970-01-01', links_until_day = '1970-01-01',
           later_until_day = '1970-01-01', due_at = ${atOnce(sql)}
     where merchant_id = ${merchant_id}`
}

/** The lines of the mark's day; the mark is on the next one then. */
export async function insertDay(
  sql: Sql,
  { merchant_id, environment, until_day }: Mark,
  lines: readonly CountedLine[],
): Promise<void> {
  await homeOf(sql, merchant_id)`
    with moved as (
      update counting_marks set until_day = ${until_day}::date + 1, due_at = ${atOnce(sql)}
       where merchant_id = ${merchant_id} and environment = ${environment}
         and until_day = ${until_day}::date
      returning merchant_id, environment, ${until_day}::date as day),
    ${writtenLines(sql, lines, {
      gone: sql`delete from counted_days d`,
      made: sql`insert into counted_days`,
    })}`
}

/** The same of what is counted after the day itself. */
export async function insertLaterDay(
  sql: Sql,
  { merchant_id, environment, day }: FollowingMark,
  lines: readonly CountedLine[],
): Promise<void> {
  await homeOf(sql, merchant_id)`
    with moved as (
      update counting_marks set later_until_day = ${day}::date + 1
       where merchant_id = ${merchant_id} and environment = ${environment}
         and later_until_day = ${day}::date and until_day > ${day}::date
      returning merchant_id, environment, ${day}::date as day),
    ${writtenLines(sql, lines, {
      gone: sql`delete from counted_later d`,
      made: sql`insert into counted_later`,
    })}`
}

/**
 * The lines of the day that a mark was `moved` past. Of a day that was counted before, lines that
 * there are no more go: a failure that was paid late has lost its cause since.
 */
const writtenLines = (
  sql: Sql,
  lines: readonly CountedLine[],
  { gone, made }: Readonly<{ gone: Fragment; made: Fragment }>,
): Fragment => sql`
    lines as (
      select r.type, r.country, r.network, r.currency, r.status, r.failure_code, r.count,
             r.requested, r.fees, r.net
        from ${lineRows(sql, lines)} as r), gone as (
      ${gone} using moved
       where d.merchant_id = moved.merchant_id and d.environment = moved.environment
         and d.day = moved.day
         and not exists (
           select from lines r
            where r.type = d.transaction_type and r.country = d.country
              and r.network = d.network and r.currency = d.currency and r.status = d.status
              and r.failure_code = d.failure_code))
    ${made} (merchant_id, environment, day, transaction_type, country, network,
      currency, status, failure_code, count, requested, fees, net)
    select moved.merchant_id, moved.environment, moved.day, r.type, r.country, r.network,
           r.currency, r.status, r.failure_code, r.count, r.requested, r.fees, r.net
      from moved cross join lines r
        on conflict (merchant_id, environment, day, transaction_type, country, network, currency,
                     status, failure_code) do update
       set count = excluded.count, requested = excluded.requested, fees = excluded.fees,
           net = excluded.net`

const lineRows = (sql: Sql, lines: readonly CountedLine[]): Fragment =>
  jsonRows(
    sql,
    lines,
    sql`type text, country text, network text, currency text, status text, failure_code text,
        count int, requested bigint, fees bigint, net bigint`,
  )

export type Progress = Readonly<{
  until_day: string | null
  later_until_day: string | null
  has_feed: boolean
}>

/** How far this merchant's days are counted; without a feed nothing has begun. */
export async function findProgress(sql: Sql, owner: Owner): Promise<Progress> {
  const { merchant_id, environment } = owner
  const mine = sql`merchant_id = ${merchant_id} and environment = ${environment}`
  const [row] = await homeOf(sql, merchant_id)<Progress[]>`
    select to_char(m.until_day, 'YYYY-MM-DD') as until_day,
           to_char(m.later_until_day, 'YYYY-MM-DD') as later_until_day,
           exists (select 1 from event_feeds where ${mine})
             or exists (select 1 from balances where ${mine}) as has_feed
      from (select 1) as one left join counting_marks m on ${mine}`
  return row ?? { until_day: null, later_until_day: null, has_feed: false }
}

/** `day`: of the merchant’s calendar, or the moment that an hour begins at. */
export type DayLine = CountedLine & Readonly<{ day: string; payment_link?: string }>

export type Wanted = Readonly<{
  /** Without it all types, each by itself. */
  type: EndedLine['type'] | undefined
  country: string | undefined
  /** What lines differ by, beside type, currency and end. */
  group_by: string
}>

/** `live_from`, `later_from`: what is counted from there on is not read; `starts`: of the steps. */
export type CountedSpan = Readonly<{
  first: string
  last: string
  live_from: string
  later_from: string
  starts: readonly string[]
  limit: number
}>

/**
 * What was counted of these days: a range of two keys, summed to some lines a step. A country that
 * is asked for stays on its lines, as does what they differ by.
 */
export const listCounted = (
  sql: Sql,
  { merchant_id, environment }: Owner,
  { first, last, live_from, later_from, starts, limit }: CountedSpan,
  { type, country, group_by }: Wanted,
): Promise<DayLine[]> => {
  const linesOf = (table: Fragment, until: string) => sql`
    select d.day, d.transaction_type, d.country, d.network, d.currency, d.status, d.failure_code,
           d.count, d.requested, d.fees, d.net
      from ${table} d
     where d.merchant_id = ${merchant_id} and d.environment = ${environment}
       and d.day >= ${first}::date and d.day <= ${last}::date and d.day < ${until}::date
       and (${type ?? null}::text is null or d.transaction_type = ${type ?? null}::text)
       and (${country ?? null}::text is null or d.country = ${country ?? null}::text)`
  const apart = (name: 'country' | 'network' | 'failure_code') =>
    name === group_by || (name === 'country' && country !== undefined)
      ? sql`d.${sql(name)}`
      : sql`''::text`
  return homeOf(sql, merchant_id)<DayLine[]>`
    with found as (
      select width_bucket(d.day, ${[...starts]}::date[]) as step, d.transaction_type as type,
             ${apart('country')} as country, ${apart('network')} as network, d.currency,
             d.status, ${apart('failure_code')} as failure_code, sum(d.count)::int as count,
             sum(d.requested)::bigint as requested, sum(d.fees)::bigint as fees,
             sum(d.net)::bigint as net
        from (${linesOf(sql`counted_days`, live_from)}
              union all ${linesOf(sql`counted_later`, later_from)}) as d
       group by 1, 2, 3, 4, 5, 6, 7
       limit ${limit}
    )
    select (${[...starts]}::text[])[f.step] as day, f.type, f.country, f.network, f.currency,
           f.status, f.failure_code, f.count, f.requested, f.fees, f.net
      from found f`
}
