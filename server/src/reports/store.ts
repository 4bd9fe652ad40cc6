// What the daily report reads. A day of a balance is a stretch of its entries by number (money 3):
// from the last one before the day to the last one in it. Where the stretch begins is found by an
// index, so the cost grows with the day and not with the years before it.

import type { Fragment, Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'
import { jsonRows } from '../platform/sql.ts'
import { triggers } from '../transactions/schema.ts'
import { books_settle_min, type Day } from './day.ts'

type Owner = Readonly<{ merchant_id: string; environment: Environment }>

/** Where a day of one balance begins and ends. */
export type Cut = Readonly<{
  country: string
  currency: string
  /** The number of the last entry before the day; 0: there was none. */
  from_no: bigint
  to_no: bigint
  opening_balance: bigint
  closing_balance: bigint
}>

/** The balances that had moved before the end of the day, by country. */
export const listCuts = (sql: Sql, owner: Owner, { from, to }: Day): Promise<Cut[]> => homeOf(
  sql,
  owner.merchant_id,
)<Cut[]>`
  select b.country, b.currency, coalesce(opening.entry_no, 0) as from_no,
         closing.entry_no as to_no, coalesce(opening.balance_after, 0) as opening_balance,
         closing.balance_after as closing_balance
    from balances b
    left join lateral (${lastBefore(sql, from)}) opening on true
    join lateral (${lastBefore(sql, to)}) closing on true
   where b.merchant_id = ${owner.merchant_id} and b.environment = ${owner.environment}
   order by b.country`

/**
 * The entry of `b` with the highest number before a moment. A number is taken under the balance's
 * lock and the time when the statement began, so the latest entry may have waited for one that
 * began after it: the highest number is among those of the last minutes.
 */
const lastBefore = (sql: Sql, moment: Date): Fragment => {
  const ofBalance = sql`e.merchant_id = b.merchant_id and e.environment = b.environment
     and e.country = b.country and e.entry_no is not null and e.created_at < ${moment}`
  return sql`
    select e.entry_no, e.balance_after from ledger_entries e
     where ${ofBalance}
       and e.created_at >= (select e.created_at from ledger_entries e
                             where ${ofBalance}
                             order by e.created_at desc limit 1) - ${settling(sql)}
     order by e.entry_no desc limit 1`
}

const settling = (sql: Sql): Fragment => sql`${books_settle_min} * interval '1 minute'`

/** What a movement of a balance was for, as a merchant's day names it. */
export const movementKinds = [
  ...(['PAYIN', 'PAYOUT', 'REFUND', 'SETTLEMENT', 'TRANSFER', 'SANDBOX', 'ADJUSTMENT'] as const),
  ...(['FREEZE', 'INCIDENT'] as const),
]

export type Movement = Readonly<{
  country: string
  kind: (typeof movementKinds)[number]
  count: number
  credits: bigint
  debits: bigint
}>

/** What moved `available` in these cuts, by what it was for: their sum is its whole change. */
export const sumMovements = (
  sql: Sql,
  { merchant_id, environment }: Owner,
  { from, to, cuts }: Day & { cuts: readonly Cut[] },
): Promise<Movement[]> => homeOf(sql, merchant_id)<Movement[]>`
  select e.country, ${kindOf(sql)} as kind, count(*)::int as count,
         coalesce(sum(e.available_change) filter (where e.available_change > 0), 0)::bigint
           as credits,
         coalesce(-sum(e.available_change) filter (where e.available_change < 0), 0)::bigint
           as debits
    from ${cutRecords(sql, cuts)} as c
    join ledger_entries e
      on e.merchant_id = ${merchant_id} and e.environment = ${environment}
     and e.country = c.country and e.entry_no > c.from_no and e.entry_no <= c.to_no
     and e.created_at >= ${from}::timestamptz - ${settling(sql)}
     and e.created_at < ${to}::timestamptz + ${settling(sql)}
    left join holds h
      on h.merchant_id = ${merchant_id} and h.id = e.cause_id
     and e.cause_kind in ('HOLD', 'HOLD_END')
   group by 1, 2
   order by 1, 2`

/** In a merchant's words: what a hold takes or gives back is for what the hold was for. */
const kindOf = (sql: Sql): Fragment => sql`
  case e.cause_kind when 'TRANSACTION' then 'PAYIN'
                    when 'HOLD' then h.cause_kind when 'HOLD_END' then h.cause_kind
                    when 'RESOLUTION' then 'INCIDENT' when 'RETURN' then 'PAYOUT'
                    else e.cause_kind end`

const cutRecords = (sql: Sql, cuts: readonly Cut[]): Fragment =>
  jsonRows(sql, cuts, sql`country text, from_no bigint, to_no bigint`)

export type TypeTotal = Readonly<{
  country: string
  /** Empty for a transfer, which crosses none. */
  network: string
  type: string
  currency: string
  count: number
  requested: bigint
  fees: bigint
  net: bigint
}>

/**
 * What succeeded on the day. A payin whose entry is in the day's cut is of this day, so that its
 * net is in the balance that closes it; a success that moves no balance (a payout had its hold
 * before) is of the day on which it succeeded. A transfer is inserted as a success.
 */
export const sumSucceeded = (
  sql: Sql,
  { merchant_id, environment }: Owner,
  { from, to, cuts }: Day & { cuts: readonly Cut[] },
): Promise<TypeTotal[]> => homeOf(sql, merchant_id)<TypeTotal[]>`
  with succeeded as (
    select l.transaction_id as id
      from transaction_status_logs l
      left join ledger_entries e
        on e.merchant_id = ${merchant_id} and e.cause_kind = 'TRANSACTION'
       and e.cause_id = l.transaction_id and e.line = 1 and e.entry_no is not null
      left join ${cutRecords(sql, cuts)} as c on c.country = e.country
     where l.merchant_id = ${merchant_id} and l.environment = ${environment}
       and l.to_status = 'SUCCESS'
       -- Any of them: so that the day is a range of the index for each.
       and l.triggered_by = any(${[...triggers]}::text[])
       and l.created_at >= ${from}::timestamptz - ${settling(sql)}
       and l.created_at < ${to}::timestamptz + ${settling(sql)}
       and case when e.entry_no is null then l.created_at >= ${from} and l.created_at < ${to}
                else e.entry_no > c.from_no and e.entry_no <= c.to_no end
    union all
    select id from transactions
     where merchant_id = ${merchant_id} and environment = ${environment}
       and transaction_type = 'TRANSFERT' and created_at >= ${from} and created_at < ${to}
  )
  select t.country_code as country, coalesce(t.network_code, '') as network,
         t.transaction_type as type, t.currency, count(*)::int as count,
         sum(t.requested_amount)::bigint as requested, sum(t.client_fee)::bigint as fees,
         sum(t.net_amount)::bigint as net
    from succeeded s
    join transactions t on t.merchant_id = ${merchant_id} and t.id = s.id
   group by 1, 2, 3, 4
   order by 1, 2, 3, 4`
