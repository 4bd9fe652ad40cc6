// The statements about merchants and who belongs to them that are not part of a composed one. Calls
// are counted in call-count-store.ts.

import type { Fragment, Sql, Tx } from '../platform/db.ts'
import type { Locale } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { control } from '../platform/places/places.ts'
import { jsonRows } from '../platform/sql.ts'
import type { DialectChoices } from './authenticate.ts'
import type { Role } from './roles.ts'
import { hasHadLive } from './settings/store.ts'

export type NewMerchant = Readonly<{
  id: string
  name: string
  country?: string
  rate_limit_per_minute: number
  live_enabled: boolean
}>

export async function insertMerchant(sql: Sql, merchant: NewMerchant): Promise<void> {
  await sql`
    insert into merchants (id, name, country, rate_limit_per_minute, live_enabled)
    values (${merchant.id}, ${merchant.name}, ${merchant.country ?? null},
      ${merchant.rate_limit_per_minute}, ${merchant.live_enabled})`
}

export type MerchantFound = Readonly<{
  id: string
  name: string
  status: 'ACTIVE' | 'SUSPENDED'
  live_enabled: boolean
}>

/** Undefined when there is no such merchant; the platform merchant is not found. */
export async function findMerchant(sql: Sql, id: string): Promise<MerchantFound | undefined> {
  const [row] = await control(sql)<MerchantFound[]>`
    select id, name, status, live_enabled from merchants where id = ${id} and not is_house`
  return row
}

export type KnownMerchant = Readonly<{
  id: string
  name: string
  is_house: boolean
  /** Alpha-2; its clocks are the merchant's. Undefined: none, and UTC. */
  country?: string
}>

/** Writes merchants under ids that are known beforehand, unless they are there; how many. */
export async function insertKnownMerchants(
  sql: Sql,
  merchants: readonly KnownMerchant[],
): Promise<number> {
  const made = await sql`
    insert into merchants (id, name, is_house, country)
    select m.id, m.name, m.is_house, m.country
      from ${jsonRows(
        sql,
        merchants,
        sql`
        id uuid, name text, is_house boolean, country text`,
      )} as m
    on conflict (id) do nothing
    returning id`
  return made.count
}

/**
 * Of a row `m`: staff have suspended it, or LIVE is closed to it, so nothing more is sent for it in
 * this environment (contract 3.5).
 */
export const isStoppedIn = (sql: Sql, environment: Fragment): Fragment =>
  sql`(m.status = 'SUSPENDED' or (not m.live_enabled and ${environment} = 'LIVE'))`

/** What the merchant has chosen for its networks in the sandbox; LIVE has no such thing. */
export async function readDialects(
  sql: Sql,
  { merchant_id, environment }: Readonly<{ merchant_id: string; environment: Environment }>,
): Promise<DialectChoices> {
  if (environment === 'LIVE') return {}
  const [row] = await control(sql)<{ sandbox_dialects: DialectChoices }[]>`
    select sandbox_dialects from merchants where id = ${merchant_id}`
  return row?.sandbox_dialects ?? {}
}

/** Null: the plain sandbox operator again. One by one: two at once lose neither. */
export async function updateDialect(
  tx: Tx,
  merchant_id: string,
  { key, dialect }: Readonly<{ key: string; dialect: string | null }>,
): Promise<void> {
  await control(tx)`
    update merchants
       set sandbox_dialects = case
             when ${dialect}::text is null then sandbox_dialects - ${key}::text
             else sandbox_dialects || jsonb_build_object(${key}::text, ${dialect}::text) end
     where id = ${merchant_id}`
}

export async function lockMerchant(tx: Tx, id: string): Promise<void> {
  await control(tx)`select id from merchants where id = ${id} for update`
}

export async function insertMembership(
  sql: Sql,
  row: { merchant_id: string; person_id: string; role: Role },
): Promise<boolean> {
  const made = await sql`
    insert into memberships (merchant_id, person_id, role)
    values (${row.merchant_id}, ${row.person_id}, ${row.role})
    on conflict (merchant_id, person_id) do nothing
    returning person_id`
  return made.count === 1
}

export type Belonging = Readonly<{
  id: string
  name: string
  role: Role
  status: 'ACTIVE' | 'SUSPENDED'
  /** In the words of staff; empty where it is not suspended, or nobody gave any. */
  suspended_reason: string
  suspended_at: Date | null
  country: string | null
  /** Whose clock shows the merchant's moments: an IANA name. */
  time_zone: string
  live_enabled: boolean
  kyc_status: 'NONE' | 'PENDING' | 'APPROVED' | 'REJECTED'
}>

/** The merchants of a person, the first one first. */
export const listBelongings = (sql: Sql, person_id: string): Promise<Belonging[]> => sql<
  Belonging[]
>`
  select m.id, m.name, b.role, m.status, m.suspended_reason, m.suspended_at, m.country,
         m.live_enabled, m.kyc_status,
         (select z.zone from time_zones_of(m.id) z
           where z.from_at <= now() and now() < z.until_at) as time_zone
    from memberships b
    join merchants m on m.id = b.merchant_id
   where b.person_id = ${person_id}
   order by b.created_at, m.id`

export type Owner = Readonly<{
  person_id: string
  email: string
  first_name: string
  locale: Locale
  merchant_name: string
  /** Null: staff have approved nothing yet. */
  reviewed_name: string | null
}>

/** Every owner of the merchant who may log in, and has proved their address. */
export const listOwners = (sql: Sql, merchant_id: string): Promise<Owner[]> => control(sql)<
  Owner[]
>`
  select p.id as person_id, p.email, p.first_name, p.locale, m.name as merchant_name,
         m.reviewed_name
    from memberships b
    join merchants m on m.id = b.merchant_id
    join people p on p.id = b.person_id
   where b.merchant_id = ${merchant_id} and b.role = 'OWNER' and p.disabled_at is null
     and p.email_verified_at is not null
   order by b.created_at, p.id`

export type NamedForMoney = Pick<Owner, 'email' | 'merchant_name' | 'reviewed_name'>

/** Whom a merchant has named for e-mails about money; nobody while it has had no LIVE. */
export const listNamedForMoney = (sql: Sql, merchant_id: string): Promise<NamedForMoney[]> =>
  control(sql)<NamedForMoney[]>`
    select unnest(m.notification_emails) as email, m.name as merchant_name, m.reviewed_name
      from merchants m
     where m.id = ${merchant_id} and ${hasHadLive(sql)}`

/** The merchants that a person belongs to, in any role. */
export async function listPlaces(sql: Sql, person_id: string): Promise<string[]> {
  const rows = await sql<{ merchant_id: string }[]>`
    select merchant_id from memberships where person_id = ${person_id} order by merchant_id`
  return rows.map(({ merchant_id }) => merchant_id)
}

/** The merchants that a person owns, in the order in which they are locked. */
export async function listOwned(sql: Sql, person_id: string): Promise<string[]> {
  const rows = await sql<{ merchant_id: string }[]>`
    select merchant_id from memberships
     where person_id = ${person_id} and role = 'OWNER'
     order by merchant_id`
  return rows.map(({ merchant_id }) => merchant_id)
}

/** True when LIVE opened just now: it was approved, and an owner has proved their e-mail. */
export async function updateLiveIfReady(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx`
    update merchants m
       set live_enabled = true, updated_at = now()
     where m.id = ${id} and m.approved_at is not null and not m.live_enabled and not m.is_house
       and exists (select 1 from memberships b
                     join people p on p.id = b.person_id
                    where b.merchant_id = m.id and b.role = 'OWNER'
                      and p.email_verified_at is not null and p.disabled_at is null)`
  return rows.count === 1
}
