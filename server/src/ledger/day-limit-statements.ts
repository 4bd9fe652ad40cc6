// Counts what leaves a country's balance in a day under a limit, as parts of the statement that
// holds it or gives it back. The limit is a check of the table, so no race can pass it.

import { brokenConstraint, type Db, type Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { eachGroup, homeOf } from '../platform/places/places.ts'
import { type Gate, jsonRows, type OptionalGate, type Part, part } from '../platform/sql.ts'

export type DayLimit = Readonly<{
  merchant_id: string
  environment: Environment
  country: string
  /** The nil id: over all keys and sessions. */
  api_key_id: string
  /** Hundredths a day (UTC). */
  cap: bigint
}>

/**
 * Whether a statement failed because a day's limit would have been passed. It then wrote nothing.
 */
export const isDayFull = (error: unknown): boolean =>
  brokenConstraint(error) === 'outflow_days_within_cap'

/** What is counted: a payout's whole cost, under its own id. */
export type Counted = Readonly<{
  limits: readonly DayLimit[]
  amount: bigint
  cause_id: string
}>

/**
 * `outflow_counted, outflow_noted as (…)`: adds the amount to each limit's day, and notes where,
 * when `when` has a row.
 */
export function countOutflow(
  sql: Sql,
  { limits, amount, cause_id }: Counted,
  { when }: Gate,
): Part<never> {
  const rows = limits.toSorted((a, b) => (a.api_key_id < b.api_key_id ? -1 : 1))
  const days = jsonRows(
    sql,
    rows,
    sql`merchant_id uuid, environment text, country text, api_key_id uuid, cap bigint`,
  )
  return part(
    'outflow_counted',
    sql`outflow_counted as (
      insert into outflow_days as d
        (merchant_id, environment, country, api_key_id, day, used, cap)
      select r.merchant_id, r.environment, r.country, r.api_key_id,
             (now() at time zone 'UTC')::date, ${amount}, r.cap
        from ${days} as r
       where exists (select 1 from ${sql(when.name)})
      on conflict (merchant_id, environment, country, api_key_id, day) do update
         set used = d.used + excluded.used, cap = excluded.cap
      returning d.merchant_id, d.environment, d.country, d.api_key_id, d.day)`,
    sql`outflow_noted as (
      insert into outflow_counts (merchant_id, environment, cause_id, country, api_key_id, day,
        amount)
      select merchant_id, environment, ${cause_id}, country, api_key_id, day, ${amount}
        from outflow_counted)`,
  )
}

/**
 * `outflow_uncounted, outflow_returned as (…)`: an amount that did not leave after all is taken off
 * the days on which it was counted, once, when `when` has a row. One that was never counted gives
 * nothing back.
 */
export function returnOutflow(
  sql: Sql,
  { merchant_id, cause_id }: Readonly<{ merchant_id: string; cause_id: string }>,
  { when }: OptionalGate = {},
): Part<never> {
  return part(
    'outflow_uncounted',
    sql`outflow_uncounted as (
      delete from outflow_counts
       where merchant_id = ${merchant_id} and cause_id = ${cause_id}
         ${when === undefined ? sql`` : sql`and exists (select 1 from ${sql(when.name)})`}
      returning merchant_id, environment, country, api_key_id, day, amount)`,
    sql`outflow_returned as (
      update outflow_days d
         set used = greatest(0, d.used - u.amount), cap = greatest(d.cap, d.used)
        from outflow_uncounted u
       where d.merchant_id = u.merchant_id and d.environment = u.environment
         and d.country = u.country and d.api_key_id = u.api_key_id and d.day = u.day)`,
  )
}

// The statements about days' limits that are not part of a composed one.

type DayPlace = Pick<DayLimit, 'merchant_id' | 'environment' | 'country'>

/** What has left today (UTC), in hundredths, by the owner of the limit that it counts on. */
export async function listUsedToday(
  sql: Sql,
  { merchant_id, environment, country }: DayPlace,
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await homeOf(sql, merchant_id)<{ api_key_id: string; used: bigint }[]>`
    select api_key_id, used from outflow_days
     where merchant_id = ${merchant_id} and environment = ${environment}
       and country = ${country} and day = (now() at time zone 'UTC')::date`
  return new Map(rows.map(({ api_key_id, used }) => [api_key_id, used]))
}

/** The same in every country of a merchant, by country and owner. */
export async function listUsedTodayOf(
  sql: Sql,
  { merchant_id, environment }: Omit<DayPlace, 'country'>,
): Promise<readonly Readonly<{ country: string; api_key_id: string; used: bigint }>[]> {
  return homeOf(sql, merchant_id)<{ country: string; api_key_id: string; used: bigint }[]>`
    select country, api_key_id, used from outflow_days
     where merchant_id = ${merchant_id} and environment = ${environment}
       and day = (now() at time zone 'UTC')::date`
}

const kept_days = 7

/** A day that is long over has nothing to give back. */
async function deleteOldCounts(sql: Sql): Promise<void> {
  await eachGroup(
    sql,
    (at) => at<never[]>`
    delete from outflow_counts
     where day < (now() at time zone 'UTC')::date - ${kept_days}::int`,
  )
}

// Deletes the counts of days that are long over.

export const dropOldCounts = (db: Db): Promise<void> => deleteOldCounts(db)
