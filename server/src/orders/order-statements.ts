// The plain statements about sessions, links and their slugs: each is sent alone, by the
// folders that make and show them. Parts that are composed are in statements.ts.

import type { Fragment, Sql, Tx } from '../platform/db.ts'
import type { SortBy } from '../platform/http/filters.ts'
import { ownershipOf } from '../platform/http/ownership.ts'
import type { Environment } from '../platform/http/route.ts'
import { stringifyRows } from '../platform/sql.ts'
import type { Link, LinkForm } from './link.ts'
import type { OrderKey, Session } from './session.ts'
import type { SessionStatus } from './states.ts'

const sessionColumns = (sql: Sql): Fragment => sql`
  s.merchant_id, s.id, s.environment, s.created_by_member, s.slug, s.amount, s.currency,
  s.description, s.country, s.customer_email, s.customer_name, s.customer_phone, s.return_url,
  s.metadata, s.fee_charge_mode, s.merchant_reference, s.status, s.version, s.expires_at,
  s.transaction_id, s.paid_by, s.pending_payment, s.payments, s.payment_link, s.paid_at,
  s.created_at, s.updated_at, coalesce(s.expires_at <= now(), false) as has_expired,
  coalesce(ceil(extract(epoch from s.expires_at - now())), 0)::int as ends_in_s`

const linkColumns = (sql: Sql): Fragment => sql`
  l.merchant_id, l.id, l.environment, l.created_by_member, l.name, l.description, l.amount_type,
  l.amount, l.min_amount, l.currency, l.slug, l.is_active, l.expires_at, l.usage_limit,
  l.usage_count, l.reserved, l.deleted_at is not null as is_deleted, l.created_at, l.updated_at,
  coalesce(l.expires_at <= now(), false) as has_expired,
  coalesce(f.custom_fields, '[]') as custom_fields,
  coalesce(f.require_phone, false) as require_phone,
  coalesce(f.redirect_url, '') as redirect_url,
  coalesce(f.show_confirmation_page, true) as show_confirmation_page,
  coalesce(f.facebook_pixel_id, '') as facebook_pixel_id,
  coalesce(f.google_ads_id, '') as google_ads_id,
  coalesce(f.admin_locked, false) as admin_locked`

/** A link of the old version has no form: it has no extra fields. */
const linksWithForms = (sql: Sql): Fragment => sql`
  payment_links l
  left join payment_link_forms f on f.merchant_id = l.merchant_id and f.id = l.id`

/** The database's time, as a row keeps it. */
export async function findNow(sql: Sql): Promise<Date> {
  const [row] = await sql<{ now: Date }[]>`select now()::timestamptz(3) as now`
  return row?.now ?? new Date()
}

export async function findSession(sql: Sql, key: OrderKey): Promise<Session | undefined> {
  const [row] = await sql<Session[]>`
    select ${sessionColumns(sql)}
      from checkout_sessions s
     where s.merchant_id = ${key.merchant_id} and s.id = ${key.id}`
  return row
}

/** Finds a deleted link too, because what is under way by it goes on. */
export async function findLink(sql: Sql, key: OrderKey): Promise<Link | undefined> {
  const [row] = await sql<Link[]>`
    select ${linkColumns(sql)}
      from ${linksWithForms(sql)}
     where l.merchant_id = ${key.merchant_id} and l.id = ${key.id}`
  return row
}

export async function lockLink(tx: Tx, key: OrderKey): Promise<Link | undefined> {
  const [row] = await tx<Link[]>`
    select ${linkColumns(tx)}
      from ${linksWithForms(tx)}
     where l.merchant_id = ${key.merchant_id} and l.id = ${key.id} and l.deleted_at is null
       for update of l`
  return row
}

/** What a slug belongs to: the one lookup without a merchant. */
export async function findSlug(
  sql: Sql,
  slug: string,
  kind: 'SESSION' | 'LINK',
): Promise<OrderKey | undefined> {
  const [row] = await sql<OrderKey[]>`
    select merchant_id, id from slugs where slug = ${slug} and kind = ${kind}`
  return row
}

export const requireOwnSession = ownershipOf('checkout_sessions')

export const requireOwnLink = ownershipOf('payment_links', {
  only: (sql) => sql`deleted_at is null`,
})

export type NewSession = Pick<
  Session,
  | 'merchant_id'
  | 'id'
  | 'environment'
  | 'created_by_member'
  | 'slug'
  | 'amount'
  | 'currency'
  | 'description'
  | 'country'
  | 'customer_email'
  | 'customer_name'
  | 'customer_phone'
  | 'return_url'
  | 'metadata'
  | 'fee_charge_mode'
  | 'merchant_reference'
  | 'payment_link'
> &
  Readonly<{ expires_at: Date }>

/** The session and its slug. */
export async function insertSession(sql: Sql, row: NewSession): Promise<Session> {
  const [made] = await sql<Session[]>`
    with slug_made as (
      insert into slugs (slug, merchant_id, kind, id)
      values (${row.slug}, ${row.merchant_id}, 'SESSION', ${row.id}))
    insert into checkout_sessions as s (merchant_id, id, environment, created_by_member, slug,
      amount, currency, description, country, customer_email, customer_name, customer_phone,
      return_url, metadata, fee_charge_mode, merchant_reference, payment_link, expires_at, due_at)
    values (${row.merchant_id}, ${row.id}, ${row.environment}, ${row.created_by_member},
      ${row.slug}, ${row.amount}, ${row.currency}, ${row.description}, ${row.country},
      ${row.customer_email}, ${row.customer_name}, ${row.customer_phone}, ${row.return_url},
      ${JSON.stringify(row.metadata)}::text::jsonb, ${row.fee_charge_mode},
      ${row.merchant_reference}, ${row.payment_link}, ${row.expires_at}, ${row.expires_at})
    returning ${sessionColumns(sql)}`
  if (made === undefined) throw new Error('bug: a session was not made')
  return made
}

export const sessionSortFields = ['created_at', 'updated_at', 'expires_at', 'amount'] as const
export type SessionSortField = (typeof sessionSortFields)[number]

type Page<F extends string> = Readonly<{
  merchant_id: string
  environment: Environment
  search: string | undefined
  order: SortBy<F>
  limit: number
  offset: number
}>

export async function listSessions(
  sql: Sql,
  query: Page<SessionSortField> & Readonly<{ status: SessionStatus | undefined }>,
): Promise<{ count: number; rows: Session[] }> {
  const { status, search, limit, offset } = query
  const found = sql`
    from checkout_sessions s
   where s.merchant_id = ${query.merchant_id} and s.environment = ${query.environment}
     ${status === undefined ? sql`` : sql`and s.status = ${status}`}
     ${search === undefined ? sql`` : sql`and ${hasText(sql, search, sessionTexts(sql))}`}`
  const [rows, [total]] = await Promise.all([
    sql<Session[]>`
      select ${sessionColumns(sql)} ${found}
       order by s.${sql(query.order.field)} ${way(sql, query.order)}, s.id ${way(sql, query.order)}
       limit ${limit} offset ${offset}`,
    sql<{ count: number }[]>`select count(*)::int as count ${found}`,
  ])
  return { count: total?.count ?? 0, rows }
}

const sessionTexts = (sql: Sql): Fragment => sql`
  s.slug || ' ' || s.merchant_reference || ' ' || s.customer_email || ' ' || s.customer_name
    || ' ' || s.description`

const hasText = (sql: Sql, search: string, texts: Fragment): Fragment =>
  sql`strpos(lower(${texts}), lower(${search})) > 0`

const way = (sql: Sql, { descending }: SortBy<string>): Fragment =>
  descending ? sql`desc` : sql`asc`

/** Sessions whose time is over and that no payment keeps open, the longest over first. */
export const listDueSessions = (sql: Sql, limit: number): Promise<Session[]> => sql<Session[]>`
  select ${sessionColumns(sql)}
    from checkout_sessions s
   where s.due_at <= now() and s.status = 'PENDING' and s.pending_payment is null
   order by s.due_at
   limit ${limit}`

export type WritableLink = Pick<
  Link,
  | 'name'
  | 'description'
  | 'amount_type'
  | 'amount'
  | 'min_amount'
  | 'currency'
  | 'is_active'
  | 'expires_at'
  | 'usage_limit'
  | keyof LinkForm
>

export type NewLink = WritableLink &
  Pick<Link, 'merchant_id' | 'id' | 'environment' | 'created_by_member' | 'slug'>

/** The link, its form and its slug. */
export async function insertLink(tx: Tx, row: NewLink): Promise<Link> {
  await tx`
    with slug_made as (
      insert into slugs (slug, merchant_id, kind, id)
      values (${row.slug}, ${row.merchant_id}, 'LINK', ${row.id}))
    insert into payment_links as l (merchant_id, id, environment, created_by_member, slug, name,
      description, amount_type, amount, min_amount, currency, is_active, expires_at, usage_limit)
    values (${row.merchant_id}, ${row.id}, ${row.environment}, ${row.created_by_member},
      ${row.slug}, ${row.name}, ${row.description}, ${row.amount_type}, ${row.amount},
      ${row.min_amount}, ${row.currency}, ${row.is_active}, ${row.expires_at},
      ${row.usage_limit})`
  await upsertForm(tx, row, row)
  return readBack(tx, row)
}

async function upsertForm(tx: Tx, { merchant_id, id }: OrderKey, form: LinkForm): Promise<void> {
  await tx`
    insert into payment_link_forms (merchant_id, id, custom_fields, require_phone, redirect_url,
      show_confirmation_page, facebook_pixel_id, google_ads_id)
    values (${merchant_id}, ${id}, ${stringifyRows(form.custom_fields)}::text::jsonb,
      ${form.require_phone}, ${form.redirect_url}, ${form.show_confirmation_page},
      ${form.facebook_pixel_id}, ${form.google_ads_id})
    on conflict (merchant_id, id) do update
       set custom_fields = excluded.custom_fields, require_phone = excluded.require_phone,
           redirect_url = excluded.redirect_url,
           show_confirmation_page = excluded.show_confirmation_page,
           facebook_pixel_id = excluded.facebook_pixel_id,
           google_ads_id = excluded.google_ads_id`
}

async function readBack(tx: Tx, key: OrderKey): Promise<Link> {
  const link = await findLink(tx, key)
  if (link === undefined) throw new Error('bug: a link that was just written is gone')
  return link
}

/** Writes all of them: call under `lockLink`, with what was not changed as it was. */
export async function updateLink(tx: Tx, key: OrderKey, next: WritableLink): Promise<Link> {
  await tx`
    update payment_links l
       set name = ${next.name}, description = ${next.description},
           amount_type = ${next.amount_type}, amount = ${next.amount},
           min_amount = ${next.min_amount}, currency = ${next.currency},
           is_active = ${next.is_active}, expires_at = ${next.expires_at},
           usage_limit = ${next.usage_limit}, updated_at = now()
     where l.merchant_id = ${key.merchant_id} and l.id = ${key.id}`
  await upsertForm(tx, key, next)
  return readBack(tx, key)
}

/** Hides it and its slug; its sessions and transactions stay. */
export async function deleteLink(tx: Tx, key: OrderKey): Promise<void> {
  await tx`
    update payment_links set deleted_at = now(), is_active = false, updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
}

export const linkSortFields = ['created_at', 'updated_at', 'name', 'usage_count'] as const
export type LinkSortField = (typeof linkSortFields)[number]

export async function listLinks(
  sql: Sql,
  query: Page<LinkSortField> & Readonly<{ is_active: boolean | undefined }>,
): Promise<{ count: number; rows: Link[] }> {
  const { search, is_active, limit, offset } = query
  const texts = sql`l.name || ' ' || l.description || ' ' || l.slug`
  const found = sql`
    from ${linksWithForms(sql)}
   where l.merchant_id = ${query.merchant_id} and l.environment = ${query.environment}
     and l.deleted_at is null
     ${is_active === undefined ? sql`` : sql`and l.is_active = ${is_active}`}
     ${search === undefined ? sql`` : sql`and ${hasText(sql, search, texts)}`}`
  const [rows, [total]] = await Promise.all([
    sql<Link[]>`
      select ${linkColumns(sql)} ${found}
       order by l.${sql(query.order.field)} ${way(sql, query.order)}, l.id ${way(sql, query.order)}
       limit ${limit} offset ${offset}`,
    sql<{ count: number }[]>`select count(*)::int as count ${found}`,
  ])
  return { count: total?.count ?? 0, rows }
}
