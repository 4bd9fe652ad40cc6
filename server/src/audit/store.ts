// The audit log's own statements: rows are added and read, never changed. A list runs by id, which
// is the time of the act.

import type { Fragment, Sql } from '../platform/db.ts'
import type { Cursor } from '../platform/http/pages.ts'
import type { Environment } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'
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

/** A line as it is read: names are joined in as they are now, so the log itself contains none. */
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
    /** With what concerns both; undefined: of both. */
    environment: Environment | undefined
    cursor: Cursor | undefined
    /** The number of rows to read, one more than the page shows. */
    limit: number
  }>

/** A page of the log, the newest first; before a `prev` cursor the nearest first. */
export async function listActs(sql: Sql, query: ActsQuery): Promise<ActFound[]> {
  const order = query.cursor?.dir === 'prev' ? sql`asc` : sql`desc`
  return sql<ActFound[]>`
    select a.id,
           (select m.id from merchants m where m.id = a.merchant_id and not m.is_house) as merchant,
           a.environment, a.actor_kind, a.actor_id, a.actor_role, ${actorName(sql)} as actor_name,
           a.action, a.target_kind, a.target_id, a.ip, a.request_id, a.before, a.after,
           a.created_at, a.created_at::text as place
      from audit_logs a
     where ${actsOf(sql, query)}
     order by a.id ${order}
     limit ${query.limit}`
}

const actorName = (sql: Sql): Fragment => sql`
  coalesce(
    case a.actor_kind
      when 'KEY' then (select k.name from api_keys k where k.id = a.actor_id)
      else (select p.email from people p where p.id = a.actor_id) end, '')`

function actsOf(sql: Sql, query: ActsQuery): Fragment {
  const { merchant, environment, cursor, action, actor, actor_kind } = query
  const { target_kind, target_id, created_at__gte: from, created_at__lte: to } = query
  return sql`
    ${merchant === undefined ? sql`true` : sql`a.merchant_id = ${merchant}`}
    ${environment === undefined ? sql`` : inEnvironment(sql, environment)}
    ${action === undefined ? sql`` : sql`and a.action = ${action}`}
    ${actor === undefined ? sql`` : sql`and a.actor_id = ${actor}`}
    ${actor_kind === undefined ? sql`` : sql`and a.actor_kind = ${actor_kind}`}
    ${target_kind === undefined ? sql`` : sql`and a.target_kind = ${target_kind}`}
    ${target_id === undefined ? sql`` : sql`and a.target_id = ${target_id}`}
    ${from === undefined ? sql`` : since(sql, from)}
    ${to === undefined ? sql`` : until(sql, to)}
    ${cursor === undefined ? sql`` : beyond(sql, cursor)}`
}

const inEnvironment = (sql: Sql, environment: Environment): Fragment =>
  sql`and (a.environment = ${environment} or a.environment is null)`

const beyond = (sql: Sql, { dir, id }: Cursor): Fragment =>
  dir === 'prev' ? sql`and a.id > ${id}` : sql`and a.id < ${id}`

// An id is made by a process, `created_at` by the database: the id is only required to be near,
// which keeps the list from walking through the whole log. There is no id from before 1970.
const since = (sql: Sql, moment: string): Fragment => sql`
  and a.created_at >= ${moment}::text::timestamptz
  and a.id >= uuid_floor(
    greatest(${moment}::text::timestamptz - interval '10 minutes', 'epoch'::timestamptz))`

const until = (sql: Sql, moment: string): Fragment => sql`
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
export const listTargets = (sql: Sql, query: TargetsQuery): Promise<Targets[]> => sql<Targets[]>`
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
  const [row] = await sql<{ count: number }[]>`
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
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from audit_logs
     where merchant_id = ${query.merchant_id} and target_kind = ${query.target_kind}
       and target_id = ${query.target_id} and before ->> ${query.had} is not null`
  return row?.count ?? 0
}
