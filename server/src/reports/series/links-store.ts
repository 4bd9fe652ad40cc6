// The statements about what came of payment links, day by day. Law: a day's lines are written in
// the statement that moves the mark of links past it, which never goes beyond the days' own mark.

import type { Fragment, Sql } from '../../platform/db.ts'
import { homeOf } from '../../platform/places/places.ts'
import { jsonRows } from '../../platform/sql.ts'
import { triggers } from '../../transactions/schema.ts'
import { hour_ms, type Span, startsOf } from '../overview/hours.ts'
import type { DayLine, FollowingMark, Owner } from './store.ts'

/** Nothing comes of links where there are none. */
export async function hasLinks(sql: Sql, { merchant_id, environment }: Owner): Promise<boolean> {
  const [row] = await homeOf(sql, merchant_id)<{ has: boolean }[]>`
    select exists (select from payment_links
                    where merchant_id = ${merchant_id} and environment = ${environment}) as has`
  return row?.has === true
}

/** How far links are counted; null: not at all. */
export async function findLinksProgress(
  sql: Sql,
  { merchant_id, environment }: Owner,
): Promise<string | null> {
  const [row] = await homeOf(sql, merchant_id)<{ day: string }[]>`
    select to_char(links_until_day, 'YYYY-MM-DD') as day from counting_marks
     where merchant_id = ${merchant_id} and environment = ${environment}`
  return row?.day ?? null
}

/** The lines of the mark's day; the mark is on the next one then. What a day has no more goes. */
export async function insertLinksDay(
  sql: Sql,
  { merchant_id, environment, day }: FollowingMark,
  lines: readonly DayLine[],
): Promise<void> {
  await homeOf(sql, merchant_id)`
    with moved as (
      update counting_marks set links_until_day = ${day}::date + 1
       where merchant_id = ${merchant_id} and environment = ${environment}
         and links_until_day = ${day}::date and until_day > ${day}::date
      returning merchant_id, environment), lines as (
      select r.payment_link, r.country, r.currency, r.status, r.count, r.requested, r.fees, r.net
        from ${lineRows(sql, lines)} as r), gone as (
      delete from counted_links d using moved
       where d.merchant_id = ${merchant_id} and d.environment = ${environment}
         and d.day = ${day}::date
         and not exists (
           select from lines r
            where r.payment_link = d.payment_link and r.country = d.country
              and r.currency = d.currency and r.status = d.status))
    insert into counted_links (merchant_id, environment, day, payment_link, country, currency,
      status, count, requested, fees, net)
    select moved.merchant_id, moved.environment, ${day}::date, r.payment_link, r.country,
           r.currency, r.status, r.count, r.requested, r.fees, r.net
      from moved cross join lines r
        on conflict (merchant_id, environment, day, payment_link, country, currency, status)
        do update
       set count = excluded.count, requested = excluded.requested, fees = excluded.fees,
           net = excluded.net`
}

const lineRows = (sql: Sql, lines: readonly DayLine[]): Fragment =>
  jsonRows(
    sql,
    lines,
    sql`payment_link uuid, country text, currency text, status text, count int, requested bigint,
        fees bigint, net bigint`,
  )

/** Days from one to another, and the first days of the steps that they are drawn by. */
export type Steps = Readonly<{ first: string; last: string; starts: readonly string[] }>
/** Without them of all links, or of all countries; `currencies`: one for each of the links. */
export type OfLinks = Readonly<{
  links?: readonly string[]
  currencies?: readonly string[]
  country?: string | undefined
}>

/** What was counted of links on these days, by step, of all countries together or of one. */
export async function listCountedLinks(
  sql: Sql,
  { merchant_id, environment }: Owner,
  { first, last, starts }: Steps,
  { links, currencies, country }: OfLinks,
): Promise<DayLine[]> {
  if (last < first || links?.length === 0) return []
  // Each day by itself, so that of some links it is a range of the key for each of them.
  const ofSome =
    links === undefined
      ? sql`d.day >= ${first}::date and d.day <= ${last}::date`
      : sql`d.payment_link = any(${[...links]}::uuid[]) and d.day = any(array(
              select g.day::date
                from generate_series(${first}::date, ${last}::date, interval '1 day') as g (day)))`
  const inCurrency =
    links === undefined || currencies === undefined
      ? sql`true`
      : sql`(d.payment_link, d.currency) in (
              select s.link, s.currency
                from unnest(${[...links]}::uuid[], ${[...currencies]}::text[])
                       as s (link, currency))`
  return homeOf(sql, merchant_id)<DayLine[]>`
    with found as (
      select width_bucket(d.day, ${[...starts]}::date[]) as step, d.payment_link, d.currency,
             d.status, sum(d.count)::int as count, sum(d.requested)::bigint as requested,
             sum(d.fees)::bigint as fees, sum(d.net)::bigint as net
        from counted_links d
       where d.merchant_id = ${merchant_id} and d.environment = ${environment} and ${ofSome}
         and (${country ?? null}::text is null or d.country = ${country ?? null}::text)
         and ${inCurrency}
       group by 1, 2, 3, 4
    )
    select (${[...starts]}::text[])[f.step] as day, f.payment_link,
           ${country ?? ''}::text as country, '' as network, 'PAIEMENT' as type, f.currency,
           f.status, '' as failure_code, f.count, f.requested, f.fees, f.net
      from found f`
}

export type Slot = Readonly<{ name: string; from: Date; to: Date }>

/** What came of links in one hour. */
type HourOfLinks = Omit<DayLine, 'day'> & Readonly<{ hour: number }>

/** By hours from the span's beginning on. */
export async function listHoursOfLinks(
  sql: Sql,
  owner: Owner,
  { from, to }: Span,
): Promise<HourOfLinks[]> {
  const slots = startsOf({ from, to }).map((at_ms, hour) => {
    const end_ms = Math.min(at_ms + hour_ms, to.getTime())
    return { name: String(hour), from: new Date(at_ms), to: new Date(end_ms) }
  })
  const lines = await listOfLinks(sql, owner, slots)
  return lines.map(({ day, ...line }) => ({ ...line, hour: Number(day) }))
}

/**
 * What ended in each of these times, one after the other, of what payment links had asked for.
 * As it is in the log: a range of its index, so the caller bounds it.
 */
export async function listOfLinks(
  sql: Sql,
  { merchant_id, environment }: Owner,
  slots: readonly Slot[],
): Promise<DayLine[]> {
  const [first, last] = [slots[0], slots.at(-1)]
  if (first === undefined || last === undefined) return []
  // As numbers: moments would be read anew from their texts for each row.
  const starts_s = slots.map(({ from }) => from.getTime() / 1000)
  return homeOf(sql, merchant_id)<DayLine[]>`
    with ended as materialized (
      select l.transaction_id, l.to_status,
             width_bucket(extract(epoch from l.created_at)::float8, ${starts_s}::float8[]) as slot
        from transaction_status_logs l
       where l.merchant_id = ${merchant_id} and l.environment = ${environment}
         and l.to_status in ('SUCCESS', 'FAILED')
         -- Any of them: so that the span is a range of the index for each.
         and l.triggered_by = any(${[...triggers]}::text[])
         and l.created_at >= ${first.from} and l.created_at < ${last.to}
    ), found as (
      select e.slot, e.to_status as status, t.payment_link, t.country_code, t.transaction_type,
             t.currency, count(*)::int as count,
             coalesce(sum(t.requested_amount) filter (where e.to_status = 'SUCCESS'), 0)::bigint
               as requested,
             coalesce(sum(t.client_fee) filter (where e.to_status = 'SUCCESS'), 0)::bigint as fees,
             coalesce(sum(t.net_amount) filter (where e.to_status = 'SUCCESS'), 0)::bigint as net
        from ended e
        join transactions t on t.merchant_id = ${merchant_id} and t.id = e.transaction_id
       where t.payment_link is not null and t.transaction_type = 'PAIEMENT'
       group by 1, 2, 3, 4, 5, 6
    )
    select (${slots.map(({ name }) => name)}::text[])[f.slot] as day, f.payment_link,
           f.country_code as country, '' as network, f.transaction_type as type, f.currency,
           f.status, '' as failure_code, f.count, f.requested, f.fees, f.net
      from found f`
}

/** As they are called now, by their ids. */
export async function findLinkNames(
  sql: Sql,
  merchant_id: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await homeOf(sql, merchant_id)<{ id: string; name: string }[]>`
    select id, name from payment_links
     where merchant_id = ${merchant_id} and id = any(${[...ids]}::uuid[])`
  return new Map(rows.map(({ id, name }) => [id, name]))
}
