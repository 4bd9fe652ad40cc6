// The plain statements about sessions, links and their slugs: each is sent alone, by the
// folders that make and show them. Parts that are composed are in statements.ts.

import { nameList, selectList, selectOr, setList, typedList } from '../platform/columns.ts'
import type { Fragment, Sql, Tx } from '../platform/db.ts'
import type { Had, Wanted } from '../platform/http/lists.ts'
import { listOwn, madeBy } from '../platform/http/own-list-store.ts'
import { ownershipOf } from '../platform/http/ownership.ts'
import type { Environment } from '../platform/http/route.ts'
import { control, eachGroup, homeOf } from '../platform/places/places.ts'
import { boundIn, type Created, jsonRows } from '../platform/sql.ts'
import {
  type Link,
  type LinkForm,
  linkFormRow,
  linkRow,
  type NewLink,
  newLinkRow,
  type WritableLink,
  writableLinkRow,
} from './link.ts'
import {
  type NewSession,
  newSessionRow,
  type OrderKey,
  type Session,
  sessionRow,
} from './session.ts'
import type { SessionStatus } from './states.ts'

const sessionColumns = (sql: Sql): Fragment => sql`
  ${selectList(sql, sessionRow, 's')}, coalesce(s.expires_at <= now(), false) as has_expired,
  coalesce(ceil(extract(epoch from s.expires_at - now())), 0)::int as ends_in_s`

const linkColumns = (sql: Sql): Fragment => sql`
  ${selectList(sql, linkRow, 'l')}, l.deleted_at is not null as is_deleted,
  coalesce(l.expires_at <= now(), false) as has_expired,
  ${selectOr(sql, linkFormRow, 'f', noForm)}, coalesce(f.admin_locked, false) as admin_locked`

const noForm = {
  custom_fields: "'[]'",
  require_phone: 'false',
  redirect_url: "''",
  show_confirmation_page: 'true',
  facebook_pixel_id: "''",
  google_ads_id: "''",
}

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
  const [row] = await homeOf(sql, key.merchant_id)<Session[]>`
    select ${sessionColumns(sql)}
      from checkout_sessions s
     where s.merchant_id = ${key.merchant_id} and s.id = ${key.id}`
  return row
}

/** Finds a deleted link too, because what is under way by it goes on. */
export async function findLink(sql: Sql, key: OrderKey): Promise<Link | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<Link[]>`
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

type SlugOf = OrderKey & Readonly<{ slug: string }>

/** First: a slug that leads nowhere harms nobody, and a page without one is found by nobody. */
async function insertSlug(sql: Sql, of: SlugOf, kind: 'SESSION' | 'LINK'): Promise<void> {
  await control(sql)`
    insert into slugs (slug, merchant_id, kind, id)
    values (${of.slug}, ${of.merchant_id}, ${kind}, ${of.id})`
}

/** The session and its slug. */
export async function insertSession(sql: Sql, row: NewSession): Promise<Session> {
  const [, [made]] = await Promise.all([
    insertSlug(sql, row, 'SESSION'),
    homeOf(sql, row.merchant_id)<Session[]>`
      insert into checkout_sessions as s (${nameList(sql, newSessionRow)}, due_at)
      select ${selectList(sql, newSessionRow, 'r')}, r.expires_at
        from ${jsonRows(sql, [row], typedList(sql, newSessionRow))} as r
      returning ${sessionColumns(sql)}`,
  ])
  if (made === undefined) throw new Error('bug: a session was not made')
  return made
}

export const sessionSortFields = ['created_at', 'updated_at', 'expires_at', 'amount'] as const
export type SessionSortField = (typeof sessionSortFields)[number]

/** Which sessions. */
export type SessionsSought = Created &
  Readonly<{
    merchant_id: string
    environment: Environment
    search: string | undefined
    status: SessionStatus | undefined
    /** Those that its visitors opened. */
    payment_link: string | undefined
  }>

export function listSessions(
  sql: Sql,
  sought: SessionsSought,
  wanted: Wanted<SessionSortField>,
): Promise<Had<Session>> {
  const { status, payment_link: link, search } = sought
  const owned = madeBy(sql, sought, 's')
  const where = sql`
    ${owned}
    ${status === undefined ? sql`` : sql`and s.status = ${status}`}
    ${link === undefined ? sql`` : sql`and s.payment_link = ${link}`}
    ${search === undefined ? sql`` : sql`and ${hasText(sql, search, sessionTexts(sql))}`}`
  return listOwn<Session>(
    { sql, at: homeOf(sql, sought.merchant_id) },
    { table: 'checkout_sessions', as: 's', columns: sessionColumns(sql), owned, where },
    wanted,
  )
}

const sessionTexts = (sql: Sql): Fragment => sql`
  s.slug || ' ' || s.merchant_reference || ' ' || s.customer_email || ' ' || s.customer_name
    || ' ' || s.description`

const hasText = (sql: Sql, search: string | Fragment, texts: Fragment): Fragment =>
  sql`strpos(lower(${texts}), lower(${search})) > 0`

/** Sessions whose time is over and that no payment keeps open, the longest over first. */
export const listDueSessions = (
  sql: Sql,
  environment: Environment,
  limit: number,
): Promise<Session[]> =>
  eachGroup(
    sql,
    (at) => at<Session[]>`
  select ${sessionColumns(sql)}
    from checkout_sessions s
   where s.due_at <= now() and s.status = 'PENDING' and s.pending_payment is null
     and s.environment = ${environment}
   order by s.due_at
   limit ${limit}`,
  )

/** The link, its form and its slug. */
export async function insertLink(tx: Tx, row: NewLink): Promise<Link> {
  await insertSlug(tx, row, 'LINK')
  await tx`
    insert into payment_links (${nameList(tx, newLinkRow)})
    select ${selectList(tx, newLinkRow, 'r')}
      from ${jsonRows(tx, [row], typedList(tx, newLinkRow))} as r`
  await upsertForm(tx, row, row)
  return readBack(tx, row)
}

async function upsertForm(tx: Tx, { merchant_id, id }: OrderKey, form: LinkForm): Promise<void> {
  await tx`
    insert into payment_link_forms (merchant_id, id, ${nameList(tx, linkFormRow)})
    select ${merchant_id}::uuid, ${id}::uuid, ${selectList(tx, linkFormRow, 'r')}
      from ${jsonRows(tx, [form], typedList(tx, linkFormRow))} as r
    on conflict (merchant_id, id) do update set ${setList(tx, linkFormRow, 'excluded')}`
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
       set ${setList(tx, writableLinkRow, 'r')}, updated_at = now()
      from ${jsonRows(tx, [next], typedList(tx, writableLinkRow))} as r
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

/** Which links; those that were taken away are none of them. */
export type LinksSought = Readonly<{
  merchant_id: string
  environment: Environment
  search: string | undefined
  is_active: boolean | undefined
}>

/** Of `payment_links l`. */
export function linksWhere(sql: Sql, sought: LinksSought, bind = boundIn(sql)): Fragment {
  const { merchant_id, environment, search, is_active } = sought
  const texts = sql`l.name || ' ' || l.description || ' ' || l.slug`
  // As text first: the driver would take any text of a boolean for false.
  const active = (yes: boolean) => sql`and l.is_active = ${bind(String(yes))}::text::boolean`
  return sql`
    l.merchant_id = ${bind(merchant_id)}::uuid and l.environment = ${bind(environment)}
    and l.deleted_at is null
    ${is_active === undefined ? sql`` : active(is_active)}
    ${search === undefined ? sql`` : sql`and ${hasText(sql, bind(search), texts)}`}`
}

export const listLinks = (
  sql: Sql,
  sought: LinksSought,
  wanted: Wanted<LinkSortField>,
): Promise<Had<Link>> =>
  listOwn<Link>(
    { sql, at: homeOf(sql, sought.merchant_id) },
    {
      ...{ table: 'payment_links', as: 'l', columns: linkColumns(sql) },
      joined: sql`left join payment_link_forms f on f.merchant_id = l.merchant_id and f.id = l.id`,
      owned: sql`${madeBy(sql, sought, 'l')} and l.deleted_at is null`,
      where: linksWhere(sql, sought),
    },
    wanted,
  )
