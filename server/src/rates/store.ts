// The statements about exchange rates: append-only, the latest effective row of a pair counts.

import type { Sql, Tx } from '../platform/db.ts'
import type { SortBy } from '../platform/http/filters.ts'
import { jsonRows } from '../platform/sql.ts'
import type { RateRow } from './convert.ts'

export type StoredRate = RateRow & Readonly<{ id: string; effective_at: Date }>

/** A rate that counts now (`in_ms` 0), or from so many milliseconds on. */
export type RateAhead = StoredRate & Readonly<{ in_ms: number }>

/** The rate of each pair that counts now, then those to come, the nearest first. */
export async function listRatesAhead(sql: Sql): Promise<RateAhead[]> {
  return sql<RateAhead[]>`
    (select distinct on (from_currency, to_currency)
            id, from_currency, to_currency, trim_scale(rate)::text as rate, effective_at,
            0::float8 as in_ms
       from exchange_rates
      where effective_at <= now()
      order by from_currency, to_currency, effective_at desc)
    union all
    (select id, from_currency, to_currency, trim_scale(rate)::text, effective_at,
            ceil(extract(epoch from effective_at - now()) * 1000)::float8
       from exchange_rates
      where effective_at > now()
      order by effective_at, from_currency, to_currency)`
}

export type NewRate = StoredRate & Readonly<{ source: string }>

/** Writes the rates whose pair and moment are missing; returns how many. */
export async function insertRates(sql: Sql, rates: readonly NewRate[]): Promise<number> {
  const made = await sql`
    insert into exchange_rates (id, from_currency, to_currency, rate, source, effective_at)
    select r.id, r.from_currency, r.to_currency, r.rate, r.source, r.effective_at
      from ${jsonRows(
        sql,
        rates,
        sql`
        id uuid, from_currency text, to_currency text, rate numeric, source text,
        effective_at timestamptz`,
      )} as r
    on conflict (from_currency, to_currency, effective_at) do nothing
    returning id`
  return made.count
}

// Statements about exchange rates as staff see and add them. Rows are added, never changed.

export const rateStates = ['UPCOMING', 'CURRENT', 'PAST'] as const

/** A rate with what became of it, by the database's clock. */
export type HistoricRate = StoredRate &
  Readonly<{ status: (typeof rateStates)[number]; source: string; created_at: Date }>

export type RatesQuery = Readonly<{
  base: string | undefined
  quote: string | undefined
  order: SortBy<'effective_at' | 'created_at'>
  limit: number
  offset: number
}>

/** A page of the history, and how many rows it has. */
export async function listHistory(
  sql: Sql,
  query: RatesQuery,
): Promise<{ count: number; rows: HistoricRate[] }> {
  const { base, quote, order } = query
  const of = sql`
    ${base === undefined ? sql`true` : sql`r.from_currency = ${base}`}
    ${quote === undefined ? sql`` : sql`and r.to_currency = ${quote}`}`
  const direction = order.descending ? sql`desc` : sql`asc`
  const [counted] = await sql<{ count: number }[]>`
    select count(*)::int as count from exchange_rates r where ${of}`
  const rows = await sql<HistoricRate[]>`
    select r.id, r.from_currency, r.to_currency, trim_scale(r.rate)::text as rate, r.effective_at,
           r.source, r.created_at,
           case when r.effective_at > now() then 'UPCOMING'
                when exists (
                  select 1 from exchange_rates later
                   where later.from_currency = r.from_currency
                     and later.to_currency = r.to_currency
                     and later.effective_at > r.effective_at
                     and later.effective_at <= now()) then 'PAST'
                else 'CURRENT' end as status
      from exchange_rates r
     where ${of}
     order by ${sql(order.field)} ${direction}, r.id ${direction}
     limit ${query.limit} offset ${query.offset}`
  return { count: counted?.count ?? 0, rows }
}

/** Judged by the database's clock. */
export async function isPast(sql: Sql, moment: string): Promise<boolean> {
  const [row] = await sql<{ is_past: boolean }[]>`
    select ${moment}::text::timestamptz < now() as is_past`
  return row?.is_past ?? false
}

export async function hasRate(sql: Sql, from: string, to: string): Promise<boolean> {
  const rows = await sql`
    select 1 from exchange_rates where from_currency = ${from} and to_currency = ${to} limit 1`
  return rows.count > 0
}

/**
 * True where the rate is further than the step from one that is in force within the 24 hours before
 * its moment or after it, or from the next one, or where the pair has none yet: small steps add up
 * to a far one, and it lasts until the next.
 */
export async function movesFar(
  sql: Sql,
  moved: Readonly<{
    base: string
    quote: string
    rate: string
    effective_at: string | undefined
    step_ppm: bigint
  }>,
): Promise<boolean> {
  const at = moved.effective_at
  const moment = at === undefined ? sql`now()` : sql`${at}::text::timestamptz`
  const [row] = await sql<{ is_far: boolean | null }[]>`
    with pair as (
      select rate, effective_at from exchange_rates
       where from_currency = ${moved.base} and to_currency = ${moved.quote}
         and effective_at <= ${moment}
    ), later as (
      select rate, effective_at from exchange_rates
       where from_currency = ${moved.base} and to_currency = ${moved.quote}
         and effective_at > ${moment}
    ), near as (
      select rate from pair where effective_at > ${moment} - interval '24 hours'
      union all
      (select rate from pair where effective_at <= ${moment} - interval '24 hours'
        order by effective_at desc limit 1)
      union all
      select rate from later where effective_at < ${moment} + interval '24 hours'
      union all
      (select rate from later order by effective_at limit 1)
    )
    select max(greatest(rate / ${moved.rate}::text::numeric, ${moved.rate}::text::numeric / rate))
             > 1 + ${moved.step_ppm}::numeric / 1000000 as is_far
      from near`
  return row?.is_far ?? true
}

export type AddedRate = Readonly<{
  id: string
  from_currency: string
  to_currency: string
  rate: string
  source: string
  /** Undefined: from now on. */
  effective_at: string | undefined
}>

/** Undefined when the pair has a rate of that very moment. */
export async function insertRate(tx: Tx, rate: AddedRate): Promise<HistoricRate | undefined> {
  const from = rate.effective_at
  const [row] = await tx<HistoricRate[]>`
    insert into exchange_rates as r (id, from_currency, to_currency, rate, source, effective_at)
    values (${rate.id}, ${rate.from_currency}, ${rate.to_currency}, ${rate.rate}, ${rate.source},
      ${from === undefined ? tx`clock_timestamp()` : tx`${from}::text::timestamptz`})
    on conflict (from_currency, to_currency, effective_at) do nothing
    returning r.id, r.from_currency, r.to_currency, trim_scale(r.rate)::text as rate,
      r.effective_at, r.source, r.created_at,
      ${from === undefined ? tx`'CURRENT'` : tx`'UPCOMING'`} as status`
  return row
}
