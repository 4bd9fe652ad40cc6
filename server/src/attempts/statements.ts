// The attempts' parts of a composed statement: writing one, accepting an answer, ending it. That
// there is at most one open attempt is a unique index that these run against, not a check made
// beforehand.

import type { CallbackProof, Received } from '../gateways/gateway.ts'
import { nameList, selectList, typedList } from '../platform/columns.ts'
import type { Fragment, Sql, Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import {
  type Gate,
  jsonRows,
  type OptionalGate,
  type Part,
  part,
  type Relation,
  statusList,
} from '../platform/sql.ts'
import { lastTwo, type Traces, without } from '../platform/traces.ts'
import {
  type AttemptPlan,
  type NextAction,
  queryAfterRefusalS,
  queryTimeS,
  sendTimeS,
} from './attempt.ts'
import { attemptRow, newAttemptRow } from './columns.ts'
import { type AttemptStatus, attemptStates } from './states.ts'

/**
 * Not ended, so it may still be refused; the same condition as in the indexes
 * `attempts_one_open_of_…`.
 */
export const openStatuses = (sql: Sql): Fragment => statusList(sql, attemptStates.into('FAILED'))

/** What an ending may still change: SUCCESS is never left. */
const unsettledStatuses = (sql: Sql): Fragment => statusList(sql, attemptStates.into('SUCCESS'))

/** Every column of an attempt, with what the database's clock makes of it. */
export const attemptColumns = (sql: Sql): Fragment => sql`
  ${selectList(sql, attemptRow, 'a')},
  a.send_deadline > now() as may_send_again,
  extract(epoch from now() - coalesce(a.send_started_at, a.created_at))::int as grace_age_s,
  extract(epoch from now() - a.not_found_at)::int as not_found_age_s,
  a.asking_until <= now() as asking_is_over,
  coalesce(a.leased_until > now(), false) as leased`

export type NewAttempt = Readonly<{
  merchant_id: string
  environment: Environment
  transaction_id: string | null
  /** Which settlement it carries out, where it belongs to no transaction. */
  settlement_id?: string
  /** Which refund it carries out; and the attempt whose payment its operator gives back itself. */
  refund_id?: string
  refund_of?: string | null
  priority: number
  plan: AttemptPlan
  /** How long the process that writes it may take to send it and receive the answer. Seconds. */
  lease_s: number
  /**
   * When the first question is due, where that is before the lease ends: an answer that is written
   * within it then changes no index of the attempt. Seconds.
   */
  first_query_s?: number
}>

/**
 * The rows of `when` let attempts through, each with what it carries out (`id`) and its customer;
 * `after` must also have a row. Where one is written by itself, its customer is named.
 */
export type AttemptGate =
  | (Gate<'id' | 'customer_id'> & Readonly<{ after?: Relation }>)
  | Readonly<{ customer_id: string | null }>

/**
 * `attempt_made as (…)`: written as sent (`send_started_at`), because its writer sends it right
 * after the commit; if the writer dies, the gateway is queried before anything else.
 */
export function insertAttempts(sql: Sql, rows: readonly NewAttempt[], gate: AttemptGate): Part {
  const flat = rows.map(({ plan, first_query_s, ...row }) => ({
    ...plan,
    ...row,
    due_s: Math.min(row.lease_s, first_query_s ?? row.lease_s),
    asking_s: queryTimeS[plan.direction],
  }))
  const made = sql`attempt_made as (
    insert into attempts (${nameList(sql, newAttemptRow)}, customer_id, send_deadline,
      send_started_at, sends, leased_until, due_at, asking_until)
    select ${selectList(sql, newAttemptRow, 'r')}, ${customerThrough(sql, gate)},
      now() + ${sendTimeS} * interval '1 second', now(), 1,
      now() + r.lease_s * interval '1 second', now() + r.due_s * interval '1 second',
      now() + r.asking_s * interval '1 second'
      from ${jsonRows(
        sql,
        flat,
        sql`${typedList(sql, newAttemptRow)}, lease_s int, due_s int, asking_s int`,
      )} as r
      ${letThrough(sql, gate)}
    returning id)`
  return part('attempt_made', made)
}

const customerThrough = (sql: Sql, gate: AttemptGate): Fragment =>
  'when' in gate ? sql`g.customer_id` : sql`${gate.customer_id}::uuid`

function letThrough(sql: Sql, gate: AttemptGate): Fragment {
  if (!('when' in gate)) return sql``
  const { when, after } = gate
  return sql`
      join (select id as gate_id, customer_id from ${sql(when.name)}) as g
        on g.gate_id = coalesce(r.transaction_id, r.settlement_id, r.refund_id)
      ${after === undefined ? sql`` : sql`where exists (select 1 from ${sql(after.name)})`}`
}

export type Accepted = Readonly<{
  /** The id in the gate relation that lets it through: the transaction's. */
  gate_id: string
  merchant_id: string
  id: string
  lease_no: bigint
  external_reference: string
  next_action: NextAction
  checkout_url: string
  /** When the first query is due. Seconds. */
  ask_after_s: number
}>

/**
 * Whether the attempt (`due_at`, `leased_until`, `asked_at` of `of`) was woken under its lease, so
 * that it stays due. A question is due again when its lease ends, so anything earlier is a wake-up,
 * be it for a moment that is still to come (a hint). An attempt that was never asked about has its
 * first question before its lease ends; only waking, or a send that took so long, makes it due now.
 */
export const wokenUnderLease = (sql: Sql, of: Fragment = sql``): Fragment => sql`
  ${of}due_at < ${of}leased_until and (${of}asked_at is not null or ${of}due_at <= now())`

/**
 * `accepted as (…)`: the gateway has it and waits for the payer; the writer's lease ends. One that
 * is due before that stays due then (woken, or with its first question), or sooner where a page is
 * awaited. `due_at` is indexed, so this makes the update a cheap one.
 */
export function acceptAttempts(sql: Sql, rows: readonly Accepted[], { when }: Gate): Part {
  const accepted = sql`accepted as (
    update attempts a
       set status = 'PENDING', external_reference = r.external_reference,
           next_action = r.next_action, checkout_url = r.checkout_url,
           accepted_at = coalesce(a.accepted_at, now()), not_found_at = null,
           leased_until = null, updated_at = now(),
           due_at = case when a.due_at < a.leased_until
                         then least(a.due_at, now() + r.ask_after_s * interval '1 second')
                         else now() + r.ask_after_s * interval '1 second' end
      from ${jsonRows(
        sql,
        rows,
        sql`
        gate_id uuid, merchant_id uuid, id uuid, lease_no bigint,
        external_reference text, next_action text, checkout_url text,
        ask_after_s int`,
      )} as r
     where a.merchant_id = r.merchant_id and a.id = r.id
       and a.status in ${openStatuses(sql)} and a.lease_no = r.lease_no
       and exists (select 1 from ${sql(when.name)} g where g.id = r.gate_id)
    returning a.id)`
  return part('accepted', accepted)
}

export type AttemptEnd = Readonly<{
  merchant_id: string
  /** The id in the gate relation that lets it through. */
  gate_id: string
  id: string
  status: AttemptStatus
  gateway_ended: boolean
  external_reference: string
  failure_code: string
  failure_message: string
  gateway_detail: string
  /** When it is queried again, where we closed it ourselves; null when nothing is left to ask. */
  ask_after_s: number | null
}>

/**
 * `attempt_ended as (…)`: set-based; SUCCESS is never left. One that was woken under the lease
 * stays due (as in every statement here that ends a lease). `is_taken` rows do not end: the answer
 * showed that the operator took them.
 */
export function endAttempts(
  sql: Sql,
  ends: readonly AttemptEnd[],
  { when, is_taken = false }: OptionalGate & Readonly<{ is_taken?: boolean }> = {},
): Part {
  const taken = sql`acknowledged_at = coalesce(a.acknowledged_at, now()), not_found_at = null,`
  const ended = sql`attempt_ended as (
    update attempts a
       set status = e.status, gateway_ended = e.gateway_ended,
           external_reference = coalesce(nullif(e.external_reference, ''), a.external_reference),
           failure_code = e.failure_code, failure_message = e.failure_message,
           gateway_detail = e.gateway_detail,
           next_action = 'NONE', leased_until = null, ${is_taken ? taken : sql``}
           due_at = case when ${wokenUnderLease(sql, sql`a.`)} then a.due_at
                         -- By the row as it is now: its no may have come since this was decided.
                         when e.status = 'SUCCESS' and a.status = 'FAILED'
                         then now() + ${queryAfterRefusalS} * interval '1 second'
                         else now() + e.ask_after_s * interval '1 second' end,
           finished_at = case when e.status in ('SUCCESS', 'FAILED') then now() end,
           updated_at = now()
      from ${jsonRows(
        sql,
        ends,
        sql`
        merchant_id uuid, gate_id uuid, id uuid, status text, gateway_ended boolean,
        external_reference text, failure_code text, failure_message text,
        gateway_detail text, ask_after_s int`,
      )} as e
     where a.merchant_id = e.merchant_id and a.id = e.id
       and a.status in ${unsettledStatuses(sql)}
       ${when === undefined ? sql`` : sql`and exists (${gateOfEnd(sql, when)})`}
    returning a.id)`
  return part('attempt_ended', ended)
}

const gateOfEnd = (sql: Sql, { name }: Relation): Fragment => sql`
  select 1 from ${sql(name)} g where g.id = e.gate_id`

export type CallbackRow = Readonly<{
  merchant_id: string
  gate_id: string
  id: string
  environment: Environment
  gateway_id: string
  attempt_id: string | null
  proof: CallbackProof
  /** Its bytes, in Base64; and their hash. */
  raw: string
  body_hash: string
  /** What its signature covered beside them; null where nothing is signed. */
  request: KeptRequest | null
}>

/** What is kept of a callback's request; times in milliseconds since 1970. */
export type KeptRequest = Readonly<Omit<Received, 'body'>>

/** `callback_kept as (…)`: the raw callback, in the commit that it caused. */
export function keepCallbacks(sql: Sql, rows: readonly CallbackRow[], { when }: Gate): Part<never> {
  const kept = sql`callback_kept as (
    insert into gateway_callbacks
      (merchant_id, id, environment, gateway_id, attempt_id, proof, raw, body_hash, request,
       outcome)
    select c.merchant_id, c.id, c.environment, c.gateway_id, c.attempt_id, c.proof,
           decode(c.raw, 'base64'), decode(c.body_hash, 'base64'), c.request, 'APPLIED'
      from ${jsonRows(
        sql,
        rows,
        sql`
        merchant_id uuid, gate_id uuid, id uuid, environment text, gateway_id uuid,
        attempt_id uuid, proof text, raw text, body_hash text, request jsonb`,
      )} as c
     where exists (select 1 from ${sql(when.name)} g where g.id = c.gate_id)
    -- The same body may have come unsigned before: what settled is the signed one.
    on conflict (merchant_id, id) do update
       set proof = excluded.proof, request = excluded.request, outcome = 'APPLIED')`
  return part('callback_kept', kept)
}

type DecidedAttempt = Readonly<{
  merchant_id: string
  id: string
  status: AttemptStatus
  /** The lease that must not have been taken over since; undefined where it does not matter. */
  under_lease?: bigint | undefined
  not_found_at?: Date | null
  booked_by?: string | null
}>

/**
 * `same as (…)`: the attempt, locked, if it is still as it was when decided. `when` is the relation
 * that locks the transaction before it; absent where the transaction is not touched.
 */
export function attemptAsDecided(
  sql: Sql,
  attempt: DecidedAttempt,
  { when }: OptionalGate = {},
): Part {
  const { merchant_id, id, status, under_lease, not_found_at = null, booked_by = null } = attempt
  // What the operator reported meanwhile is not lost, and what people have booked is not booked
  // again.
  const unchanged = sql`and not_found_at = ${not_found_at}`
  const same = sql`same as (
    select id from attempts
     where merchant_id = ${merchant_id} and id = ${id} and status = ${status}
       and booked_by is not distinct from ${booked_by}
       ${not_found_at === null ? sql`` : unchanged}
       ${under_lease === undefined ? sql`` : sql`and lease_no = ${under_lease}`}
       ${when === undefined ? sql`` : sql`and exists (select 1 from ${sql(when.name)})`}
       for update)`
  return part('same', same)
}

/**
 * `same as (…)`: the attempt, locked, if only this sender has had it and the operator has not taken
 * it.
 */
export function attemptSentOnce(
  sql: Sql,
  attempt: { merchant_id: string; id: string },
  { when }: Gate,
): Part {
  const same = sql`same as (
    select id from attempts
     where merchant_id = ${attempt.merchant_id} and id = ${attempt.id}
       and status in ${openStatuses(sql)} and lease_no = 1 and accepted_at is null
       and exists (select 1 from ${sql(when.name)})
       for update)`
  return part('same', same)
}

/** What two people have booked for it; false when it has been paid meanwhile. */
export async function bookAttempt(
  tx: Tx,
  attempt: Readonly<{ merchant_id: string; id: string; booked_by: string; booked_amount: bigint }>,
): Promise<boolean> {
  const rows = await tx`
    update attempts
       set booked_by = ${attempt.booked_by}, booked_amount = ${attempt.booked_amount},
           updated_at = now()
     where merchant_id = ${attempt.merchant_id} and id = ${attempt.id}
       and status in ${unsettledStatuses(tx)}`
  return rows.count === 1
}

// Removes the payer from what we sent to gateways and from what they answered. The hash of each
// callback stays, because it is evidence.

type Of = Readonly<{
  merchant_id: string
  transaction_ids: readonly string[]
  /** Of the refunds of these payments. */
  refund_ids?: readonly string[]
}>

/** Attempts of these payments and of their refunds, as a condition on `a`. */
const ofThese = (sql: Sql, { transaction_ids, refund_ids = [] }: Of): Fragment =>
  refund_ids.length === 0
    ? sql`a.transaction_id = any(${[...transaction_ids]}::uuid[])`
    : sql`(a.transaction_id = any(${[...transaction_ids]}::uuid[])
           or (a.refund_id is not null and a.refund_id = any(${[...refund_ids]}::uuid[])))`

/** The attempts of these payments. */
export async function eraseAsked(tx: Tx, of: Of, traces: Traces): Promise<void> {
  await tx`
    update attempts a
       set operation_msisdn = ${lastTwo(tx, tx`operation_msisdn`)}, checkout_url = '',
           gateway_detail = ${without(tx, tx`gateway_detail`, traces)},
           failure_message = ${without(tx, tx`failure_message`, traces)}
     where a.merchant_id = ${of.merchant_id} and ${ofThese(tx, of)}`
}

/** What gateways sent about them. A callback's id begins with its attempt's time (record 0005). */
export async function eraseCallbacks(sql: Sql, of: Of): Promise<void> {
  const { merchant_id } = of
  await sql`
    update gateway_callbacks c set body = '', raw = '', request = null
      from attempts a
     where a.merchant_id = ${merchant_id}
       and ${ofThese(sql, of)}
       and c.merchant_id = ${merchant_id} and c.attempt_id = a.id and (c.body <> '' or c.raw <> '')
       and c.id >= (left(a.id::text, 14) || '0000-0000-000000000000')::uuid
       and c.id <= (left(a.id::text, 14) || 'ffff-ffff-ffffffffffff')::uuid`
}
