// What began in a time: payments, payouts and top-ups by when they were made. Law: a time that is
// over and settled has its count for ever, because nothing is made in the past, and the network is
// the one that was asked first, whichever is asked later.

import { firstNetwork } from '../../attempts/first-network-statements.ts'
import type { Sql } from '../../platform/db.ts'
import { homeOf } from '../../platform/places/places.ts'
import { byHour, type HoursOf, keptHoursOf, type Span } from '../overview/hours.ts'
import { type CountedLine, type Owner, seriesTypes } from './store.ts'

/** One copy a process. */
export const keptHoursOfStarts = (): HoursOf<CountedLine> =>
  keptHoursOf(async (...asked) => byHour(await listStarted(...asked)))

/** By hours from the span's beginning on: a range of the list's index, so the caller bounds it. */
export const listStarted = (
  sql: Sql,
  { merchant_id, environment }: Owner,
  { from, to }: Span,
): Promise<(CountedLine & { hour: number })[]> => homeOf(sql, merchant_id)<
  (CountedLine & { hour: number })[]
>`
  with started as materialized (
    select t.transaction_type, t.country_code, t.currency,
           coalesce(a.network_code, t.network_code, '') as network,
           floor(extract(epoch from t.created_at - ${from}::timestamptz) / 3600)::int as hour
      from transactions t
      left join lateral (${firstNetwork(sql)}) as a on true
     where t.merchant_id = ${merchant_id} and t.environment = ${environment}
       and t.created_at >= ${from} and t.created_at < ${to}
       and t.transaction_type = any(${[...seriesTypes]}::text[])
  )
  select s.hour, s.country_code as country, s.network, s.transaction_type as type, s.currency,
         'STARTED' as status, '' as failure_code, count(*)::int as count, 0::bigint as requested,
         0::bigint as fees, 0::bigint as net
    from started s
   group by 1, 2, 3, 4, 5`

/** The first moment at or after this one at which something began. */
export async function findNextStarted(
  sql: Sql,
  { merchant_id, environment }: Owner,
  from: Date,
): Promise<Date | null> {
  const [row] = await homeOf(sql, merchant_id)<{ at: Date }[]>`
    select created_at as at from transactions
     where merchant_id = ${merchant_id} and environment = ${environment}
       and created_at >= ${from}
     order by created_at limit 1`
  return row?.at ?? null
}
