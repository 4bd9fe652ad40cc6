// The statements of the idempotency mechanism that are not part of a composed one.

import type { Sql } from '../db.ts'
import type { Once } from '../http/route.ts'
import { type Kept, keptText } from '../packed/kept.ts'
import { pack } from '../packed/pack.ts'
import { homeOf } from '../places/places.ts'

type Key = Extract<Once, { none: false }>

export type KeyRow = Readonly<{
  fingerprint: Buffer
  transaction_id: string | null
  attempt_id: string | null
  status: number | null
  answer: string | null
  lease_no: bigint
  /** By the database's clock: a call is under way with this key. */
  running: boolean
}>

/** Undefined when the key was never used. */
export async function findKey(sql: Sql, key: Key): Promise<KeyRow | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<(Omit<KeyRow, 'answer'> & Kept)[]>`
    select fingerprint, transaction_id, attempt_id, status, plain, packed, lease_no,
           leased_until > now() as running
      from idempotency_keys
     where merchant_id = ${key.merchant_id} and environment = ${key.environment}
       and key = ${key.key}`
  return row && { ...row, answer: keptText(row) }
}

/** Claims an unused key, with nothing committed under it yet. The lease, or undefined. */
export async function insertKey(sql: Sql, key: Key, lease_s: number): Promise<bigint | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<{ lease_no: bigint }[]>`
    insert into idempotency_keys (merchant_id, environment, key, fingerprint, leased_until)
    values (${key.merchant_id}, ${key.environment}, ${key.key}, ${key.fingerprint},
      now() + ${lease_s} * interval '1 second')
    on conflict (merchant_id, environment, key) do nothing
    returning lease_no`
  return row?.lease_no
}

/** Takes over from a process that died: its lease is over and no answer is kept. */
export async function takeOverKey(
  sql: Sql,
  key: Key,
  lease_no: bigint,
  lease_s: number,
): Promise<bigint | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<{ lease_no: bigint }[]>`
    update idempotency_keys
       set lease_no = lease_no + 1, leased_until = now() + ${lease_s} * interval '1 second'
     where merchant_id = ${key.merchant_id} and environment = ${key.environment}
       and key = ${key.key} and lease_no = ${lease_no}
       and status is null and leased_until <= now()
    returning lease_no`
  return row?.lease_no
}

/**
 * Keeps an answer for a key, unless one is kept, which then is returned instead. If the key has
 * been given back and used for another body since, that one keeps it.
 */
export async function storeAnswer(
  sql: Sql,
  key: Key,
  answer: { status: number; json: string },
): Promise<{ status: number; json: string; kept: boolean }> {
  const [row] = await homeOf(sql, key.merchant_id)<(Kept & { status: number })[]>`
    insert into idempotency_keys as k
      (merchant_id, environment, key, fingerprint, status, packed, leased_until)
    values (${key.merchant_id}, ${key.environment}, ${key.key}, ${key.fingerprint},
      ${answer.status}, ${pack(answer.json)}, now())
    on conflict (merchant_id, environment, key) do update
       set status = coalesce(k.status, excluded.status),
           packed = case when k.status is null then excluded.packed else k.packed end
     where k.fingerprint = excluded.fingerprint
    returning status, plain, packed`
  const json = (row && keptText(row)) ?? answer.json
  return { status: row?.status ?? answer.status, json, kept: json === answer.json }
}

/**
 * Keeps a refusal of a call that made nothing: only with the key's own lease (`lease_no`), or where
 * the key is unused (0n). False when it is another call's.
 */
export async function storeRefusal(
  sql: Sql,
  key: Key,
  answer: { status: number; json: string },
): Promise<boolean> {
  const rows = await homeOf(sql, key.merchant_id)`
    insert into idempotency_keys as k
      (merchant_id, environment, key, fingerprint, status, packed, leased_until)
    values (${key.merchant_id}, ${key.environment}, ${key.key}, ${key.fingerprint},
      ${answer.status}, ${pack(answer.json)}, now())
    on conflict (merchant_id, environment, key) do update
       set status = excluded.status, packed = excluded.packed
     where k.lease_no = ${key.lease_no} and k.status is null
    returning 1 as one`
  return rows.count === 1
}

/** Gives a key back under which nothing was committed (400, 404, 409 …: contract 4.3). */
export async function deleteKey(sql: Sql, key: Key, lease_no: bigint): Promise<void> {
  await homeOf(sql, key.merchant_id)`
    delete from idempotency_keys
     where merchant_id = ${key.merchant_id} and environment = ${key.environment}
       and key = ${key.key} and lease_no = ${lease_no} and status is null
       and transaction_id is null`
}

/** Gives back a key whose statement claimed it but then made nothing (the prompt limit refused). */
export async function deleteEmptyClaim(sql: Sql, key: Key, transaction_id: string): Promise<void> {
  await homeOf(sql, key.merchant_id)`
    delete from idempotency_keys
     where merchant_id = ${key.merchant_id} and environment = ${key.environment}
       and key = ${key.key} and transaction_id = ${transaction_id} and status is null`
}

/** What is begun, and whether the answer will have a person (see `Claim`). */
export type Begun = Readonly<{ transaction_id: string; attempt_id: string; names_person?: true }>

/**
 * Records what is begun under a key that was claimed before the verb ran. False: it was taken over.
 */
export async function markProgress(
  sql: Sql,
  key: Key,
  { transaction_id, attempt_id, names_person }: Begun,
): Promise<boolean> {
  const rows = await homeOf(sql, key.merchant_id)`
    update idempotency_keys
       set transaction_id = ${transaction_id}, attempt_id = ${attempt_id},
           names_person = ${names_person ?? null}::boolean
     where merchant_id = ${key.merchant_id} and environment = ${key.environment}
       and key = ${key.key} and lease_no = ${key.lease_no} and status is null
    returning 1 as one`
  return rows.count === 1
}

/** How many pages the table of one place has; undefined where a view stands for it. */
export async function countKeyPages(at: Sql): Promise<number | undefined> {
  const [row] = await at<{ pages: number }[]>`
    select (pg_relation_size(oid) / current_setting('block_size')::int)::int as pages
      from pg_class where oid = 'idempotency_keys'::regclass and relkind = 'r'`
  return row?.pages
}

type OldKeys = Readonly<{
  days: number
  limit: number
  /** On these alone, from `low` to before `high`. */
  pages?: Readonly<{ low: number; high: number }>
}>

/**
 * Of one place, those without a call under way. A locked one is left for another time. Pages
 * are read as they are: the index by time is of no use there, and is kept out of the plan.
 */
export async function deleteOldKeys(at: Sql, { days, limit, pages }: OldKeys): Promise<number> {
  const isOver =
    pages === undefined
      ? at`created_at < now() - ${days} * interval '1 day'`
      : at`ctid >= ${`(${pages.low},0)`}::tid and ctid < ${`(${pages.high},0)`}::tid
           and created_at + ${days} * interval '1 day' < now()`
  const deleted = await at`
    delete from idempotency_keys
     where (merchant_id, environment, key) in (
           select merchant_id, environment, key from idempotency_keys
            where ${isOver} and leased_until < now()
            limit ${limit} for update skip locked)`
  return deleted.count
}
