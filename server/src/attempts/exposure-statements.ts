// The statements about what is with an account and not known to have ended: what is asked about.
// What is not asked about any more is with people, by an incident.

import type { Direction } from '../gateways/gateway.ts'
import { type SumOf, worthOfAll } from '../gateways/limit-worth.ts'
import type { Fragment, Sql } from '../platform/db.ts'
import { allGroups, eachOrLast } from '../platform/places/places.ts'
import { listRatesAhead } from '../rates/store.ts'
import { openStatuses } from './statements.ts'

export type ExposureOf = Readonly<{ gateway_id: string; direction: Direction }>

/** Of the attempts `a`: what crossed the wire. Hundredths of their currency. */
const exposed = (sql: Sql): Fragment => sql`
  coalesce(sum(case a.direction when 'COLLECT' then a.debited_amount else a.net_amount end), 0)`

/**
 * Hundredths of XOF, at the rates of now; undefined where some of it has no rate, or is in a shard
 * group that cannot be read and was not read before. What is open when its asking time is over is
 * with people, however often it is asked about afterwards.
 */
async function sumExposure(
  sql: Sql,
  { gateway_id, direction }: ExposureOf,
): Promise<bigint | undefined> {
  const sums = await eachOrLast(
    sql,
    `exposure ${gateway_id} ${direction}`,
    (at) => at<SumOf[]>`
    select a.currency, ${exposed(sql)}::bigint as open
      from attempts a
     where a.gateway_id = ${gateway_id} and a.direction = ${direction} and a.due_at is not null
       and a.asking_until > now() and a.status in ${openStatuses(sql)}
     group by a.currency`,
  )
  if (sums === undefined) return undefined
  // Most accounts have one currency, and it is this one.
  const own = worthOfAll([], sums)
  if (own !== undefined) return own
  const rates = await listRatesAhead(sql)
  return worthOfAll(
    rates.filter(({ in_ms }) => in_ms === 0),
    sums,
  )
}

/** What is not known is above every limit. */
const isMore = (open: bigint | undefined, limit: bigint): boolean =>
  open === undefined || open > limit

/** Whether so much is more than may be open there. */
export const isMoreOpen = async (sql: Sql, of: ExposureOf, limit: bigint): Promise<boolean> =>
  isMore(await sumExposure(sql, of), limit)

/** Whether the account has more open than it may, with everything that is written. */
export async function isAboveLimit(
  sql: Sql,
  { gateway_id, direction }: ExposureOf,
): Promise<boolean> {
  const [row] = await sql<{ most: bigint | null }[]>`
    select case ${direction} when 'COLLECT' then exposure_limit_collect
                else exposure_limit_disburse end as most
      from gateways where id = ${gateway_id}`
  const most = row?.most ?? null
  return most !== null && isMore(await sumExposure(sql, { gateway_id, direction }), most)
}

/** The accounts that have reached their limit; only those that have one are looked at. */
export async function listExposed(sql: Sql): Promise<ExposureOf[]> {
  const limited = await sql<(ExposureOf & { most: bigint })[]>`
    select g.id as gateway_id, d.direction, d.most
      from gateways g
     cross join lateral (values ('COLLECT', g.exposure_limit_collect),
                                ('DISBURSE', g.exposure_limit_disburse)) as d (direction, most)
     where d.most is not null`
  const sums = await Promise.all(limited.map((one) => sumExposure(sql, one)))
  return limited.filter(({ most }, at) => isMore(sums[at], most - 1n))
}

/**
 * Whether anything is with an account and not known to have ended: what is asked about, what is
 * with people, and payouts that are asked back. It fails where a group cannot be read.
 */
export async function isInUse(sql: Sql, gateway_id: string): Promise<boolean> {
  // One for each index of what is open: of all attempts that is little.
  const rows = await allGroups(
    sql,
    (at) => at`
      -- A payment that nobody asks about any more, and that people have resolved, stays unknown for
      -- good: a payout does not, because two people end it.
      select 1 from attempts a
       where a.gateway_id = ${gateway_id} and a.status in ${openStatuses(at)}
         and a.transaction_id is not null
         and (a.direction = 'DISBURSE' or exists (
               select 1 from incidents i
                where i.merchant_id = a.merchant_id and i.attempt_id = a.id and i.status = 'OPEN'))
      union all
      select 1 from attempts a
       where a.gateway_id = ${gateway_id} and a.status in ${openStatuses(at)}
         and a.settlement_id is not null
      union all
      select 1 from attempts a
       where a.gateway_id = ${gateway_id} and a.status in ${openStatuses(at)}
         and a.refund_id is not null
      union all
      -- One that ended too: its operator contradicts that, and is asked what became of it.
      select 1 from attempts a where a.gateway_id = ${gateway_id} and a.due_at is not null
      union all
      select 1
        from payout_reversals r
        join attempts a on a.merchant_id = r.merchant_id and a.id = r.attempt_id
       where r.due_at is not null and a.gateway_id = ${gateway_id}
      limit 1`,
  )
  return rows.length > 0
}
