// The statements about merchants as staff see and change them. People and balances are read beside
// them; the platform merchant is left out.

import type { Fragment, Sql } from '../../platform/db.ts'
import type { Locale } from '../../platform/errors.ts'
import type { SortBy } from '../../platform/http/filters.ts'
import type { Environment } from '../../platform/http/route.ts'
import { homeOf } from '../../platform/places/places.ts'
import type { Role } from '../roles.ts'
import type { Contact } from '../settings/contact.ts'
import { coolingOffOf, restoredContact } from '../settings/store.ts'

export const kycStatuses = ['NONE', 'PENDING', 'APPROVED', 'REJECTED'] as const
export type KycStatus = (typeof kycStatuses)[number]
export const merchantStatuses = ['ACTIVE', 'SUSPENDED'] as const
export type MerchantStatus = (typeof merchantStatuses)[number]

export type MerchantRow = Readonly<{
  id: string
  name: string
  status: MerchantStatus
  suspended_reason: string
  country: string | null
  live_enabled: boolean
  approved_at: Date | null
  kyc_status: KycStatus
  kyc_note: string
  rate_limit_per_minute: number
  fee_charge_mode_locked: 'ADD_ON' | 'DEDUCTED' | null
  allowed_countries: string[] | null
  notification_emails: string[]
  brand_name: string
  brand_colour: string
  contact: Contact
  /** What LIVE shows; null before the approval. */
  reviewed_name: string | null
  reviewed_brand_name: string | null
  reviewed_contact: Contact | null
  /** Since when a change of name, brand, logo or contact waits for staff. */
  name_review_since: Date | null
  /** Null: the platform's own. */
  cooling_off_hours: number | null
  created_at: Date
  updated_at: Date
}>

const columns = (sql: Sql): Fragment => sql`
  m.id, m.name, m.status, m.suspended_reason, m.country, m.live_enabled, m.approved_at,
  m.kyc_status, m.kyc_note, m.rate_limit_per_minute, m.fee_charge_mode_locked,
  m.allowed_countries, m.notification_emails, m.brand_name, m.brand_colour, m.reviewed_name,
  m.reviewed_brand_name, m.contact, m.reviewed_contact, m.name_review_since,
  ${coolingOffOf(sql)} as cooling_off_hours, m.created_at, m.updated_at`

export const merchantSortFields = ['created_at', 'updated_at', 'name'] as const
export type MerchantSortField = (typeof merchantSortFields)[number]

export type MerchantsQuery = Readonly<{
  search: string | undefined
  status: MerchantStatus | undefined
  kyc_status: KycStatus | undefined
  country: string | undefined
  live_enabled: boolean | undefined
  order: readonly SortBy<MerchantSortField>[]
  limit: number
  offset: number
}>

/** A page of merchants, newest first unless ordered otherwise, and how many there are in all. */
export async function listMerchants(
  sql: Sql,
  query: MerchantsQuery,
): Promise<{ count: number; rows: MerchantRow[] }> {
  const found = sql`from merchants m where not m.is_house ${filters(sql, query)}`
  const [rows, [total]] = await Promise.all([
    sql<MerchantRow[]>`
      select ${columns(sql)} ${found}
       order by ${orderBy(sql, query.order)} m.id desc
       limit ${query.limit} offset ${query.offset}`,
    sql<{ count: number }[]>`select count(*)::int as count ${found}`,
  ])
  return { count: total?.count ?? 0, rows }
}

function filters(sql: Sql, query: MerchantsQuery): Fragment {
  const { search, status, kyc_status, country, live_enabled } = query
  return sql`
    ${search === undefined ? sql`` : sql`and ${matches(sql, search)}`}
    ${status === undefined ? sql`` : sql`and m.status = ${status}`}
    ${kyc_status === undefined ? sql`` : sql`and m.kyc_status = ${kyc_status}`}
    ${country === undefined ? sql`` : sql`and m.country = ${country}`}
    ${live_enabled === undefined ? sql`` : sql`and m.live_enabled = ${live_enabled}`}`
}

/** No pattern: `%` and `_` of a search mean themselves. */
const matches = (sql: Sql, wanted: string): Fragment => sql`(
  position(lower(${wanted}) in lower(m.name)) > 0 or starts_with(m.id::text, lower(${wanted}))
  or exists (select 1 from memberships b join people p on p.id = b.person_id
              where b.merchant_id = m.id and position(lower(${wanted}) in p.email) > 0))`

const orderBy = (sql: Sql, order: MerchantsQuery['order']): Fragment => {
  let all = sql``
  for (const { field, descending } of order) {
    all = sql`${all} m.${sql(field)} ${descending ? sql`desc` : sql`asc`},`
  }
  return all
}

export async function findMerchantRow(sql: Sql, id: string): Promise<MerchantRow | undefined> {
  const [row] = await sql<MerchantRow[]>`
    select ${columns(sql)} from merchants m where m.id = ${id} and not m.is_house`
  return row
}

/** Locked to the end of a transaction: changes of one merchant come one after another. */
export async function lockMerchantRow(sql: Sql, id: string): Promise<MerchantRow | undefined> {
  const [row] = await sql<MerchantRow[]>`
    select ${columns(sql)}
      from merchants m
     where m.id = ${id} and not m.is_house
       for no key update`
  return row
}

export type MerchantChanges = Readonly<{
  name?: string
  rate_limit_per_minute?: number
  kyc_note?: string
  /** Null: the platform's own from now on. */
  cooling_off_hours?: number | null
}>

/** Without the cooling-off, which has a change of its own. */
export async function updateMerchant(
  sql: Sql,
  id: string,
  changes: MerchantChanges,
): Promise<void> {
  const { name, rate_limit_per_minute, kyc_note } = changes
  await sql`
    update merchants
       set name = coalesce(${name ?? null}::text, name),
           reviewed_name = case when reviewed_name is not null
                                then coalesce(${name ?? null}::text, reviewed_name) end,
           rate_limit_per_minute =
             coalesce(${rate_limit_per_minute ?? null}::int, rate_limit_per_minute),
           kyc_note = coalesce(${kyc_note ?? null}::text, kyc_note),
           updated_at = now()
     where id = ${id}`
}

export async function updateStatus(
  sql: Sql,
  change: Readonly<{ id: string; status: MerchantStatus; reason: string }>,
): Promise<void> {
  await sql`
    update merchants
       set suspended_at = case when ${change.status} = 'ACTIVE' then null
                               when status = 'SUSPENDED' then suspended_at else now() end,
           status = ${change.status}, suspended_reason = ${change.reason}, updated_at = now()
     where id = ${change.id}`
}

/** The present name is the reviewed one. */
const asReviewed = (sql: Sql): Fragment => sql`
  reviewed_name = name, reviewed_brand_name = brand_name, reviewed_logo_key = brand_logo_key,
  reviewed_contact = contact, name_review_since = null`

export const updateNameApproved = (sql: Sql, id: string) => sql`
  update merchants set ${asReviewed(sql)}, updated_at = now() where id = ${id}`

/**
 * The reviewed name is restored; a logo or a contact that was not reviewed goes, and what of a
 * contact was taken away stays away.
 */
export const updateNameRejected = (sql: Sql, id: string) => sql`
  update merchants
     set name = reviewed_name, brand_name = reviewed_brand_name,
         brand_logo_key = case when brand_logo_key = reviewed_logo_key
                               then brand_logo_key else '' end,
         contact = ${restoredContact(sql)},
         name_review_since = null, updated_at = now()
   where id = ${id} and reviewed_name is not null`

/** A second approval keeps the first one's moment. */
export async function updateApproved(sql: Sql, id: string): Promise<void> {
  await sql`
    update merchants
       set approved_at = coalesce(approved_at, now()), kyc_status = 'APPROVED', kyc_note = '',
           ${asReviewed(sql)},
           updated_at = now()
     where id = ${id}`
}

/** What LIVE shows of a merchant that was let in by command and never reviewed: what is there. */
const asShownInLive = (sql: Sql, reviewed: string, shown: string): Fragment => sql`
  ${sql(reviewed)} = case when reviewed_name is null and live_enabled
                          then ${sql(shown)} else ${sql(reviewed)} end`

/**
 * A merchant that is not approved works in the sandbox only. What of it was reviewed stays: its
 * LIVE pages and receipts go on showing that. That it has had LIVE is known for good.
 */
export async function updateRejected(sql: Sql, id: string, kyc_note: string): Promise<void> {
  await sql`
    update merchants
       set approved_at = null, live_enabled = false, live_closed = live_closed or live_enabled,
           kyc_status = 'REJECTED',
           ${asShownInLive(sql, 'reviewed_name', 'name')},
           ${asShownInLive(sql, 'reviewed_brand_name', 'brand_name')},
           ${asShownInLive(sql, 'reviewed_logo_key', 'brand_logo_key')},
           ${asShownInLive(sql, 'reviewed_contact', 'contact')},
           name_review_since = null, kyc_note = ${kyc_note}, updated_at = now()
     where id = ${id}`
}

export type MemberRow = Readonly<{
  person_id: string
  email: string
  first_name: string
  last_name: string
  role: Role
  locale: Locale
  email_verified: boolean
  totp_enabled: boolean
  is_disabled: boolean
  last_login_at: Date | null
  joined_at: Date
}>

/** The people of a merchant, the first one first. */
export const listMembersOf = (sql: Sql, merchant_id: string): Promise<MemberRow[]> => sql<
  MemberRow[]
>`
  select p.id as person_id, p.email, p.first_name, p.last_name, b.role, p.locale,
         p.email_verified_at is not null as email_verified,
         p.totp_enrolled_at is not null as totp_enabled,
         p.disabled_at is not null as is_disabled, p.last_login_at, b.created_at as joined_at
    from memberships b
    join people p on p.id = b.person_id
   where b.merchant_id = ${merchant_id}
   order by b.created_at, p.id`

export type BalanceRow = Readonly<{
  id: string
  environment: Environment
  country: string
  currency: string
  available: bigint
  pending: bigint
  frozen: bigint
  is_frozen: boolean
}>

/** In both environments. */
export const listBalancesOf = (sql: Sql, merchant_id: string): Promise<BalanceRow[]> => homeOf(
  sql,
  merchant_id,
)<BalanceRow[]>`
  select id, environment, country, currency, available, pending, frozen, is_frozen
    from balances
   where merchant_id = ${merchant_id}
   order by environment, country`
