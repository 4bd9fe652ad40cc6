// What the overview reads: two days' beginnings, what ended in a span, what is pending now.

import { isContradiction } from '../../incidents/store.ts'
import type { Fragment, Sql } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { homeOf } from '../../platform/places/places.ts'
import { isUnsent } from '../../transactions/mark-statements.ts'
import { triggers } from '../../transactions/schema.ts'

type Owner = Readonly<{ merchant_id: string; environment: Environment }>

export type TwoDays = Readonly<{
  /** The database's time. */
  now: Date
  /** The merchant's day now: `2026-11-21`. */
  today: string
  compared: string
  from: Date
  /** The same weekday a week before. */
  compared_from: Date
  time_zone: string
  /** The merchant's own country; null where none is known. */
  home: string | null
}>

/** The merchant's today and the same weekday a week before, by the clocks of each. */
export async function findTwoDays(sql: Sql, merchant_id: string): Promise<TwoDays | undefined> {
  const [row] = await sql<TwoDays[]>`
    select now()::timestamptz(3) as now, d.home, to_char(d.day, 'YYYY-MM-DD') as today,
           to_char(d.day - 7, 'YYYY-MM-DD') as compared,
           start_of_merchants_day(d.id, d.day) as from,
           start_of_merchants_day(d.id, d.day - 7) as compared_from,
           (select z.zone from time_zones_of(d.id) z
             where z.from_day <= d.day and d.day < z.until_day) as time_zone
      from (select m.id, m.country as home, merchants_day_of(m.id, now()) as day
              from merchants m where m.id = ${merchant_id}) as d`
  return row
}

/** Payments, payouts and top-ups that ended alike, by what the attempt that ended them was. */
export type EndedLine = Readonly<{
  country: string
  network: string
  type: 'PAIEMENT' | 'RETRAIT' | 'RECHARGE'
  currency: string
  status: 'SUCCESS' | 'FAILED'
  /** Empty for a success. */
  failure_code: string
  count: number
  /** Hundredths of what succeeded, as are the others. */
  requested: bigint
  fees: bigint
  net: bigint
}>

/** What a day at a glance is of, and what its day is counted by. */
const usualTypes = ['PAIEMENT', 'RETRAIT'] as const

const ofSuccess = (sql: Sql, column: string): Fragment =>
  sql`coalesce(sum(t.${sql(column)}) filter (where e.to_status = 'SUCCESS'), 0)::bigint`

/**
 * By hours from the span's beginning on. The range of the index that this reads is as long as the
 * span, whatever the merchant's history. Network and failure are those of the attempt: a payment
 * that is asked for again elsewhere changes its own. A success is final, and its figures with it.
 */
export const listEnded = (
  sql: Sql,
  { merchant_id, environment }: Owner,
  { from, to }: Readonly<{ from: Date; to: Date }>,
  types: readonly EndedLine['type'][] = usualTypes,
): Promise<(EndedLine & { hour: number })[]> => homeOf(sql, merchant_id)<
  (EndedLine & { hour: number })[]
>`
  with ended as materialized (
    select l.transaction_id, l.attempt_id, l.to_status,
           floor(extract(epoch from l.created_at - ${from}::timestamptz) / 3600)::int as hour
      from transaction_status_logs l
     where l.merchant_id = ${merchant_id} and l.environment = ${environment}
       and l.to_status in ('SUCCESS', 'FAILED')
       -- Any of them: so that the span is a range of the index for each.
       and l.triggered_by = any(${[...triggers]}::text[])
       and l.created_at >= ${from} and l.created_at < ${to}
  )
  select e.hour, t.country_code as country, coalesce(a.network_code, t.network_code, '') as network,
         t.transaction_type as type, t.currency, e.to_status as status,
         case e.to_status when 'FAILED' then coalesce(a.failure_code, t.failure_code) else '' end
           as failure_code,
         count(*)::int as count, ${ofSuccess(sql, 'requested_amount')} as requested,
         ${ofSuccess(sql, 'client_fee')} as fees, ${ofSuccess(sql, 'net_amount')} as net
    from ended e
    join transactions t on t.merchant_id = ${merchant_id} and t.id = e.transaction_id
    left join attempts a on a.merchant_id = ${merchant_id} and a.id = e.attempt_id
   where t.transaction_type = any(${[...types]}::text[])
   group by 1, 2, 3, 4, 5, 6, 7`

const openKinds = ['APPROVAL', 'WAITS', 'UNKNOWN', 'PENDING'] as const

export type PendingLine = Readonly<{
  country: string
  network: string
  currency: string
  type: 'PAIEMENT' | 'RETRAIT' | 'RECHARGE'
  /**
   * What it waits for: a person, a float, a route or its operator's queue, an operator that does
   * not say, or its end.
   */
  kind: (typeof openKinds)[number]
  count: number
  amount: bigint
  oldest_at: Date
}>

/** So long an operator may take to say; older ones are shown as open. Minutes. */
const unknown_after_min = 15

/** All that is pending: few, by their status. */
export const listPending = (
  sql: Sql,
  { merchant_id, environment }: Owner,
): Promise<PendingLine[]> => homeOf(sql, merchant_id)<PendingLine[]>`
  select t.country_code as country, coalesce(t.network_code, '') as network, t.currency,
         t.transaction_type as type,
         case when p.status = 'REQUIRED' then 'APPROVAL'
              when t.transaction_type = 'RETRAIT' and ${isUnsent(sql)} then 'WAITS'
              when a.status = 'UNKNOWN' then 'UNKNOWN' else 'PENDING' end as kind,
         count(*)::int as count, sum(t.requested_amount)::bigint as amount,
         min(t.created_at) as oldest_at
    from transactions t
    left join payout_approvals p on p.merchant_id = t.merchant_id and p.transaction_id = t.id
    left join attempts a
      on a.merchant_id = t.merchant_id and a.transaction_id = t.id and a.status = 'UNKNOWN'
     and t.created_at < now() - ${unknown_after_min} * interval '1 minute'
   where t.merchant_id = ${merchant_id} and t.environment = ${environment}
     and t.status = 'PENDING'
   group by 1, 2, 3, 4, 5`

export type OpenThings = Readonly<{
  refunds: number
  refunds_since: Date | null
  webhooks_off: number
  webhooks_since: Date | null
  webhooks_failing: number
  failing_since: Date | null
  /** Payments and payouts that an open incident contradicts, each once. */
  payments_contradicted: number
  payments_since: Date | null
  payouts_contradicted: number
  payouts_since: Date | null
}>

const nothing_open: OpenThings = {
  ...{ refunds: 0, refunds_since: null, webhooks_off: 0, webhooks_since: null },
  ...{ webhooks_failing: 0, failing_since: null },
  ...{ payments_contradicted: 0, payments_since: null },
  ...{ payouts_contradicted: 0, payouts_since: null },
}

/**
 * What else waits for the merchant: refunds for a second member, endpoints that fail or were cut
 * off, and what is contradicted. As much is read as is open, however long the past is.
 */
export async function findOpenThings(
  sql: Sql,
  { merchant_id, environment }: Owner,
  country: string | undefined,
): Promise<OpenThings> {
  const [row] = await homeOf(sql, merchant_id)<OpenThings[]>`
    select r.count as refunds, r.since as refunds_since,
           h.off as webhooks_off, h.off_since as webhooks_since,
           h.failing as webhooks_failing, h.failing_since,
           i.payments as payments_contradicted, i.payments_since,
           i.payouts as payouts_contradicted, i.payouts_since
      from (select count(*)::int as count, min(created_at) as since from refunds
             where merchant_id = ${merchant_id} and environment = ${environment}
               and waiting_for = 'SECOND_MEMBER') as r,
           (select count(*) filter (where switched_off_reason <> '')::int as off,
                   min(updated_at) filter (where switched_off_reason <> '') as off_since,
                   count(*) filter (where is_active and failing_since is not null)::int as failing,
                   min(failing_since) filter (where is_active) as failing_since
              from webhooks
             where merchant_id = ${merchant_id} and environment = ${environment}
               and deleted_at is null) as h,
           (${contradicted(sql, { merchant_id, environment }, country)}) as i`
  return row ?? nothing_open
}

/** Several incidents may be about one payment. */
function contradicted(
  sql: Sql,
  { merchant_id, environment }: Owner,
  country: string | undefined,
): Fragment {
  const isIn = sql`filter (where o.flow_direction = 'INBOUND')`
  const isOut = sql`filter (where o.transaction_type = 'RETRAIT')`
  return sql`
    select count(*) ${isIn}::int as payments, min(o.since) ${isIn} as payments_since,
           count(*) ${isOut}::int as payouts, min(o.since) ${isOut} as payouts_since
      from (select t.flow_direction, t.transaction_type, min(i.created_at) as since
              from incidents i
              join transactions t on t.merchant_id = ${merchant_id} and t.id = i.transaction_id
             where i.merchant_id = ${merchant_id} and i.environment = ${environment}
               and i.status = 'OPEN' and i.transaction_id is not null and ${isContradiction(sql)}
               ${country === undefined ? sql`` : sql`and t.country_code = ${country}`}
             group by t.id, t.flow_direction, t.transaction_type) as o`
}
