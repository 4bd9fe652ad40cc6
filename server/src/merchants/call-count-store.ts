// Who calls, and how many calls that makes in their minute (contract 3.6), read and counted in one
// round trip: a key's call, a member's, and a person's without a merchant. A merchant has one
// counter for all its keys and sessions. What is claimed ahead of it is in allowance.ts.

import { batchCalls, perPool } from '../platform/batch-calls.ts'
import type { Db, Sql } from '../platform/db.ts'
import type { Environment, Scope } from '../platform/http/route.ts'
import { jsonRows } from '../platform/sql.ts'
import type { Role } from './roles.ts'
import { hasHadLive } from './settings/store.ts'

export type KeyFound = Readonly<{
  api_key_id: string
  merchant_id: string
  environment: Environment
  scope: Scope
  /** The only addresses that it may call from; none: any. */
  ip_whitelist: readonly string[]
  read_only: boolean
  is_expired: boolean
  is_revoked: boolean
  is_suspended: boolean
  live_enabled: boolean
  fee_charge_mode_locked: 'ADD_ON' | 'DEDUCTED' | null
  allowed_countries: readonly string[] | null
  sandbox_dialects: Readonly<Record<string, string>>
  rate_limit_per_minute: number
  /** Unix seconds of the minute that counts now, by the database's clock. */
  minute_s: number
  reset_s: number
  /**
   * How much of the minute is used after this call; null when the counter refused or was spared.
   */
  used: number | null
  touched: boolean
  /** The counter refused this call together with others of its merchant: alone it may still fit. */
  with_others: boolean
  catalogue_version: bigint
}>

export type KeyLookup = Readonly<{
  hash: Buffer
  /** The minute (Unix seconds) of which this process holds allowance for the call; else 0. */
  leased_minute_s: number
  /** Above this many calls a minute, `block` calls are claimed at once. */
  block_from: number
  block: number
}>

/**
 * Reads a key and counts the call in its merchant's minute, in one round trip; calls that come
 * meanwhile are read and counted together. The counter row is not touched when this process holds
 * allowance of that very minute, nor for a key that will be refused.
 */
export const findKeyAndCount = (db: Db, lookup: KeyLookup): Promise<KeyFound | undefined> =>
  keyBatch(db)(lookup)

const keyBatch = perPool((db) =>
  batchCalls<KeyLookup, KeyFound | undefined>({
    run: async (all) => {
      const rows = ownCounts(await findKeysAndCount(db, all))
      return all.map((_one, at) => rows.get(at))
    },
  }),
)

type KeyRow = KeyFound & Readonly<{ at: number; take: number; used_by_all: number | null }>

/** The counter moved once for all calls of a merchant: each gets the count that was its own. */
function ownCounts(rows: readonly KeyRow[]): Map<number, KeyFound> {
  const left = new Map<string, number>()
  const callers = new Map<string, number>()
  for (const { merchant_id, touched, take } of rows) {
    if (!touched) continue
    left.set(merchant_id, (left.get(merchant_id) ?? 0) + take)
    callers.set(merchant_id, (callers.get(merchant_id) ?? 0) + 1)
  }
  const found = new Map<number, KeyFound>()
  for (const { at, take, used_by_all, ...row } of rows) {
    const { merchant_id } = row
    const after = (left.get(merchant_id) ?? 0) - take
    if (row.touched) left.set(merchant_id, after)
    const used = row.touched && used_by_all !== null ? used_by_all - after : null
    const with_others = (callers.get(merchant_id) ?? 0) > 1
    found.set(at, { ...row, used, with_others })
  }
  return found
}

async function findKeysAndCount(sql: Sql, all: readonly KeyLookup[]): Promise<KeyRow[]> {
  const lookups = all.map((one, at) => ({ at, ...one, hash: one.hash.toString('base64') }))
  return sql<KeyRow[]>`
    with found as (
      select r.at, r.leased_minute_s,
             case when m.rate_limit_per_minute > r.block_from
                  then r.block else least(1, m.rate_limit_per_minute) end as take,
             k.id as api_key_id, k.merchant_id, k.environment, k.scope,
             k.ip_whitelist, k.read_only,
             coalesce(k.expires_at <= now(), false) as is_expired,
             k.revoked_at is not null as is_revoked,
             m.status = 'SUSPENDED' as is_suspended,
             m.live_enabled, m.fee_charge_mode_locked, m.allowed_countries, m.sandbox_dialects,
             m.rate_limit_per_minute, date_trunc('minute', now()) as minute
        from ${jsonRows(
          sql,
          lookups,
          sql`at int, hash text, leased_minute_s int, block_from int, block int`,
        )} as r
        join api_keys k on k.hash = decode(r.hash, 'base64')
        join merchants m on m.id = k.merchant_id
    ), to_count as (
      select at, merchant_id, minute, rate_limit_per_minute, take from found
       where not is_expired and not is_revoked and (environment = 'SANDBOX' or live_enabled)
         and extract(epoch from minute) <> leased_minute_s
    ), wanted as (
      select merchant_id, minute, rate_limit_per_minute, sum(take) as take
        from to_count group by merchant_id, minute, rate_limit_per_minute
    ), counted as (
      insert into rate_windows as w (merchant_id, minute, used)
      select merchant_id, minute, take from wanted
       where take <= rate_limit_per_minute order by merchant_id
      on conflict (merchant_id, minute) do update
         set used = w.used + excluded.used
       where w.used + excluded.used <= (select rate_limit_per_minute from wanted
                                         where wanted.merchant_id = w.merchant_id)
      returning merchant_id, used
    )
    select f.at, f.take, f.api_key_id, f.merchant_id, f.environment, f.scope, f.ip_whitelist,
           f.read_only, f.is_expired, f.is_revoked, f.is_suspended, f.live_enabled,
           f.fee_charge_mode_locked,
           f.allowed_countries, f.sandbox_dialects, f.rate_limit_per_minute,
           extract(epoch from f.minute)::int as minute_s,
           ceil(extract(epoch from f.minute + interval '1 minute' - now()))::int as reset_s,
           (select c.used from counted c where c.merchant_id = f.merchant_id) as used_by_all,
           exists (select 1 from to_count a where a.at = f.at) as touched,
           (select version from catalogue_version) as catalogue_version
      from found f
     order by f.at`
}

/** One more call in a minute whose block did not fit any more. */
export async function countOne(
  sql: Sql,
  merchant_id: string,
  limit: number,
): Promise<number | undefined> {
  const [row] = await sql<{ used: number }[]>`
    insert into rate_windows as w (merchant_id, minute, used)
    values (${merchant_id}, date_trunc('minute', now()), 1)
    on conflict (merchant_id, minute) do update set used = w.used + 1
     where w.used < ${limit}
    returning used`
  return row?.used
}

/**
 * Counters of minutes long gone, and of prompts once neither their day nor their ten minutes run
 * any more. Returns how many rows went.
 */
export async function deleteOldWindows(sql: Sql): Promise<number> {
  const gone = await sql`
    delete from rate_windows where minute < now() - interval '5 minutes'`
  const prompts = await sql`
    delete from prompt_windows
     where day_started_at < now() - interval '1 day'
       and window_started_at < now() - interval '10 minutes'`
  return gone.count + prompts.count
}

export type MemberFound = Readonly<{
  merchant_id: string
  role: Role
  is_suspended: boolean
  live_enabled: boolean
  has_had_live: boolean
  fee_charge_mode_locked: 'ADD_ON' | 'DEDUCTED' | null
  allowed_countries: readonly string[] | null
  sandbox_dialects: Readonly<Record<string, string>>
  rate_limit_per_minute: number
  reset_s: number
  /** How much of the minute is used after this call; null when there is no allowance left. */
  used: number | null
  catalogue_version: bigint
}>

/**
 * A person's membership of a merchant (the first one when none is named), and the call counted in
 * that merchant's minute, with all its keys and sessions. LIVE is not counted where it is not open.
 */
export async function findMemberAndCount(
  sql: Sql,
  lookup: { person_id: string; merchant_id: string | null; live: boolean },
): Promise<MemberFound | undefined> {
  const [row] = await sql<MemberFound[]>`
    with found as (
      select b.merchant_id, b.role, m.status = 'SUSPENDED' as is_suspended, m.live_enabled,
             ${hasHadLive(sql)} as has_had_live,
             m.fee_charge_mode_locked, m.allowed_countries, m.sandbox_dialects,
             m.rate_limit_per_minute, date_trunc('minute', now()) as minute
        from memberships b
        join merchants m on m.id = b.merchant_id
       where b.person_id = ${lookup.person_id}
         and (${lookup.merchant_id}::uuid is null or b.merchant_id = ${lookup.merchant_id}::uuid)
       order by b.created_at, b.merchant_id
       limit 1
    ), counted as (
      insert into rate_windows as w (merchant_id, minute, used)
      select merchant_id, minute, 1 from found where live_enabled or not ${lookup.live}
      on conflict (merchant_id, minute) do update set used = w.used + 1
       where w.used < (select rate_limit_per_minute from found)
      returning used
    )
    select f.merchant_id, f.role, f.is_suspended, f.live_enabled, f.has_had_live,
           f.fee_charge_mode_locked, f.allowed_countries, f.sandbox_dialects,
           f.rate_limit_per_minute,
           ceil(extract(epoch from f.minute + interval '1 minute' - now()))::int as reset_s,
           (select used from counted) as used,
           (select version from catalogue_version) as catalogue_version
      from found f`
  return row
}

/** Counts a call of a person without a merchant; the same table, under the person's own id. */
export async function countPersonsCall(
  sql: Sql,
  person_id: string,
  limit: number,
): Promise<{ used: number | null; reset_s: number }> {
  const [row] = await sql<{ used: number | null; reset_s: number }[]>`
    with counted as (
      insert into rate_windows as w (merchant_id, minute, used)
      values (${person_id}, date_trunc('minute', now()), 1)
      on conflict (merchant_id, minute) do update set used = w.used + 1
       where w.used < ${limit}
      returning used
    )
    select (select used from counted) as used,
           ceil(extract(epoch from
             date_trunc('minute', now()) + interval '1 minute' - now()))::int as reset_s`
  return row ?? { used: null, reset_s: 1 }
}
