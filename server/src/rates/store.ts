// The statements about exchange rates: append-only, the latest effective row of a pair counts.

import type { Sql } from '../platform/db.ts'
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
