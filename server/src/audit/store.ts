// The audit log's own statements: rows are added and read, never changed. A list runs by id, which
// is the time of the act.

import type { Fragment, Sql } from '../platform/db.ts'
import type { Cursor } from '../platform/http/pages.ts'
import type { Environment } from '../platform/http/route.ts'
import { inOrder } from '../platform/places/page-of-all.ts'
import { control, eachGroup, homeOf } from '../platform/places/places.ts'
import { boundIn } from '../platform/sql.ts'
import type { AuditAction, TargetKind } from './actions.ts'
import type { Act } from './audit.ts'
import type { ActFilters, ActorKind } from './filters.ts'

const jsonOf = (fields: Act['before']): string | null =>
  fields === undefined || fields === null ? null : JSON.stringify(fields)

export async function insertAct(sql: Sql, id: string, act: Act): Promise<void> {
  const { actor } = act
  await homeOf(sql, act.merchant_id)`
    insert into audit_logs (merchant_id, id, environment, actor_kind, actor_id, actor_role, action,
      target_kind, target_id, ip, request_id, before, after)
    values (${act.merchant_id}, ${id}, ${act.environment}, ${actor.kind}, ${actor.id},
      ${actor.role}, ${act.action}, ${act.target_kind}, ${act.target_id}, ${actor.ip},
      ${actor.request_id}, ${jsonOf(act.before)}::text::jsonb, ${jsonOf(act.after)}::text::jsonb)`
}

/** A line as it is read: names are added as they are now, so the log itself contains none. */
export type ActFound = Readonly<{
  id: string
  /** Null where it concerns no merchant: the platform's own, or a person's own account. */
  merchant: string | null
  environment: Environment | null
  actor_kind: ActorKind
  actor_id: string | null
  actor_role: string
  actor_name: string
  action: AuditAction
  target_kind: TargetKind
  target_id: string
  ip: string
  request_id: string
  before: Readonly<Record<string, unknown>> | null
  after: Readonly<Record<string, unknown>> | null
  created_at: Date
  /** `created_at` as PostgreSQL prints it. */
  place: string
}>

export type ActsQuery = ActFilters &
  Readonly<{
    /** Undefined: of all, and what concerns none. */
    merchant: string | undefined
    /** As a merchant sees its log: neither the names of staff nor their addresses are searched. */
    search?: string | undefined
    /** With what concerns both; undefined: of both. */
    environment: Environment | undefined
    cursor: Cursor | undefined
    /** The number of rows to read, one more than the page shows. */
    limit: number
  }>

type Row = Omit<ActFound, 'actor_name'>

/** A page of the log, the newest first; before a `prev` cursor the nearest first. */
export async function listActs(sql: Sql, query: ActsQuery): Promise<ActFound[]> {
  const { merchant, limit, search } = query
  const isNamed = search !== undefined && merchant !== undefined
  const named = isNamed ? await actorsNamed(sql, merchant, search) : []
  const is_up = query.cursor?.dir === 'prev'
  const read = (at: Sql) => at<Row[]>`
    select a.id,
           (select m.id from merchants m where m.id = a.merchant_id and not m.is_house) as merchant,
           a.environment, a.actor_kind, a.actor_id, a.actor_role, a.action, a.target_kind,
           a.target_id, a.ip, a.request_id, a.before, a.after, a.created_at,
           a.created_at::text as place
      from audit_logs a
     where ${actsOf(sql, query, named)}
     order by a.id ${is_up ? sql`asc` : sql`desc`}
     limit ${limit}`
  const rows = await (merchant === undefined ? eachGroup(sql, read) : read(homeOf(sql, merchant)))
  const order = [{ field: 'id' as const, descending: !is_up }]
  return withActors(sql, inOrder(rows, order).slice(0, limit))
}

async function withActors(sql: Sql, rows: readonly Row[]): Promise<ActFound[]> {
  const names = await namesOf(sql, [...new Set(rows.flatMap(({ actor_id }) => actor_id ?? []))])
  const named = new Map(names.map(({ id, name }) => [id, name]))
  return rows.map((row) => ({ ...row, actor_name: named.get(row.actor_id ?? '') ?? '' }))
}

/** A key or a person as they are called now. */
export type ActorName = Readonly<{ id: string; name: string }>

/** The names of keys and people stand with control. */
const namesOf = (sql: Sql, ids: readonly string[]): PromiseLike<ActorName[]> => control(sql)<
  ActorName[]
>`
  select id, name from api_keys where id = any(${[...ids]}::uuid[])
   union all
  select id, email from people where id = any(${[...ids]}::uuid[])`

/** Who stands in a merchant's log: its keys and members, those who left too; no staff. */
async function listActors(sql: Sql, merchant_id: string): Promise<string[]> {
  const actors = await homeOf(sql, merchant_id)<{ id: string }[]>`
    select distinct actor_id as id from audit_logs
     where merchant_id = ${merchant_id} and actor_kind <> 'STAFF' and actor_id is not null`
  return actors.map(({ id }) => id)
}

/** The same by their names. */
export const listActorNames = async (sql: Sql, merchant_id: string): Promise<ActorName[]> =>
  namesOf(sql, await listActors(sql, merchant_id))

/**
 * Who of a merchant's log is named so: its keys, and members by their e-mail, those who left too.
 * Staff are not found by what they are called.
 */
async function actorsNamed(sql: Sql, merchant_id: string, search: string): Promise<string[]> {
  const ids = await listActors(sql, merchant_id)
  const found = await control(sql)<{ id: string }[]>`
    select id from api_keys
     where id = any(${ids}::uuid[]) and strpos(lower(name), lower(${search})) > 0
     union all
    select id from people
     where id = any(${ids}::uuid[]) and strpos(lower(email), lower(${search})) > 0`
  return found.map(({ id }) => id)
}

function actsOf(sql: Sql, query: ActsQuery, named: readonly string[]): Fragment {
  const { merchant, environment, cursor } = query
  return sql`
    ${merchant === undefined ? sql`true` : sql`a.merchant_id = ${merchant}`}
    ${environment === undefined ? sql`` : inEnvironment(sql, environment)}
    ${actsFiltered(sql, query)}
    ${query.search === undefined ? sql`` : containing(sql, query.search, named)}
    ${cursor === undefined ? sql`` : beyond(sql, cursor)}`
}

/** The filters on `audit_logs a`, beside whose it is. */
export function actsFiltered(sql: Sql, filters: ActFilters, bind = boundIn(sql)): Fragment {
  const { action, actor, finds_staff, actor_kind, target_kind, target_id } = filters
  const { created_at__gte: from, created_at__lte: to } = filters
  return sql`
    ${action === undefined ? sql`` : sql`and a.action = ${bind(action)}`}
    ${actor === undefined ? sql`` : sql`and a.actor_id = ${bind(actor)}::uuid`}
    ${actor === undefined || finds_staff ? sql`` : sql`and a.actor_kind <> 'STAFF'`}
    ${actor_kind === undefined ? sql`` : sql`and a.actor_kind = ${bind(actor_kind)}`}
    ${target_kind === undefined ? sql`` : sql`and a.target_kind = ${bind(target_kind)}`}
    ${target_id === undefined ? sql`` : sql`and a.target_id = ${bind(target_id)}`}
    ${from === undefined ? sql`` : since(sql, bind(from))}
    ${to === undefined ? sql`` : until(sql, bind(to))}`
}

const containing = (sql: Sql, search: string, named: readonly string[]): Fragment => sql`
  and (strpos(lower(concat_ws(' ', a.action, a.target_id, a.request_id,
         case when a.actor_kind <> 'STAFF' then a.ip end)), lower(${search})) > 0
       or (a.actor_kind <> 'STAFF' and a.actor_id = any(${[...named]}::uuid[])))`

const inEnvironment = (sql: Sql, environment: Environment): Fragment =>
  sql`and (a.environment = ${environment} or a.environment is null)`

const beyond = (sql: Sql, { dir, id }: Cursor): Fragment =>
  dir === 'prev' ? sql`and a.id > ${id}` : sql`and a.id < ${id}`

// An id is made by a process, `created_at` by the database: the id is only required to be near,
// which keeps the list from walking through the whole log. There is no id from before 1970.
const since = (sql: Sql, moment: Fragment): Fragment => sql`
  and a.created_at >= ${moment}::text::timestamptz
  and a.id >= uuid_floor(
    greatest(${moment}::text::timestamptz - interval '10 minutes', 'epoch'::timestamptz))`

const until = (sql: Sql, moment: Fragment): Fragment => sql`
  and a.created_at <= ${moment}::text::timestamptz
  and a.id <= uuid_floor(
    greatest(${moment}::text::timestamptz + interval '10 minutes', 'epoch'::timestamptz))`

export type TargetsQuery = Readonly<{
  merchant_id: string
  environment: Environment
  api_key_id: string
  actions: readonly AuditAction[]
  /** Nothing of it is older: the key's own birth. */
  since: Date
  /** How many ids of each kind, the newest first; the count is of all. */
  limit: number
}>

export type Targets = Readonly<{ kind: string; count: number; ids: string[] }>

/** What a key did these acts on, by kind. Reads the merchant's lines since then: a rare act. */
export const listTargets = (sql: Sql, query: TargetsQuery): Promise<Targets[]> => homeOf(
  sql,
  query.merchant_id,
)<Targets[]>`
  with targets as (
    select target_kind, target_id, max(id::text) as newest
      from audit_logs
     where merchant_id = ${query.merchant_id} and id >= uuid_floor(${query.since}::timestamptz)
       and environment = ${query.environment} and actor_kind = 'KEY'
       and actor_id = ${query.api_key_id} and action = any(${[...query.actions]}::text[])
     group by target_kind, target_id
  )
  select target_kind as kind, count(*)::int as count,
         (array_agg(target_id order by newest desc))[1:${query.limit}::int] as ids
    from targets
   group by target_kind`

export type ActsCounted = Readonly<{
  merchant_id: string
  environment: Environment
  action: AuditAction
  since: Date
}>

export async function countActs(sql: Sql, query: ActsCounted): Promise<number> {
  const [row] = await homeOf(sql, query.merchant_id)<{ count: number }[]>`
    select count(*)::int as count from audit_logs
     where merchant_id = ${query.merchant_id} and id >= uuid_floor(${query.since}::timestamptz)
       and environment = ${query.environment} and action = ${query.action}`
  return row?.count ?? 0
}

export type ActsOn = Readonly<{
  merchant_id: string
  target_kind: string
  target_id: string
  /** A field that had a value before the act. */
  had: string
}>

export async function countActsOn(sql: Sql, query: ActsOn): Promise<number> {
  const [row] = await homeOf(sql, query.merchant_id)<{ count: number }[]>`
    select count(*)::int as count from audit_logs
     where merchant_id = ${query.merchant_id} and target_kind = ${query.target_kind}
       and target_id = ${query.target_id} and before ->> ${query.had} is not null`
  return row?.count ?? 0
}
