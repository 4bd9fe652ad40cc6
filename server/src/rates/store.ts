// Every statement about exchange rates: append-only, the latest effective row of a pair counts.

import type { Sql } from '../platform/db.ts'
import { records } from '../platform/sql.ts'
import type { RateRow } from './convert.ts'

export type StoredRate = RateRow & Readonly<{ id: string; effective_at: Date }>

/** The rate of each pair that counts now. */
export async function listCurrentRates(sql: Sql): Promise<StoredRate[]> {
  return sql<StoredRate[]>`
    select distinct on (from_currency, to_currency)
           id, from_currency, to_currency, trim_scale(rate)::text as rate, effective_at
      from exchange_rates
     where effective_at <= now()
     order by from_currency, to_currency, effective_at desc`
}

export type NewRate = StoredRate & Readonly<{ source: string }>

/** Writes the rates whose pair and moment are not there yet; how many that were. */
export async function insertRates(sql: Sql, rates: readonly NewRate[]): Promise<number> {
  const made = await sql`
    insert into exchange_rates (id, from_currency, to_currency, rate, source, effective_at)
    select r.id, r.from_currency, r.to_currency, r.rate, r.source, r.effective_at
      from ${records(
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
