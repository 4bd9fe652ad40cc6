// The statements about a merchant's settings and branding.

import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import { control } from '../../platform/places/places.ts'
import type { MerchantProfile } from './profile.ts'
import type { LogoType, Settings } from './settings.ts'
import type { TaxDetails } from './tax-details.ts'

/**
 * Of a row `m` at control: LIVE is open to it, or was. Where staff have closed it again, its real
 * money, methods and people stay, and so does what guards them. Approved is not yet open.
 */
export const hasHadLive = (sql: Sql): Fragment => sql`(m.live_enabled or m.live_closed)`

// The cooling-off's parts of a statement about `merchants`.

/** Hours in force at this moment; null: the platform's own. `m` is the merchant's row. */
export const coolingOffOf = (sql: Sql): Fragment => sql`
  (case when m.cooling_off_next_at <= now() then m.cooling_off_next else m.cooling_off_hours end)`

const settingsColumns = (sql: Sql): Fragment => sql`
  id, name, country, status, live_enabled, kyc_status, kyc_note, rate_limit_per_minute,
  fee_charge_mode_locked, allowed_countries, notification_emails,
  ${coolingOffOf(sql)} as cooling_off_hours, m.cooling_off_next,
  case when m.cooling_off_next_at > now() then m.cooling_off_next_at end as cooling_off_next_at,
  m.cooling_off_next_by, ${zoneColumns(sql)}, ${taxOf(sql)} as tax, brand_name, brand_colour,
  brand_logo_key, contact, created_at, updated_at`

/** `m` is the merchant's row. */
const taxOf = (sql: Sql): Fragment => sql`
  json_build_object('legal_name', m.tax_legal_name, 'address', m.tax_address,
    'id_kind', m.tax_id_kind, 'id', m.tax_id, 'rccm', m.tax_rccm, 'vat_ppm', m.tax_vat_ppm)`

/** What an invoice says of its seller now. */
export async function findTaxDetails(sql: Sql, id: string): Promise<TaxDetails | undefined> {
  const [row] = await sql<{ tax: TaxDetails }[]>`
    select ${taxOf(sql)} as tax from merchants m where m.id = ${id}`
  return row?.tax
}

/** The zone of today, and the one to come. */
const zoneColumns = (sql: Sql): Fragment => sql`
  (select z.zone from time_zones_of(m.id) z where z.from_at <= now() and now() < z.until_at)
    as time_zone,
  (select z.zone from time_zones_of(m.id) z where z.from_at > now()) as time_zone_next,
  (select z.from_at from time_zones_of(m.id) z where z.from_at > now()) as time_zone_next_at`

export async function findSettings(sql: Sql, id: string): Promise<Settings | undefined> {
  const [row] = await sql<Settings[]>`
    select ${settingsColumns(sql)} from merchants m where id = ${id} and not is_house`
  return row
}

export async function lockSettings(tx: Tx, id: string): Promise<Settings | undefined> {
  const [row] = await tx<Settings[]>`
    select ${settingsColumns(tx)} from merchants m
     where id = ${id} and not is_house
       for no key update`
  return row
}

export type Changeable = Pick<
  Settings,
  | 'name'
  | 'fee_charge_mode_locked'
  | 'allowed_countries'
  | 'notification_emails'
  | 'cooling_off_hours'
  | 'tax'
  | 'contact'
  | 'brand_name'
  | 'brand_colour'
>

/** Writes all but the cooling-off: under `lockSettings`, with what was not changed as it was. */
export async function updateSettings(tx: Tx, id: string, next: Changeable): Promise<void> {
  const countries = next.allowed_countries === null ? null : [...next.allowed_countries]
  const { tax } = next
  await tx`
    update merchants
       set name = ${next.name}, fee_charge_mode_locked = ${next.fee_charge_mode_locked},
           allowed_countries = ${countries}::text[],
           notification_emails = ${[...next.notification_emails]}::text[],
           brand_name = ${next.brand_name}, brand_colour = ${next.brand_colour},
           tax_legal_name = ${tax.legal_name}, tax_address = ${tax.address},
           tax_id_kind = ${tax.id_kind}, tax_id = ${tax.id}, tax_rccm = ${tax.rccm},
           tax_vat_ppm = ${tax.vat_ppm},
           contact = ${JSON.stringify(next.contact)}::text::jsonb, updated_at = now()
     where id = ${id}`
}

/** Two empty texts: there is none any more. */
export async function updateLogo(
  tx: Tx,
  id: string,
  logo: { key: string; content_type: LogoType | '' },
): Promise<void> {
  await tx`
    update merchants
       set brand_logo_key = ${logo.key}, brand_logo_type = ${logo.content_type}, updated_at = now()
     where id = ${id}`
}

export type LogoFound = Readonly<{ key: string; content_type: LogoType }>

export async function findLogo(sql: Sql, id: string): Promise<LogoFound | undefined> {
  const [row] = await sql<LogoFound[]>`
    select brand_logo_key as key, brand_logo_type as content_type from merchants
     where id = ${id} and brand_logo_key <> ''`
  return row
}

const isAsReviewed = (sql: Sql): Fragment => sql`
  name = reviewed_name and brand_name = reviewed_brand_name
  and brand_logo_key in ('', reviewed_logo_key)
  and contact <@ coalesce(reviewed_contact, '{}')`

/** Of a row of `merchants`: the contact as it was reviewed, without what was taken away since. */
export const restoredContact = (sql: Sql): Fragment => sql`
  (select coalesce(jsonb_object_agg(c.key, c.value), '{}')
     from jsonb_each(coalesce(reviewed_contact, '{}')) c where contact ? c.key)`

/**
 * True when a change begins to wait for staff just now. Each further change waits anew. Of one that
 * was rejected nothing waits: the next approval looks at all of it.
 */
export async function updateReviewSince(tx: Tx, id: string): Promise<boolean> {
  const [was] = await tx<{ waited: boolean }[]>`
    select name_review_since is not null as waited from merchants where id = ${id}`
  const [row] = await tx<{ waits: boolean }[]>`
    update merchants
       set name_review_since = case when ${isAsReviewed(tx)} then null else now() end
     where id = ${id} and reviewed_name is not null and approved_at is not null
    returning name_review_since is not null as waits`
  return row?.waits === true && was?.waited === false
}

/** Candidates, nothing is locked. */
export async function listUnreviewed(sql: Sql, days: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from merchants
     where name_review_since <= now() - ${days} * interval '1 day'
     limit 100`
  return rows.map(({ id }) => id)
}

/**
 * Restores what was reviewed; a logo or a contact that was not goes, and what of a contact was
 * taken away stays away. Only what has waited for so long.
 */
export async function restoreReviewed(
  tx: Tx,
  id: string,
  { unseen_days }: Readonly<{ unseen_days: number }>,
): Promise<boolean> {
  const rows = await tx`
    update merchants
       set name = reviewed_name, brand_name = reviewed_brand_name,
           brand_logo_key = case when brand_logo_key = reviewed_logo_key
                                 then brand_logo_key else '' end,
           contact = ${restoredContact(tx)},
           name_review_since = null, updated_at = now()
     where id = ${id} and name_review_since <= now() - ${unseen_days} * interval '1 day'`
  return rows.count === 1
}

// What of a merchant a payer's page needs to know, in one read.

type ProfileRow = Omit<MerchantProfile, 'time_zones'> & {
  time_zones: { from_at: string; zone: string }[]
}

export async function findProfile(sql: Sql, id: string): Promise<MerchantProfile | undefined> {
  const [row] = await sql<ProfileRow[]>`
    select id, name, country, brand_name, brand_colour, brand_logo_key, reviewed_name,
           reviewed_brand_name, reviewed_logo_key, contact, reviewed_contact,
           fee_charge_mode_locked,
           allowed_countries, sandbox_dialects, status = 'SUSPENDED' as is_suspended, live_enabled,
           (select json_agg(json_build_object('from_at', z.from_at, 'zone', z.zone)
                            order by z.from_at, z.from_day)
              from time_zones_of(merchants.id) z) as time_zones,
           (select version from catalogue_version) as catalogue_version
      from merchants
     where id = ${id} and not is_house`
  if (row === undefined) return undefined
  const time_zones = row.time_zones.map(({ from_at, zone }) => ({
    from_at: new Date(from_at),
    zone,
  }))
  return { ...row, time_zones }
}

// The statements about a merchant's cooling-off time and its pending change.

export type NextCoolingOff = Readonly<{
  /** Null: the platform's own. */
  hours: number | null
  at: Date
  by: string | null
  wait_h: number
}>

export type CoolingOff = Readonly<{
  has_had_live: boolean
  /** In force; null: the platform's own. */
  cooling_off_hours: number | null
  next: NextCoolingOff | null
}>

type Row = Readonly<{
  has_had_live: boolean
  cooling_off_hours: number | null
  cooling_off_next: number | null
  cooling_off_next_at: Date | null
  cooling_off_next_by: string | null
  cooling_off_wait_h: number | null
}>

const columns = (sql: Sql): Fragment => sql`
  ${hasHadLive(sql)} as has_had_live, ${coolingOffOf(sql)} as cooling_off_hours, m.cooling_off_next,
  case when m.cooling_off_next_at > now() then m.cooling_off_next_at end as cooling_off_next_at,
  m.cooling_off_next_by, m.cooling_off_wait_h`

function coolingOff(row: Row): CoolingOff {
  const { has_had_live, cooling_off_hours, cooling_off_next_at: at } = row
  const next = {
    hours: row.cooling_off_next,
    by: row.cooling_off_next_by,
    wait_h: row.cooling_off_wait_h ?? 0,
  }
  return { has_had_live, cooling_off_hours, next: at === null ? null : { ...next, at } }
}

export async function findCoolingOff(sql: Sql, merchant_id: string): Promise<CoolingOff> {
  const [row] = await control(sql)<Row[]>`
    select ${columns(sql)} from merchants m where m.id = ${merchant_id}`
  assert(row !== undefined, 'a cooling-off without a merchant')
  return coolingOff(row)
}

export async function lockCoolingOff(tx: Tx, merchant_id: string): Promise<CoolingOff> {
  const [row] = await tx<Row[]>`
    select ${columns(tx)} from merchants m where m.id = ${merchant_id} for no key update`
  assert(row !== undefined, 'a cooling-off without a merchant')
  return coolingOff(row)
}

/** At once; what was to come is no more. */
export async function updateCoolingOff(
  tx: Tx,
  merchant_id: string,
  hours: number | null,
): Promise<void> {
  await tx`
    update merchants
       set cooling_off_hours = ${hours}, cooling_off_next = null, cooling_off_next_at = null,
           cooling_off_next_by = null, cooling_off_wait_h = null, updated_at = now()
     where id = ${merchant_id}`
}

/**
 * So many hours from now by the clock, and later than what `column` has where that is the same
 * moment: of two changes of which one replaces the other each has its own. Under the row's lock.
 */
export const momentToCome = (sql: Sql, column: string, wait_h: number): Fragment => sql`
  greatest(clock_timestamp() + ${wait_h}::int * interval '1 hour',
    case when ${sql(column)} < clock_timestamp() + ${wait_h}::int * interval '1 hour'
                               + interval '1 second'
         then ${sql(column)} + interval '1 millisecond' end)`

/** To come after `wait_h` hours, at a moment of its own; `hours` is in force until then. */
export async function updateNextCoolingOff(
  tx: Tx,
  merchant_id: string,
  hours: number | null,
  next: Omit<NextCoolingOff, 'at'>,
): Promise<void> {
  await tx`
    update merchants
       set cooling_off_hours = ${hours}, cooling_off_next = ${next.hours},
           cooling_off_next_by = ${next.by}, cooling_off_wait_h = ${next.wait_h},
           cooling_off_next_at = ${momentToCome(tx, 'cooling_off_next_at', next.wait_h)},
           updated_at = now()
     where id = ${merchant_id}`
}

/** The merchants whose change is due. */
export async function listDueMerchants(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from merchants
     where cooling_off_next_at <= now()
     order by cooling_off_next_at
     limit ${limit}`
  return rows.map(({ id }) => id)
}

/** The hours that a due change brings; undefined when it is done already. */
export async function lockDueCoolingOff(
  tx: Tx,
  merchant_id: string,
): Promise<Readonly<{ before: number | null; after: number | null }> | undefined> {
  const [row] = await tx<{ before: number | null; after: number | null }[]>`
    select cooling_off_hours as before, cooling_off_next as after from merchants
     where id = ${merchant_id} and cooling_off_next_at <= now()
       for no key update`
  return row
}
