// What leaves a country's balance in a day under a limit, as parts of the statement that holds it
// or gives it back. The limit is the table's own check, so nobody passes it by being quick.

import { brokenConstraint, type Fragment, type Sql } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { records } from '../../platform/sql.ts'

export type DayLimit = Readonly<{
  merchant_id: string
  environment: Environment
  country: string
  /** The nil id: over all keys and sessions. */
  api_key_id: string
  /** Hundredths a day (UTC). */
  cap: bigint
}>

/** Did a statement fail because a day's limit would have been passed? It wrote nothing then. */
export const isDayFull = (error: unknown): boolean =>
  brokenConstraint(error) === 'outflow_days_within_cap'

/** `outflow_counted as (…)`: adds the amount to each limit's day, when `gate` has a row. */
export function countOutflow(
  sql: Sql,
  { limits, amount }: { limits: readonly DayLimit[]; amount: bigint },
  gate: string,
): Fragment {
  const rows = limits.toSorted((a, b) => (a.api_key_id < b.api_key_id ? -1 : 1))
  return sql`outflow_counted as (
    insert into outflow_days as d
      (merchant_id, environment, country, api_key_id, day, used, cap)
    select r.merchant_id, r.environment, r.country, r.api_key_id,
           (now() at time zone 'UTC')::date, ${amount}, r.cap
      from ${records(
        sql,
        rows,
        sql`
        merchant_id uuid, environment text, country text, api_key_id uuid, cap bigint`,
      )} as r
     where exists (select 1 from ${sql(gate)})
    on conflict (merchant_id, environment, country, api_key_id, day) do update
       set used = d.used + excluded.used, cap = excluded.cap)`
}

export type Returned = Readonly<{
  merchant_id: string
  environment: Environment
  country: string
  amount: bigint
}>

/**
 * `outflow_returned as (…)`: what did not leave after all is taken off the day it was counted on,
 * for the transaction `transaction_id`, when `gate` has a row. A day without limits has no row.
 */
export function returnOutflow(
  sql: Sql,
  { merchant_id, environment, country, amount }: Returned,
  { transaction_id, gate }: { transaction_id: string; gate: string },
): Fragment {
  return sql`outflow_returned as (
    update outflow_days d
       set used = greatest(0, d.used - ${amount}), cap = greatest(d.cap, d.used)
      from transactions t
     where t.merchant_id = ${merchant_id} and t.id = ${transaction_id}
       and d.merchant_id = ${merchant_id} and d.environment = ${environment}
       and d.country = ${country}
       and d.day = (t.created_at at time zone 'UTC')::date
       and d.api_key_id in ('00000000-0000-0000-0000-000000000000', t.api_key_id)
       and exists (select 1 from ${sql(gate)}))`
}
