// The plain statements about attempts: each is sent alone, by this folder and by those that record
// what happened to an attempt. Parts that are composed are in statements.ts, callbacks in
// callback-statements.ts, what a question begins with in query-statements.ts.

import type { SkippedRoute } from '../gateways/routing.ts'
import type { Fragment, Sql, Tx } from '../platform/db.ts'
import { ownershipOf } from '../platform/http/ownership.ts'
import type { Cursor } from '../platform/http/pages.ts'
import type { Environment } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'
import { type Attempt, type AttemptKeyOf, dailyQueryTimeS, queryTimeS } from './attempt.ts'
import {
  attemptColumns,
  isWakened,
  newsAt,
  openStatuses,
  unsettledStatuses,
  wakened,
  wokenUnderLease,
} from './statements.ts'
import type { AttemptStatus } from './states.ts'

export async function findAttempt(sql: Sql, key: AttemptKeyOf): Promise<Attempt | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<Attempt[]>`
    select ${attemptColumns(sql)} from attempts a
     where a.merchant_id = ${key.merchant_id} and a.id = ${key.id}`
  return row
}

/** The same, locked: nothing an operator says of it is applied until the transaction ends. */
export async function lockAttempt(tx: Tx, key: AttemptKeyOf): Promise<Attempt | undefined> {
  const [row] = await tx<Attempt[]>`
    select ${attemptColumns(tx)} from attempts a
     where a.merchant_id = ${key.merchant_id} and a.id = ${key.id}
       for update of a`
  return row
}

/** All attempts of a transaction, oldest first. */
export async function listAttemptsOf(
  sql: Sql,
  merchant_id: string,
  transaction_id: string,
): Promise<Attempt[]> {
  return homeOf(sql, merchant_id)<Attempt[]>`
    select ${attemptColumns(sql)} from attempts a
     where a.merchant_id = ${merchant_id} and a.transaction_id = ${transaction_id}
     order by a.created_at, a.priority, a.id`
}

/** What was passed over when each attempt of a transaction was chosen, by the attempt's id. */
export async function findPassedOver(
  sql: Sql,
  merchant_id: string,
  transaction_id: string,
): Promise<ReadonlyMap<string, readonly SkippedRoute[]>> {
  const rows = await homeOf(sql, merchant_id)<{ id: string; skipped: SkippedRoute[] }[]>`
    select a.id, a.skipped_routes as skipped from attempts a
     where a.merchant_id = ${merchant_id} and a.transaction_id = ${transaction_id}`
  return new Map(rows.map(({ id, skipped }) => [id, skipped]))
}

/** All attempts of these refunds, oldest first. */
export async function listAttemptsOfRefunds(
  sql: Sql,
  merchant_id: string,
  refund_ids: readonly string[],
): Promise<Attempt[]> {
  return homeOf(sql, merchant_id)<Attempt[]>`
    select ${attemptColumns(sql)} from attempts a
     where a.merchant_id = ${merchant_id} and a.refund_id is not null
       and a.refund_id = any(${[...refund_ids]}::uuid[])
     order by a.created_at, a.priority, a.id`
}

/** The attempt of a settlement, or refund, whose end is not known: there is at most one. */
export async function findOpenAttemptOf(
  sql: Sql,
  purpose: AttemptKeyOf,
  of: 'settlement_id' | 'refund_id' = 'settlement_id',
): Promise<Attempt | undefined> {
  const [row] = await homeOf(sql, purpose.merchant_id)<Attempt[]>`
    select ${attemptColumns(sql)} from attempts a
     where a.merchant_id = ${purpose.merchant_id} and a.${sql(of)} = ${purpose.id}
       and a.status in ${openStatuses(sql)}`
  return row
}

export type AttemptsQuery = Readonly<{
  merchant_id: string
  environment: Environment
  status: AttemptStatus | undefined
  gateway: string | undefined
  transaction: string | undefined
  cursor: Cursor | undefined
  /** The number of rows to read, one more than the page shows. */
  limit: number
}>

/** An attempt and, as `place`, its `created_at` as PostgreSQL prints it. */
export type ListedAttempt = Attempt & Readonly<{ place: string }>

/** Attempts of transactions, newest first; before a `prev` cursor the nearest first. */
export async function listAttempts(sql: Sql, query: AttemptsQuery): Promise<ListedAttempt[]> {
  const { merchant_id, environment, cursor, limit } = query
  const order = cursor?.dir === 'prev' ? sql`asc` : sql`desc`
  return homeOf(sql, merchant_id)<ListedAttempt[]>`
    select ${attemptColumns(sql)}, a.created_at::text as place
      from attempts a
     where a.merchant_id = ${merchant_id} and a.environment = ${environment}
       and a.transaction_id is not null ${attemptFilters(sql, query)}
     order by a.created_at ${order}, a.id ${order}
     limit ${limit}`
}

function attemptFilters(sql: Sql, query: AttemptsQuery): Fragment {
  const { status, gateway, transaction, cursor } = query
  return sql`
    ${status === undefined ? sql`` : sql`and a.status = ${status}`}
    ${gateway === undefined ? sql`` : sql`and a.gateway_id = ${gateway}`}
    ${transaction === undefined ? sql`` : sql`and a.transaction_id = ${transaction}`}
    ${cursor === undefined ? sql`` : beyond(sql, cursor)}`
}

// Passed as text, because the driver would send a bare timestamp as a Date.
const beyond = (sql: Sql, { dir, created_at, id }: Cursor): Fragment =>
  dir === 'prev'
    ? sql`and (a.created_at, a.id) > (${created_at}::text::timestamptz, ${id}::uuid)`
    : sql`and (a.created_at, a.id) < (${created_at}::text::timestamptz, ${id}::uuid)`

export const requireOwnAttempt = ownershipOf('attempts', {
  only: (sql) => sql`transaction_id is not null`,
})

/**
 * Its people want it back: the request is kept before it is sent to its operator. It is sent with
 * the next question, which is due soon; false where the operator has it in no queue.
 */
export async function noteAskedBack(tx: Tx, key: AttemptKeyOf): Promise<boolean> {
  const rows = await tx`
    update attempts a
       set asked_back_at = now(), due_at = least(a.due_at, now() + interval '1 minute')
     where a.merchant_id = ${key.merchant_id} and a.id = ${key.id}
       and a.is_queued and a.status in ${openStatuses(tx)}`
  return rows.count === 1
}

export type ResendClaim = Readonly<{
  lease_no: bigint
  lease_s: number
  /** For how long after it was made it may be sent, where that is not the usual two minutes. */
  within_s?: number | undefined
}>

/** Claims the right to send again an attempt that the gateway does not know. */
export async function claimResend(
  sql: Sql,
  key: AttemptKeyOf,
  { lease_no, lease_s, within_s }: ResendClaim,
): Promise<boolean> {
  const inTime =
    within_s === undefined
      ? sql`send_deadline > now()`
      : sql`created_at > now() - ${within_s} * interval '1 second'`
  const rows = await homeOf(sql, key.merchant_id)`
    update attempts
       set leased_until = now() + ${lease_s} * interval '1 second', sends = sends + 1,
           send_started_at = now(), due_at = now() + ${lease_s} * interval '1 second'
     where merchant_id = ${key.merchant_id} and id = ${key.id}
       and lease_no = ${lease_no} and status in ${openStatuses(sql)}
       and ${inTime}
    returning id`
  return rows.count === 1
}

/**
 * Keeps the reference that the gateway made for it, before the call that takes money. False when
 * another process has had the attempt meanwhile: then that call is not made.
 */
export async function notePrepared(
  sql: Sql,
  key: AttemptKeyOf,
  { lease_no, external_reference }: Readonly<{ lease_no: bigint; external_reference: string }>,
): Promise<boolean> {
  const rows = await homeOf(sql, key.merchant_id)`
    update attempts set external_reference = ${external_reference}, updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id} and lease_no = ${lease_no}
       and leased_until > now() and external_reference = '' and status in ${openStatuses(sql)}
    returning id`
  return rows.count === 1
}

export type Rest = Readonly<{
  status: 'PENDING' | 'UNKNOWN'
  lease_no: bigint
  external_reference: string
  ask_after_s: number
  /**
   * Query again although it has ended: there was a contradiction, and the answer was uninformative.
   */
  though_ended?: boolean
  /**
   * Whether it waits in the operator's own queue: its query time begins when it has left it.
   * Absent: the answer did not say.
   */
  queued?: boolean | undefined
}>

/**
 * The query was answered and nothing moved: the lease ends and the next query is due later. An
 * attempt woken under the lease stays due, and one that ended under it is left alone. A send whose
 * answer was lost was no query, so the first query may follow at once.
 */
export async function restAttempt(sql: Sql, key: AttemptKeyOf, rest: Rest): Promise<boolean> {
  const rows = await homeOf(sql, key.merchant_id)`
    update attempts
       set status = case when status in ${openStatuses(sql)} then ${rest.status} else status end,
           external_reference = coalesce(nullif(${rest.external_reference}, ''),
                                         external_reference),
           asked_at = case when asked_at is not null then now() end,
           leased_until = null, updated_at = now(),
           is_queued = coalesce(${rest.queued ?? null}, is_queued),
           asking_until = case when ${rest.queued ?? false}
                               then now() + ${queryTimeS.DISBURSE} * interval '1 second'
                               else asking_until end,
           due_at = case when ${wokenUnderLease(sql)} then due_at
                         when ${rest.though_ended ?? false} or status in ${openStatuses(sql)}
                         then now() + ${rest.ask_after_s} * interval '1 second' end
     where merchant_id = ${key.merchant_id} and id = ${key.id} and lease_no = ${rest.lease_no}
       and leased_until is not null
    returning id`
  return rows.count === 1
}

/** After the query time, queries go on once a day for thirty days, then end. */
export async function queryDaily(sql: Sql, key: AttemptKeyOf): Promise<void> {
  await homeOf(sql, key.merchant_id)`
    update attempts
       set leased_until = null, updated_at = now(),
           due_at = case when ${wokenUnderLease(sql)} then due_at
                         when created_at > now() - ${dailyQueryTimeS} * interval '1 second'
                         then now() + interval '1 day' end
     where merchant_id = ${key.merchant_id} and id = ${key.id} and status in ${openStatuses(sql)}`
}

/**
 * There is news: query now, or when the query under way is answered. This works on ended attempts
 * too (a contradiction is queried). An operator that speaks of a payout has it, so its earlier "not
 * found" counts no more. `rest_s`: anybody may have said it, so it is asked about that long after
 * the last question at the earliest. Seconds.
 */
export async function wakeAttempt(
  sql: Sql,
  key: AttemptKeyOf,
  { rest_s = 0 }: Readonly<{ rest_s?: number }> = {},
): Promise<void> {
  const at = newsAt(sql, sql`${rest_s}`)
  await homeOf(sql, key.merchant_id)`
    update attempts a
       ${wakened(sql, at)}
     where a.merchant_id = ${key.merchant_id} and a.id = ${key.id}
       and ${isWakened(sql, at)}`
}

/**
 * Records that the operator has it, whoever writes its answer afterwards: only for money paid out.
 */
export async function noteTaken(sql: Sql, key: AttemptKeyOf): Promise<void> {
  await homeOf(sql, key.merchant_id)`
    update attempts
       set acknowledged_at = coalesce(acknowledged_at, now()), not_found_at = null
     where merchant_id = ${key.merchant_id} and id = ${key.id} and direction = 'DISBURSE'`
}

/** The operator answered "not found" to the query of this lease: since now, or still. */
export async function noteNotFound(sql: Sql, key: AttemptKeyOf, lease_no: bigint): Promise<void> {
  await homeOf(sql, key.merchant_id)`
    update attempts set not_found_at = coalesce(not_found_at, now())
     where merchant_id = ${key.merchant_id} and id = ${key.id} and lease_no = ${lease_no}
       and status in ${openStatuses(sql)}`
}

/** Counts a wrong code; returns how many there have been. */
export async function countWrongOtp(sql: Sql, key: AttemptKeyOf): Promise<number> {
  const [row] = await homeOf(sql, key.merchant_id)<{ wrong_otps: number }[]>`
    update attempts set wrong_otps = wrong_otps + 1, updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id}
    returning wrong_otps`
  return row?.wrong_otps ?? 0
}

/** Claims the attempt for one confirmation of a code: they run one at a time (contract 5.4). */
export async function claimConfirm(
  sql: Sql,
  key: AttemptKeyOf,
  lease_s: number,
): Promise<bigint | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<{ lease_no: bigint }[]>`
    update attempts
       set lease_no = lease_no + 1, leased_until = now() + ${lease_s} * interval '1 second'
     where merchant_id = ${key.merchant_id} and id = ${key.id}
       and status in ${openStatuses(sql)}
       and (leased_until is null or leased_until <= now())
    returning lease_no`
  return row?.lease_no
}

export async function freeLease(sql: Sql, key: AttemptKeyOf, lease_no: bigint): Promise<void> {
  await homeOf(sql, key.merchant_id)`
    update attempts set leased_until = null
     where merchant_id = ${key.merchant_id} and id = ${key.id} and lease_no = ${lease_no}`
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

/** Hundredths that people have booked as paid by the attempts of the refund that row `of` is. */
export const bookedOfRefund = (sql: Sql, of: string): Fragment => sql`
  (select coalesce(sum(a.booked_amount), 0) from attempts a
    where a.merchant_id = ${sql(of)}.merchant_id and a.refund_id = ${sql(of)}.id)`

/** Of row `of`: whether this account had refused an attempt of it, by their column `by`, then. */
export const wasRefusedBy = (
  sql: Sql,
  { gateway_id, asked_at }: Readonly<{ gateway_id: string; asked_at: Date }>,
  { by, of }: Readonly<{ by: 'transaction_id' | 'settlement_id' | 'refund_id'; of: string }>,
): Fragment => sql`
  exists (select 1 from attempts a
           where a.merchant_id = ${sql(of)}.merchant_id and a.${sql(by)} = ${sql(of)}.id
             and a.gateway_id = ${gateway_id} and a.status = 'FAILED'
             and a.finished_at < ${asked_at})`

/** What the attempts are for: row `of`, named by their column `by`. */
type CarriedOut = Readonly<{ by: 'transaction_id' | 'refund_id'; of: string }>

/** Whether an operator has not said what came of one of them. */
export const isUnknownOf = (sql: Sql, { by, of }: CarriedOut): Fragment => sql`
  exists (select 1 from attempts a
           where a.merchant_id = ${sql(of)}.merchant_id and a.${sql(by)} = ${sql(of)}.id
             and a.status = 'UNKNOWN')`

/** Whether the attempt that row `of` names has not ended. */
export const isOpenOf = (sql: Sql, of: string): Fragment => sql`
  exists (select 1 from attempts a
           where a.merchant_id = ${sql(of)}.merchant_id and a.id = ${sql(of)}.attempt_id
             and a.status in ${openStatuses(sql)})`

/** Whether an operator keeps one of them in a queue of its own. */
export const isQueuedOf = (sql: Sql, { by, of }: CarriedOut): Fragment => sql`
  exists (select 1 from attempts a
           where a.merchant_id = ${sql(of)}.merchant_id and a.${sql(by)} = ${sql(of)}.id
             and a.is_queued and a.status in ('PENDING', 'UNKNOWN'))`
