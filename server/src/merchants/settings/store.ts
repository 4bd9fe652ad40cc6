// The statements about a merchant's settings and branding.

import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import { coolingOffOf } from '../cooling-off/statements.ts'
import type { LogoType, Settings } from './settings.ts'

const settingsColumns = (sql: Sql): Fragment => sql`
  id, name, country, status, live_enabled, kyc_status, kyc_note, rate_limit_per_minute,
  fee_charge_mode_locked, allowed_countries, notification_emails,
  ${coolingOffOf(sql)} as cooling_off_hours, m.cooling_off_next,
  case when m.cooling_off_next_at > now() then m.cooling_off_next_at end as cooling_off_next_at,
  m.cooling_off_next_by, brand_name, brand_colour, brand_logo_key, created_at, updated_at`

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
  | 'brand_name'
  | 'brand_colour'
>

/** Writes all but the cooling-off: under `lockSettings`, with what was not changed as it was. */
export async function updateSettings(tx: Tx, id: string, next: Changeable): Promise<void> {
  const countries = next.allowed_countries === null ? null : [...next.allowed_countries]
  await tx`
    update merchants
       set name = ${next.name}, fee_charge_mode_locked = ${next.fee_charge_mode_locked},
           allowed_countries = ${countries}::text[],
           notification_emails = ${[...next.notification_emails]}::text[],
           brand_name = ${next.brand_name}, brand_colour = ${next.brand_colour},
           updated_at = now()
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
  and brand_logo_key in ('', reviewed_logo_key)`

/** True when a change begins to wait for staff just now. Each further change waits anew. */
export async function updateReviewSince(tx: Tx, id: string): Promise<boolean> {
  const [was] = await tx<{ waited: boolean }[]>`
    select name_review_since is not null as waited from merchants where id = ${id}`
  const [row] = await tx<{ waits: boolean }[]>`
    update merchants
       set name_review_since = case when ${isAsReviewed(tx)} then null else now() end
     where id = ${id} and reviewed_name is not null
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
 * Restores what was reviewed; a logo that was not goes. Only what has waited for so long, if given.
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
           name_review_since = null, updated_at = now()
     where id = ${id} and name_review_since <= now() - ${unseen_days} * interval '1 day'`
  return rows.count === 1
}
