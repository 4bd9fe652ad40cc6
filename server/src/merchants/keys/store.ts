// The statements about API keys that are not part of a composed one; reading one with a call is in
// ../store.ts.

import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import type { SortBy } from '../../platform/http/filters.ts'
import { ownershipOf } from '../../platform/http/ownership.ts'
import type { Environment, Scope } from '../../platform/http/route.ts'
import { control } from '../../platform/places/places.ts'
import { jsonRows } from '../../platform/sql.ts'
import type { ApiKey, KeyStatus } from './api-key.ts'

/** Of the relation `of`. */
export const keyStatusOf = (sql: Sql, of: 'k' | 't'): Fragment => sql`
  case when ${sql(of)}.revoked_at is not null then 'REVOKED'
       when ${sql(of)}.expires_at <= now() then 'EXPIRED'
       else 'ACTIVE' end`

const statusOf = (sql: Sql): Fragment => keyStatusOf(sql, 'k')

const keyColumns = (sql: Sql): Fragment => sql`
  k.merchant_id, k.id, k.name, k.environment, k.scope, k.key_prefix, k.last4,
  ${statusOf(sql)} as status, k.ip_whitelist, k.read_only, k.expires_at, k.revoked_at,
  k.last_used_at, k.last_used_ip,
  k.rotated_to, k.created_by_member, k.created_at,
  greatest(k.changed_at, k.revoked_at, k.created_at) as updated_at`

/** A merchant's keys of one environment. */
export type KeysOf = Readonly<{ merchant_id: string; environment: Environment }>
export type KeyId = KeysOf & Readonly<{ id: string }>

export type NewKeyRow = Readonly<{
  hash: Buffer
  id: string
  merchant_id: string
  environment: Environment
  scope: Scope
  name: string
  key_prefix: string
  last4: string
  ip_whitelist: readonly string[]
  read_only: boolean
  expires_at: Date | null
  created_by_member: string | null
}>

export async function insertKeyRow(sql: Sql, key: NewKeyRow): Promise<void> {
  await sql`
    insert into api_keys
      (hash, id, merchant_id, environment, scope, name, key_prefix, last4, ip_whitelist, read_only,
       expires_at, created_by_member)
    values (${key.hash}, ${key.id}, ${key.merchant_id}, ${key.environment}, ${key.scope},
      ${key.name}, ${key.key_prefix}, ${key.last4}, ${[...key.ip_whitelist]}::text[],
      ${key.read_only}, ${key.expires_at}, ${key.created_by_member})`
}

/** Deleted keys are in no answer; their rows stay, so that what they did has a name. */
const isShown = (sql: Sql, { merchant_id, environment }: KeysOf): Fragment => sql`
  k.merchant_id = ${merchant_id} and k.environment = ${environment} and k.deleted_at is null`

export const keySortFields = ['created_at', 'name'] as const

export type KeysQuery = KeysOf &
  Readonly<{
    status: KeyStatus | undefined
    /** In name and in what is shown of the secret, whatever the case. */
    search: string | undefined
    orders: readonly SortBy<(typeof keySortFields)[number]>[]
    limit: number
    offset: number
  }>

/** A page of keys, and how many there are in all. */
export async function listKeys(
  sql: Sql,
  query: KeysQuery,
): Promise<{ count: number; rows: ApiKey[] }> {
  const { limit, offset } = query
  const shown = sql`${isShown(sql, query)} ${keyFilters(sql, query)}`
  const [rows, [total]] = await Promise.all([
    sql<ApiKey[]>`
      select ${keyColumns(sql)}
        from api_keys k
       where ${shown}
       order by ${ordered(sql, query)} k.id desc
       limit ${limit} offset ${offset}`,
    sql<{ count: number }[]>`select count(*)::int as count from api_keys k where ${shown}`,
  ])
  return { count: total?.count ?? 0, rows }
}

function keyFilters(sql: Sql, { status, search }: KeysQuery): Fragment {
  const text = sql`lower(concat_ws(E'\n', k.name, k.key_prefix, k.last4))`
  return sql`
    ${status === undefined ? sql`` : sql`and ${statusOf(sql)} = ${status}`}
    ${search === undefined ? sql`` : sql`and strpos(${text}, lower(${search})) > 0`}`
}

const ordered = (sql: Sql, { orders }: KeysQuery): Fragment =>
  orders.reduce(
    (all, { field, descending }) =>
      sql`${all} k.${sql(field)} ${descending ? sql`desc` : sql`asc`},`,
    sql``,
  )

export async function findKey(sql: Sql, key: KeyId): Promise<ApiKey | undefined> {
  const [row] = await control(sql)<ApiKey[]>`
    select ${keyColumns(sql)} from api_keys k where k.id = ${key.id} and ${isShown(sql, key)}`
  return row
}

/** The member who made each key; otherwise the merchant's first owner. */
export async function listMembersBehindKeys(
  sql: Sql,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await control(sql)<{ id: string; member_id: string | null }[]>`
    select k.id, coalesce(k.created_by_member, (
             select b.person_id
               from memberships b
              where b.merchant_id = k.merchant_id and b.role = 'OWNER'
              order by b.created_at, b.person_id
              limit 1)) as member_id
      from api_keys k
     where k.id = any(${[...ids]}::uuid[])`
  return new Map(rows.map(({ id, member_id }) => [id, member_id]))
}

/** Changes of the key queue up behind this lock. */
export async function lockKey(tx: Tx, key: KeyId): Promise<ApiKey | undefined> {
  const [row] = await tx<ApiKey[]>`
    select ${keyColumns(tx)}
      from api_keys k
     where k.id = ${key.id} and ${isShown(tx, key)}
       for update`
  return row
}

/** Whosever it is: for the command line. */
export async function lockAnyKey(
  sql: Sql,
  id: string,
): Promise<(KeysOf & Readonly<{ is_revoked: boolean }>) | undefined> {
  const [row] = await sql<(KeysOf & { is_revoked: boolean })[]>`
    select merchant_id, environment, revoked_at is not null as is_revoked
      from api_keys where id = ${id} for update`
  return row
}

export const requireOwnKey = ownershipOf('api_keys', {
  at_control: true,
  only: (sql) => sql`deleted_at is null`,
})

/** New keys of one merchant and environment queue up here, so that they can be counted. */
export async function lockKeysOf(tx: Tx, of: KeysOf): Promise<void> {
  const name = `api_keys ${of.merchant_id} ${of.environment}`
  await tx`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
}

/** Active ones: those with no successor yet, and those that were rotated away. */
export async function countActiveKeys(
  tx: Tx,
  of: KeysOf,
): Promise<{ active: number; leaving: number }> {
  const [row] = await tx<{ active: number; leaving: number }[]>`
    select count(*) filter (where k.rotated_to is null)::int as active,
           count(k.rotated_to)::int as leaving
      from api_keys k
     where ${isShown(tx, of)} and ${statusOf(tx)} = 'ACTIVE'`
  return row ?? { active: 0, leaving: 0 }
}

export type KeyFields = Pick<ApiKey, 'name' | 'ip_whitelist' | 'read_only'>

/** Writes all of them: call under `lockKey`, with what was not changed as it was. */
export async function updateKey(tx: Tx, id: string, next: KeyFields): Promise<void> {
  await tx`
    update api_keys
       set name = ${next.name}, ip_whitelist = ${[...next.ip_whitelist]}::text[],
           read_only = ${next.read_only}, changed_at = now()
     where id = ${id}`
}

/** Those that a member made and that still work, in both environments, newest first. */
export const lockKeysMadeBy = (
  tx: Tx,
  { merchant_id, person_id }: Readonly<{ merchant_id: string; person_id: string }>,
): Promise<ApiKey[]> => tx<ApiKey[]>`
  select ${keyColumns(tx)}
    from api_keys k
   where k.merchant_id = ${merchant_id} and k.environment in ('SANDBOX', 'LIVE')
     and k.created_by_member = ${person_id} and k.deleted_at is null
     and ${statusOf(tx)} = 'ACTIVE'
   order by k.created_at desc, k.id desc
     for update`

export async function revokeKeyRow(sql: Sql, id: string): Promise<void> {
  await sql`update api_keys set revoked_at = coalesce(revoked_at, now()) where id = ${id}`
}

/** Revoked too, since it is refused by that. */
export async function deleteKeyRow(tx: Tx, id: string): Promise<void> {
  await tx`
    update api_keys set deleted_at = now(), revoked_at = coalesce(revoked_at, now())
     where id = ${id}`
}

/**
 * The key ends after the overlap, or sooner where it would have ended sooner. The column would
 * round the moment up, and a key without an overlap would last a little longer.
 */
export async function updateSuccessor(
  tx: Tx,
  change: { id: string; rotated_to: string; overlap_s: number },
): Promise<void> {
  await tx`
    update api_keys
       set rotated_to = ${change.rotated_to},
           expires_at = least(expires_at, date_trunc('milliseconds', now())
                                + ${change.overlap_s} * interval '1 second')
     where id = ${change.id}`
}

/** How many of these are keys of the merchant, revoked or not. */
export async function countKeysOf(
  sql: Sql,
  merchant_id: string,
  hashes: readonly Buffer[],
): Promise<number> {
  const names = hashes.map((hash) => hash.toString('hex'))
  const [row] = await sql<{ found: number }[]>`
    select count(*)::int as found from api_keys
     where merchant_id = ${merchant_id} and encode(hash, 'hex') = any(${names}::text[])`
  return row?.found ?? 0
}

export async function revokeKeysNamed(
  sql: Sql,
  { merchant_id, environment, name }: Pick<NewKeyRow, 'merchant_id' | 'environment' | 'name'>,
): Promise<void> {
  await sql`
    update api_keys set revoked_at = now()
     where merchant_id = ${merchant_id} and environment = ${environment} and name = ${name}
       and revoked_at is null`
}

export type LastUse = Readonly<{ id: string; ip: string; ago_ms: number }>

/** Of several processes the newest use stays. Locked in the order of ids. */
export async function updateLastUses(sql: Sql, uses: readonly LastUse[]): Promise<void> {
  await sql`
    with used as (
      select r.id, r.ip, now() - r.ago_ms * interval '1 millisecond' as at
        from ${jsonRows(
          sql,
          uses,
          sql`
        id uuid, ip text, ago_ms float8`,
        )} as r
    ), locked as (
      select k.id, u.ip, u.at
        from api_keys k
        join used u on u.id = k.id
       order by k.id
         for no key update of k
    )
    update api_keys k
       set last_used_at = l.at, last_used_ip = l.ip
      from locked l
     where k.id = l.id and (k.last_used_at is null or k.last_used_at < l.at)`
}
