// The statements about a merchant's time zones and days. What a day is, the database decides
// (migration 0078), so that reports, files and the answer to "which day is it" never differ.

import type { Sql, Tx } from '../../platform/db.ts'
import type { ZoneFrom } from '../../platform/export/columns.ts'
import { control } from '../../platform/places/places.ts'

/** A stretch of days of a merchant, from its first to that of the next stretch. */
export type MerchantDays = Readonly<{
  /** The database's time, to milliseconds. */
  now: Date
  /** The merchant's day now: `2026-11-21`. */
  today: string
  /** When the first of the days begins. */
  from: Date
  /** When the last of them ends. */
  to: Date
  /** The zone of the last of them, by its IANA name. */
  time_zone: string
}>

/** Of two days in the calendar's order; one that is to come ends when the zone of now says so. */
export async function findDays(
  sql: Sql,
  merchant_id: string,
  { first, last }: Readonly<{ first: string; last: string }>,
): Promise<MerchantDays | undefined> {
  const [row] = await sql<MerchantDays[]>`
    select now() as now, to_char(merchants_day_of(m.id, now()), 'YYYY-MM-DD') as today,
           start_of_merchants_day(m.id, ${first}::date) as from,
           start_of_merchants_day(m.id, ${last}::date + 1) as to,
           (select z.zone from time_zones_of(m.id) z
             where z.from_day <= ${last}::date and ${last}::date < z.until_day) as time_zone
      from merchants m
     where m.id = ${merchant_id}`
  return row
}

/** All that a merchant has had until now, in their order: one at least. */
export const listZones = (sql: Sql, merchant_id: string): Promise<ZoneFrom[]> => control(sql)<
  ZoneFrom[]
>`
  select z.from_at, z.zone from time_zones_of(${merchant_id}) z
   where z.from_at <= now()
   order by z.from_at, z.from_day`

/** The zone's name as the database writes it; undefined where it knows none. */
export async function findZoneName(sql: Sql, name: string): Promise<string | undefined> {
  const [row] = await sql<{ name: string }[]>`
    select name from pg_timezone_names where lower(name) = lower(${name})`
  return row?.name
}

/**
 * From the merchant's next midnight on; what was to come is no more. Under the merchant's lock. The
 * zone that the country gave is written down before, so that the days that were keep it.
 */
export async function updateZone(tx: Tx, merchant_id: string, zone: string): Promise<void> {
  await tx`
    insert into merchant_time_zones (merchant_id, from_day, from_at, zone)
    select ${merchant_id}, z.from_day, z.from_at, z.zone from time_zones_of(${merchant_id}) z
        on conflict (merchant_id, from_day) do nothing`
  await tx`
    delete from merchant_time_zones where merchant_id = ${merchant_id} and from_at > now()`
  // The zone of today again: then nothing is to come.
  await tx`
    insert into merchant_time_zones (merchant_id, from_day, from_at, zone)
    select ${merchant_id}, t.day + 1, start_of_merchants_day(${merchant_id}, t.day + 1), ${zone}
      from (select merchants_day_of(${merchant_id}, now()) as day) as t
      join time_zones_of(${merchant_id}) z on z.from_day <= t.day and t.day < z.until_day
     where z.zone <> ${zone}`
}
