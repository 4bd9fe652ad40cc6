// What operators sent, as it came; and, for those with one fixed address, which attempt a reference
// means.

import type { CallbackProof, Received } from '../gateways/gateway.ts'
import { jsonb, orNull, type RowOf, text, typedList, uuid } from '../platform/columns.ts'
import type { Fragment, Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { idFromHash, timeOfId } from '../platform/ids.ts'
import { eachGroup, homeOf } from '../platform/places/places.ts'
import { type Gate, jsonRows, type Part, part } from '../platform/sql.ts'
import type { AttemptKeyOf } from './attempt.ts'

/** What is kept of a callback's request; times in milliseconds since 1970. */
export type KeptRequest = Readonly<Omit<Received, 'body'>>

/** A callback as the commit that it causes keeps it; `gate_id` is in the relation of its gate. */
export const callbackRow = {
  merchant_id: uuid(),
  gate_id: uuid(),
  id: uuid(),
  environment: text<Environment>(),
  gateway_id: uuid(),
  attempt_id: orNull(uuid()),
  proof: text<CallbackProof>(),
  /** Its bytes, in Base64; and their hash. */
  raw: text(),
  body_hash: text(),
  /** What its signature covered beside them; null where nothing is signed. */
  request: orNull(jsonb<KeptRequest>()),
}
export type CallbackRow = RowOf<typeof callbackRow>

/** `callback_kept as (…)`: the raw callback, in the commit that it caused. */
export function keepCallbacks(sql: Sql, rows: readonly CallbackRow[], { when }: Gate): Part<never> {
  const kept = sql`callback_kept as (
    insert into gateway_callbacks
      (merchant_id, id, environment, gateway_id, attempt_id, proof, raw, body_hash, request,
       outcome)
    select c.merchant_id, c.id, c.environment, c.gateway_id, c.attempt_id, c.proof,
           decode(c.raw, 'base64'), decode(c.body_hash, 'base64'), c.request, 'APPLIED'
      from ${jsonRows(sql, rows, typedList(sql, callbackRow))} as c
     where exists (select 1 from ${sql(when.name)} g where g.id = c.gate_id)
    -- The same body may have come unsigned before: what settled is the signed one.
    on conflict (merchant_id, id) do update
       set proof = excluded.proof, request = excluded.request, outcome = 'APPLIED')`
  return part('callback_kept', kept)
}

export type CallbackRecord = Readonly<{
  merchant_id: string
  id: string
  environment: Environment
  gateway_id: string
  attempt_id: string | null
  proof: CallbackProof
  raw: Buffer
  body_hash: Buffer
  request: KeptRequest | null
  outcome: 'APPLIED' | 'WOKE' | 'WAITING' | 'UNMATCHED'
  /** When a callback that has no attempt yet is looked at again. Seconds; null for never. */
  due_after_s: number | null
}>

/** How many unsigned bodies are kept of one attempt; further ones only wake it. */
export const unsignedKeptMost = 20

/**
 * Keeps a callback that moves nothing by itself; a repeated one is kept once, and the signed one in
 * place of another.
 */
export async function keepCallback(sql: Sql, callback: CallbackRecord): Promise<void> {
  await homeOf(sql, callback.merchant_id)`
    insert into gateway_callbacks (merchant_id, id, environment, gateway_id, attempt_id, proof,
      raw, body_hash, request, outcome, due_at)
    select ${callback.merchant_id}, ${callback.id}, ${callback.environment},
      ${callback.gateway_id}, ${callback.attempt_id}, ${callback.proof}, ${callback.raw},
      ${callback.body_hash}, ${jsonOrNull(sql, callback.request)}, ${callback.outcome},
      now() + ${callback.due_after_s}::int * interval '1 second'
     where ${callback.proof === 'SIGNED' ? sql`true` : fewUnsigned(sql, callback)}
    on conflict (merchant_id, id) do update
       set proof = excluded.proof, request = excluded.request, outcome = excluded.outcome,
           due_at = excluded.due_at
     where excluded.proof = 'SIGNED' and gateway_callbacks.proof <> 'SIGNED'`
}

const jsonOrNull = (sql: Sql, value: KeptRequest | null) =>
  value === null ? null : sql.json(value)

/** Callbacks of an attempt have ids of its own millisecond, so the primary key finds them. */
function fewUnsigned(sql: Sql, { merchant_id, id, attempt_id }: CallbackRecord): Fragment {
  const ms = timeOfId(id)
  return sql`(
    select count(*) from (
      select 1 from gateway_callbacks k
       where k.merchant_id = ${merchant_id} and k.attempt_id = ${attempt_id}
         and k.id between ${idFromHash(ms, Buffer.alloc(32))}
                      and ${idFromHash(ms, Buffer.alloc(32, 0xff))}
       limit ${unsignedKeptMost}) as kept) < ${unsignedKeptMost}`
}

/** For gateways with one fixed callback address: which attempt a reference means. */
export async function insertDirectoryRow(
  sql: Sql,
  row: { gateway_id: string; key: string; merchant_id: string; attempt_id: string },
): Promise<void> {
  await sql`
    insert into callback_directory (gateway_id, key, merchant_id, attempt_id)
    values (${row.gateway_id}, ${row.key}, ${row.merchant_id}, ${row.attempt_id})
    on conflict (gateway_id, key) do nothing`
}

/** Undefined for a reference that means no attempt, whatever it is made of. */
export async function findDirectoryRow(
  sql: Sql,
  gateway_id: string,
  key: string,
): Promise<AttemptKeyOf | undefined> {
  // The database would refuse it, and strangers choose what a callback says.
  if (key.includes('\0')) return undefined
  const [row] = await sql<AttemptKeyOf[]>`
    select merchant_id, attempt_id as id from callback_directory
     where gateway_id = ${gateway_id} and key = ${key}`
  return row
}

export type WaitingCallback = Readonly<{
  merchant_id: string
  id: string
  environment: Environment
  gateway_id: string
  /** Known already of one that waits for a key. */
  attempt_id: string | null
  proof: CallbackProof
  raw: Buffer
  body_hash: Buffer
  request: KeptRequest | null
  age_s: number
}>

/** Callbacks whose attempt, or key, was not known when they came. */
export async function listWaitingCallbacks(sql: Sql, limit: number): Promise<WaitingCallback[]> {
  return eachGroup(
    sql,
    (at) => at<WaitingCallback[]>`
    select merchant_id, id, environment, gateway_id, attempt_id, proof, body_hash, request,
           coalesce(raw, convert_to(body, 'UTF8')) as raw,
           extract(epoch from now() - created_at)::int as age_s
      from gateway_callbacks
     where due_at <= now() order by due_at limit ${limit}`,
  )
}

export async function updateWaitingCallback(
  sql: Sql,
  key: { merchant_id: string; id: string },
  next: {
    outcome: 'APPLIED' | 'WOKE' | 'WAITING' | 'UNMATCHED'
    due_after_s: number | null
    /** Where it is judged otherwise now than when it came. */
    proof?: CallbackProof
  },
): Promise<void> {
  await homeOf(sql, key.merchant_id)`
    update gateway_callbacks
       set outcome = ${next.outcome}, proof = coalesce(${next.proof ?? null}, proof),
           due_at = now() + ${next.due_after_s}::int * interval '1 second'
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
}

/** A callback without its body, which may hold a payer's data. */
export type CallbackFacts = Readonly<{
  id: string
  gateway_id: string
  proof: 'SIGNED' | 'UNSIGNED'
  outcome: string
  created_at: Date
}>

type CallbacksOf = Readonly<{
  merchant_id: string
  attempt_id: string | null
  callback_id: string | null
}>

/** Those that named the attempt, and the one named here, the earliest first. */
export async function listCallbacksOf(
  sql: Sql,
  { merchant_id, attempt_id, callback_id }: CallbacksOf,
): Promise<CallbackFacts[]> {
  // A callback's id begins with the time of its attempt's (docs/decisions/0005).
  const time = attempt_id?.slice(0, 13)
  const of_attempt =
    time === undefined
      ? sql`false`
      : sql`attempt_id = ${attempt_id}
            and id between ${`${time}-0000-0000-000000000000`}
                       and ${`${time}-ffff-ffff-ffffffffffff`}`
  return homeOf(sql, merchant_id)<CallbackFacts[]>`
    select id, gateway_id, proof, outcome, created_at
      from gateway_callbacks
     where merchant_id = ${merchant_id} and ${of_attempt}
    union
    select id, gateway_id, proof, outcome, created_at
      from gateway_callbacks
     where merchant_id = ${merchant_id} and id = ${callback_id}
     order by created_at, id
     limit 100`
}
