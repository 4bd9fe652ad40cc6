// The attempts' parts of a composed statement: writing one, accepting an answer, ending it. What is
// sent alone is in attempt-statements.ts, and no other folder has SQL of its own about one. That
// there is at most one open attempt is a unique index that these run against, not a check made
// beforehand.

import { nameList, type RowOf, selectList, typedList } from '../platform/columns.ts'
import type { Fragment, Sql } from '../platform/db.ts'
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
import {
  type AttemptPlan,
  askedBackTimeS,
  queryAfterRefusalS,
  queryTimeS,
  sendTimeS,
} from './attempt.ts'
import { acceptedRow, attemptEndRow, attemptRow, newAttemptRow } from './columns.ts'
import { type AttemptStatus, attemptStates } from './states.ts'

/**
 * Not ended, so it may still be refused; the same condition as in the indexes
 * `attempts_one_open_of_…`.
 */
export const openStatuses = (sql: Sql): Fragment => statusList(sql, attemptStates.into('FAILED'))

/** What an ending may still change: SUCCESS is never left. */
export const unsettledStatuses = (sql: Sql): Fragment =>
  statusList(sql, attemptStates.into('SUCCESS'))

/** Every column of an attempt, with what the database's clock makes of it. */
export const attemptColumns = (sql: Sql): Fragment => sql`
  ${selectList(sql, attemptRow, 'a')},
  a.send_deadline > now() as may_send_again,
  extract(epoch from now() - a.created_at)::int as age_s,
  extract(epoch from now() - coalesce(a.send_started_at, a.created_at))::int as grace_age_s,
  extract(epoch from now() - a.not_found_at)::int as not_found_age_s,
  a.asking_until <= now() as asking_is_over,
  coalesce(a.leased_until > now(), false) as leased,
  ${isWantedBack(sql, sql`a.`)} as is_wanted_back`

/** Of the attempt `of`: its people have asked for it back, not too long ago. */
const isWantedBack = (sql: Sql, of: Fragment = sql``): Fragment => sql`
  coalesce(${of}asked_back_at > now() - ${askedBackTimeS} * interval '1 second', false)`

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
    asking_s: queryTimeS[plan.direction],
    ...plan,
    ...row,
    due_s: Math.min(row.lease_s, first_query_s ?? row.lease_s),
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

/** When news is asked about: `rest` after the last question at the earliest. */
export const newsAt = (sql: Sql, rest_s: Fragment): Fragment => sql`
  greatest(now(), a.asked_at + ${rest_s} * interval '1 second')`

/** What waking changes of an attempt `a`, where it changes anything. */
export const wakened = (sql: Sql, at: Fragment): Fragment => sql`
       set due_at = least(a.due_at, ${at}), not_found_at = null,
           acknowledged_at = case when a.direction = 'DISBURSE'
                                  then coalesce(a.acknowledged_at, now())
                                  else a.acknowledged_at end`

export const isWakened = (sql: Sql, at: Fragment): Fragment => sql`
           (a.due_at is null or a.due_at > ${at} or a.not_found_at is not null
            or (a.direction = 'DISBURSE' and a.acknowledged_at is null))`

/**
 * `attempt_woken as (…)`: those of `when`, by what `wakeAttempt` says of one; each names its rest.
 */
export function wakeAttempts(
  sql: Sql,
  { when }: Gate<'id' | 'merchant_id' | 'rest_s'>,
): Part<never> {
  const at = newsAt(sql, sql`n.rest_s`)
  const woken = sql`attempt_woken as (
    update attempts a
       ${wakened(sql, at)}
      from ${sql(when.name)} n
     where a.merchant_id = n.merchant_id and a.id = n.id
       and ${isWakened(sql, at)})`
  return part('attempt_woken', woken)
}

export type Accepted = RowOf<typeof acceptedRow> &
  Readonly<{
    /** What is to be remembered of it, sealed, in Base64: another part keeps it. */
    sealed_memo?: string
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
export function acceptAttempts(sql: Sql, all: readonly Accepted[], { when }: Gate): Part {
  const rows = all.map(({ sealed_memo: _, ...row }) => row)
  const accepted = sql`accepted as (
    update attempts a
       set status = 'PENDING', external_reference = r.external_reference,
           next_action = r.next_action, checkout_url = r.checkout_url,
           accepted_at = coalesce(a.accepted_at, now()), not_found_at = null,
           leased_until = null, updated_at = now(),
           due_at = case when a.due_at < a.leased_until
                         then least(a.due_at, now() + r.ask_after_s * interval '1 second')
                         else now() + r.ask_after_s * interval '1 second' end
      from ${jsonRows(sql, rows, typedList(sql, acceptedRow))} as r
     where a.merchant_id = r.merchant_id and a.id = r.id
       and a.status in ${openStatuses(sql)} and a.lease_no = r.lease_no
       and exists (select 1 from ${sql(when.name)} g where g.id = r.gate_id)
    returning a.id)`
  return part('accepted', accepted)
}

export type AttemptEnd = RowOf<typeof attemptEndRow>

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
           operator_reference = coalesce(e.operator_reference, a.operator_reference),
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
      from ${jsonRows(sql, ends, typedList(sql, attemptEndRow))} as e
     where a.merchant_id = e.merchant_id and a.id = e.id
       and a.status in ${unsettledStatuses(sql)}
       ${when === undefined ? sql`` : sql`and exists (${gateOfEnd(sql, when)})`}
    returning a.id)`
  return part('attempt_ended', ended)
}

const gateOfEnd = (sql: Sql, { name }: Relation): Fragment => sql`
  select 1 from ${sql(name)} g where g.id = e.gate_id`

type DecidedAttempt = Readonly<{
  merchant_id: string
  id: string
  status: AttemptStatus
  /** The lease that must not have been taken over since; undefined where it does not matter. */
  under_lease?: bigint | undefined
  not_found_at?: Date | null
  /** Its operator has not said in any way that it has it: its hold is about to be released. */
  untaken?: boolean
  booked_by?: string | null
  /** Nobody has been given the address of its page. */
  unshown?: boolean
  /** Its people have not asked for it back. */
  unwanted?: boolean
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
       ${attempt.untaken === true ? sql`and acknowledged_at is null` : sql``}
       ${under_lease === undefined ? sql`` : sql`and lease_no = ${under_lease}`}
       ${attempt.unshown === true ? sql`and checkout_url = ''` : sql``}
       ${attempt.unwanted === true ? sql`and not ${isWantedBack(sql)}` : sql``}
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
