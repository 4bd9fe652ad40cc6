// The statements that count what was paid by payment links.

import type { Sql } from '../platform/db.ts'
import { homeOf } from '../platform/places/places.ts'

/** Payments of one currency, sums in hundredths. */
export type LinkFigures = Readonly<{
  currency: string
  started: number
  paid: number
  amount: bigint
  net: bigint
  /** Those begun after this moment are counted; null: all of the time. */
  cut_at: Date | null
  /** When the last of all was paid. */
  last_paid_at: Date | null
}>

type Sought = Readonly<{ merchant_id: string; payment_link: string; from: Date; to: Date }>

/** Those whose end is looked up, to know when the last one was paid. */
const newest_paid = 100

/**
 * Of the payments that were begun in a time, by currency, as they are now. Where there are
 * `read_max` or more, only what is newer than the oldest that was read is counted.
 */
export const listLinkFigures = (
  sql: Sql,
  { merchant_id, payment_link, from, to }: Sought,
  read_max: number,
): Promise<LinkFigures[]> =>
  homeOf(sql, merchant_id)<LinkFigures[]>`
    with found as materialized (
      select t.id, t.status, t.currency, t.requested_amount, t.net_amount, t.created_at
        from transactions t
       where t.merchant_id = ${merchant_id} and t.payment_link = ${payment_link}
         and t.created_at >= ${from} and t.created_at < ${to}
       order by t.created_at desc, t.id desc
       limit ${read_max}
    ), cut as (
      select case when count(*) >= ${read_max} then min(f.created_at) end as cut_at from found f
    ), newest as (
      select f.id from found f
       where f.status = 'SUCCESS'
       order by f.created_at desc, f.id desc
       limit ${newest_paid}
    ), paid as (
      select max(l.created_at) as last_paid_at
        from newest n
        join transaction_status_logs l
          on l.merchant_id = ${merchant_id} and l.transaction_id = n.id
             and l.to_status = 'SUCCESS'
    )
    select f.currency, min(cut.cut_at) as cut_at, min(paid.last_paid_at) as last_paid_at,
           count(*)::int as started,
           (count(*) filter (where f.status = 'SUCCESS'))::int as paid,
           coalesce(sum(f.requested_amount) filter (where f.status = 'SUCCESS'), 0)::bigint
             as amount,
           coalesce(sum(f.net_amount) filter (where f.status = 'SUCCESS'), 0)::bigint as net
      from found f
     cross join cut
     cross join paid
     where cut.cut_at is null or f.created_at > cut.cut_at
     group by f.currency
     order by f.currency`
