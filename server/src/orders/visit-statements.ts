// The statements about openings of links' pages.

import type { Sql } from '../platform/db.ts'
import { control, homeOf } from '../platform/places/places.ts'
import { jsonRows } from '../platform/sql.ts'

export type LinkKey = Readonly<{ merchant_id: string; payment_link: string }>
export type Visits = LinkKey & Readonly<{ visits: number }>

/** Today by each merchant's clock: `2026-11-21`. */
export const listToday = (
  sql: Sql,
  merchants: readonly string[],
): Promise<{ merchant_id: string; day: string }[]> => control(sql)<
  { merchant_id: string; day: string }[]
>`
  select m.id as merchant_id, to_char(merchants_day_of(m.id, now()), 'YYYY-MM-DD') as day
    from merchants m
   where m.id = any(${[...merchants]}::uuid[])`

/** Adds them to one merchant's day, in an order in which no two processes meet. */
export async function addVisits(
  sql: Sql,
  { merchant_id, day }: Readonly<{ merchant_id: string; day: string }>,
  counted: readonly Visits[],
): Promise<void> {
  await homeOf(sql, merchant_id)`
    insert into link_visits (merchant_id, payment_link, day, visits)
    select ${merchant_id}, r.payment_link, ${day}::date, r.visits
      from ${jsonRows(sql, counted, sql`payment_link uuid, visits bigint`)} as r
     order by r.payment_link
        on conflict (merchant_id, payment_link, day) do update
       set visits = link_visits.visits + excluded.visits`
}

/** Of these days, both included. */
export async function countVisits(
  sql: Sql,
  { merchant_id, payment_link }: LinkKey,
  { first, last }: Readonly<{ first: string; last: string }>,
): Promise<number> {
  const [row] = await homeOf(sql, merchant_id)<{ visits: number }[]>`
    select coalesce(sum(v.visits), 0)::int as visits
      from link_visits v
     where v.merchant_id = ${merchant_id} and v.payment_link = ${payment_link}
       and v.day between ${first}::date and ${last}::date`
  return row?.visits ?? 0
}
