// Every statement about attempts and callbacks that stands alone.

import type { Fragment, Sql } from '../platform/db.ts'
import type { Cursor } from '../platform/http/cursor.ts'
import type { Environment } from '../platform/http/route.ts'
import { idFromHash, timeOfId } from '../platform/ids.ts'
import type { Attempt, AttemptKeyOf } from './attempt.ts'
import { dailyQueryTimeS } from './attempt.ts'
import { attemptColumns, openStatuses } from './statements.ts'
import type { AttemptStatus } from './states.ts'

export async function findAttempt(sql: Sql, key: AttemptKeyOf): Promise<Attempt | undefined> {
  const [row] = await sql<Attempt[]>`
    select ${attemptColumns(sql)} from attempts a
     where a.merchant_id = ${key.merchant_id} and a.id = ${key.id}`
  return row
}

/** All attempts of a transaction, the first one first. */
export async function listAttemptsOf(
  sql: Sql,
  merchant_id: string,
  transaction_id: string,
): Promise<Attempt[]> {
  return sql<Attempt[]>`
    select ${attemptColumns(sql)} from attempts a
     where a.merchant_id = ${merchant_id} and a.transaction_id = ${transaction_id}
     order by a.created_at, a.priority, a.id`
}

/** The attempt of a settlement that has no known end: there is one at most. */
export async function findOpenAttemptOf(
  sql: Sql,
  settlement: AttemptKeyOf,
): Promise<Attempt | undefined> {
  const [row] = await sql<Attempt[]>`
    select ${attemptColumns(sql)} from attempts a
     where a.merchant_id = ${settlement.merchant_id} and a.settlement_id = ${settlement.id}
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
  /** Rows wanted, one more than the page shows. */
  limit: number
}>

/** An attempt and, as `place`, its `created_at` as PostgreSQL prints it. */
export type ListedAttempt = Attempt & Readonly<{ place: string }>

/** Attempts of transactions, the newest first; before a `prev` cursor the nearest first. */
export async function listAttempts(sql: Sql, query: AttemptsQuery): Promise<ListedAttempt[]> {
  const { merchant_id, environment, cursor, limit } = query
  const order = cursor?.dir === 'prev' ? sql`asc` : sql`desc`
  return sql<ListedAttempt[]>`
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

// Through text, because the driver would send a bare timestamp as a Date.
const beyond = (sql: Sql, { dir, created_at, id }: Cursor): Fragment =>
  dir === 'prev'
    ? sql`and (a.created_at, a.id) > (${created_at}::text::timestamptz, ${id}::uuid)`
    : sql`and (a.created_at, a.id) < (${created_at}::text::timestamptz, ${id}::uuid)`

/** On the refusal path only: does anybody have it? (403 against 404, contract 3.5.) */
export async function isAttemptOfAnyone(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`
    select 1 from attempts where id = ${id} and transaction_id is not null limit 1`
  return rows.count > 0
}

/**
 * Takes the right to ask about one attempt. Undefined when another question is under way, was
 * answered less than two seconds ago. An ended attempt may be asked about too.
 */
export async function claimQuery(
  sql: Sql,
  key: AttemptKeyOf,
  { lease_s, pause_s }: { lease_s: number; pause_s: number },
): Promise<Attempt | undefined> {
  const [row] = await sql<Attempt[]>`
    update attempts a
       set lease_no = a.lease_no + 1, leased_until = now() + ${lease_s} * interval '1 second',
           due_at = now() + ${lease_s} * interval '1 second', asks = a.asks + 1, asked_at = now()
     where a.merchant_id = ${key.merchant_id} and a.id = ${key.id}
       and (a.leased_until is null or a.leased_until <= now())
       and (a.asked_at is null or a.asked_at <= now() - ${pause_s} * interval '1 second')
    returning ${attemptColumns(sql)}`
  return row
}

/** A due attempt, and the settlement that it is for, if it is for one. */
export type DueAttempt = AttemptKeyOf & Readonly<{ settlement_id: string | null }>

/** Attempts of a gateway that are due, oldest first, read without a lock, over all merchants. */
export async function listDueAttempts(
  sql: Sql,
  gateway_id: string,
  limit: number,
): Promise<DueAttempt[]> {
  return sql<DueAttempt[]>`
    select merchant_id, id, settlement_id from attempts
     where gateway_id = ${gateway_id} and due_at <= now()
       and (leased_until is null or leased_until <= now())
     order by due_at limit ${limit}`
}

/**
 * Due attempts whose asking time is over and whose gateway none of `gateway_ids` is: no poller asks
 * about them, so somebody else must close them.
 */
export async function listAbandonedAttempts(
  sql: Sql,
  gateway_ids: readonly string[],
  limit: number,
): Promise<DueAttempt[]> {
  return sql<DueAttempt[]>`
    select merchant_id, id, settlement_id from attempts
     where due_at <= now() and asking_until <= now()
       and gateway_id <> all(${gateway_ids}::uuid[])
       and (leased_until is null or leased_until <= now())
     order by due_at limit ${limit}`
}

/** What cannot be applied is asked about later and later, an hour later at most. Seconds. */
const troubleSteps = { first_s: 15, most_s: 3600, forgotten_s: 7200 } as const

/**
 * Its answer could not be written down: it is due later, by how often in a row this has happened.
 * What has ended, or is woken no more, stays so. Troubles of a month ago are cleared away.
 */
export async function putOff(sql: Sql, { merchant_id, id }: AttemptKeyOf): Promise<void> {
  const { first_s, most_s, forgotten_s } = troubleSteps
  await sql`
    with failed as (
      insert into attempt_troubles as t (merchant_id, attempt_id) values (${merchant_id}, ${id})
      on conflict (merchant_id, attempt_id) do update
         set failed_at = now(),
             failures = case when t.failed_at > now() - ${forgotten_s} * interval '1 second'
                             then t.failures + 1 else 1 end
      returning failures
    ), cleared as (
      delete from attempt_troubles
       where failed_at < now() - interval '30 days'
         and (merchant_id, attempt_id) <> (${merchant_id}::uuid, ${id}::uuid)
    )
    update attempts
       set due_at = greatest(due_at, now() + interval '1 second'
             * least(${most_s}, ${first_s} * 2 ^ least(failed.failures - 1, 20)))
      from failed
     where merchant_id = ${merchant_id} and id = ${id} and due_at is not null`
}

/** Takes the right to send an attempt again, which the gateway said it does not know. */
export async function claimResend(
  sql: Sql,
  key: AttemptKeyOf,
  { lease_no, lease_s }: { lease_no: bigint; lease_s: number },
): Promise<boolean> {
  const rows = await sql`
    update attempts
       set leased_until = now() + ${lease_s} * interval '1 second', sends = sends + 1,
           send_started_at = now(), due_at = now() + ${lease_s} * interval '1 second'
     where merchant_id = ${key.merchant_id} and id = ${key.id}
       and lease_no = ${lease_no} and status in ${openStatuses(sql)}
       and send_deadline > now()
    returning id`
  return rows.count === 1
}

export type Rest = Readonly<{
  status: 'PENDING' | 'UNKNOWN'
  lease_no: bigint
  external_reference: string
  ask_after_s: number
  /** Asked again although it has ended: a contradiction was heard and the answer said nothing. */
  though_ended?: boolean
}>

/**
 * The question is answered and nothing moved: the lease ends, the next question is due later. Who
 * was woken under the lease stays due, and who was ended under it is left as he is. A send whose
 * answer was lost was no question: the first one may be put at once.
 */
export async function restAttempt(sql: Sql, key: AttemptKeyOf, rest: Rest): Promise<boolean> {
  const rows = await sql`
    update attempts
       set status = case when status in ${openStatuses(sql)} then ${rest.status} else status end,
           external_reference = coalesce(nullif(${rest.external_reference}, ''),
                                         external_reference),
           asked_at = case when asked_at is not null then now() end,
           leased_until = null, updated_at = now(),
           due_at = case when due_at < leased_until then due_at
                         when ${rest.though_ended ?? false} or status in ${openStatuses(sql)}
                         then now() + ${rest.ask_after_s} * interval '1 second' end
     where merchant_id = ${key.merchant_id} and id = ${key.id} and lease_no = ${rest.lease_no}
       and leased_until is not null
    returning id`
  return rows.count === 1
}

/** Asking goes on once a day for thirty days after the asking time, then it ends. */
export async function queryDaily(sql: Sql, key: AttemptKeyOf): Promise<void> {
  await sql`
    update attempts
       set leased_until = null, updated_at = now(),
           due_at = case when due_at < leased_until then due_at
                         when created_at > now() - ${dailyQueryTimeS} * interval '1 second'
                         then now() + interval '1 day' end
     where merchant_id = ${key.merchant_id} and id = ${key.id} and status in ${openStatuses(sql)}`
}

/**
 * Somebody heard something: ask now, or when the question under way is answered. Works on ended
 * attempts too (a contradiction is asked). An operator that speaks of a payout has it: what he said
 * of not knowing it counts no more.
 */
export async function wakeAttempt(sql: Sql, key: AttemptKeyOf): Promise<void> {
  await sql`
    update attempts
       set due_at = now(), not_found_at = null,
           acknowledged_at = case when direction = 'DISBURSE' then coalesce(acknowledged_at, now())
                                  else acknowledged_at end
     where merchant_id = ${key.merchant_id} and id = ${key.id}
       and (due_at is null or due_at > now() or not_found_at is not null
            or (direction = 'DISBURSE' and acknowledged_at is null))`
}

/** The operator has it, whoever may write its answer down now: only for what is paid out. */
export async function noteTaken(sql: Sql, key: AttemptKeyOf): Promise<void> {
  await sql`
    update attempts
       set acknowledged_at = coalesce(acknowledged_at, now()), not_found_at = null
     where merchant_id = ${key.merchant_id} and id = ${key.id} and direction = 'DISBURSE'`
}

/** He says that he does not know it, to the question of this lease: since now, or as before. */
export async function noteNotFound(sql: Sql, key: AttemptKeyOf, lease_no: bigint): Promise<void> {
  await sql`
    update attempts set not_found_at = coalesce(not_found_at, now())
     where merchant_id = ${key.merchant_id} and id = ${key.id} and lease_no = ${lease_no}
       and status in ${openStatuses(sql)}`
}

/** Counts a wrong code; how many there have been. */
export async function countWrongOtp(sql: Sql, key: AttemptKeyOf): Promise<number> {
  const [row] = await sql<{ wrong_otps: number }[]>`
    update attempts set wrong_otps = wrong_otps + 1, updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id}
    returning wrong_otps`
  return row?.wrong_otps ?? 0
}

/** Takes the attempt for one confirmation of a code: they run one at a time (contract 5.4). */
export async function claimConfirm(
  sql: Sql,
  key: AttemptKeyOf,
  lease_s: number,
): Promise<bigint | undefined> {
  const [row] = await sql<{ lease_no: bigint }[]>`
    update attempts
       set lease_no = lease_no + 1, leased_until = now() + ${lease_s} * interval '1 second'
     where merchant_id = ${key.merchant_id} and id = ${key.id}
       and status in ${openStatuses(sql)}
       and (leased_until is null or leased_until <= now())
    returning lease_no`
  return row?.lease_no
}

export async function freeLease(sql: Sql, key: AttemptKeyOf, lease_no: bigint): Promise<void> {
  await sql`
    update attempts set leased_until = null
     where merchant_id = ${key.merchant_id} and id = ${key.id} and lease_no = ${lease_no}`
}

export type CallbackRecord = Readonly<{
  merchant_id: string
  id: string
  environment: Environment
  gateway_id: string
  attempt_id: string | null
  proof: 'SIGNED' | 'UNSIGNED'
  body: string
  body_hash: Buffer
  outcome: 'APPLIED' | 'WOKE' | 'WAITING' | 'UNMATCHED'
  /** When a callback whose attempt is not found yet is looked at again. Seconds; null: never. */
  due_after_s: number | null
}>

/** So many bodies that nobody signed are kept of one attempt; more only wake it. */
const unsignedKeptMost = 20

/** Keeps a callback that moves nothing by itself; the same one twice is kept once. */
export async function keepCallback(sql: Sql, callback: CallbackRecord): Promise<void> {
  await sql`
    insert into gateway_callbacks (merchant_id, id, environment, gateway_id, attempt_id, proof,
      body, body_hash, outcome, due_at)
    select ${callback.merchant_id}, ${callback.id}, ${callback.environment},
      ${callback.gateway_id}, ${callback.attempt_id}, ${callback.proof}, ${callback.body},
      ${callback.body_hash}, ${callback.outcome},
      now() + ${callback.due_after_s}::int * interval '1 second'
     where ${callback.proof === 'SIGNED' ? sql`true` : fewUnsigned(sql, callback)}
    on conflict (merchant_id, id) do nothing`
}

/** Callbacks of an attempt have ids of its own millisecond, so the key finds them. */
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

/** For gateways with one fixed callback address: whose attempt they mean. */
export async function insertDirectoryRow(
  sql: Sql,
  row: { gateway_id: string; key: string; merchant_id: string; attempt_id: string },
): Promise<void> {
  await sql`
    insert into callback_directory (gateway_id, key, merchant_id, attempt_id)
    values (${row.gateway_id}, ${row.key}, ${row.merchant_id}, ${row.attempt_id})
    on conflict (gateway_id, key) do nothing`
}

export async function findDirectoryRow(
  sql: Sql,
  gateway_id: string,
  key: string,
): Promise<AttemptKeyOf | undefined> {
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
  proof: 'SIGNED' | 'UNSIGNED'
  body: string
  age_s: number
}>

/** Callbacks whose attempt was not found when they came. */
export async function listWaitingCallbacks(sql: Sql, limit: number): Promise<WaitingCallback[]> {
  return sql<WaitingCallback[]>`
    select merchant_id, id, environment, gateway_id, proof, body,
           extract(epoch from now() - created_at)::int as age_s
      from gateway_callbacks
     where due_at <= now() order by due_at limit ${limit}`
}

export async function updateWaitingCallback(
  sql: Sql,
  key: { merchant_id: string; id: string },
  next: { outcome: 'WOKE' | 'WAITING' | 'UNMATCHED'; due_after_s: number | null },
): Promise<void> {
  await sql`
    update gateway_callbacks
       set outcome = ${next.outcome},
           due_at = now() + ${next.due_after_s}::int * interval '1 second'
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
}
