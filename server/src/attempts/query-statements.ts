// What a question to an operator begins with: the attempts that are due, and the lease of one.
// Leases that are wanted while others are being taken are taken together (docs/decisions/0011).

import { batchCalls, perBatchPool } from '../platform/batch-calls.ts'
import { type Db, retryOnDeadlock, type Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { inOrder } from '../platform/places/page-of-all.ts'
import { eachGroup, homeOf } from '../platform/places/places.ts'
import { jsonRows } from '../platform/sql.ts'
import type { Attempt, AttemptKeyOf } from './attempt.ts'
import { attemptColumns } from './statements.ts'

/** An attempt, and whose connections a question about it runs on. */
export type AttemptToAsk = AttemptKeyOf & Readonly<{ environment: Environment }>

type Claim = AttemptKeyOf & Readonly<{ lease_s: number; pause_s: number }>

/**
 * Claims the right to query one attempt. Undefined when another query is under way, or was answered
 * less than two seconds ago. An ended attempt may be queried too.
 */
export const claimQuery = (
  db: Db,
  { merchant_id, id, environment }: AttemptToAsk,
  { lease_s, pause_s }: Readonly<{ lease_s: number; pause_s: number }>,
): Promise<Attempt | undefined> =>
  claimBatch(db, { merchant_id, environment })({ merchant_id, id, lease_s, pause_s })

const claimBatch = perBatchPool((at) =>
  batchCalls<Claim, Attempt | undefined>({
    run: (claims) => claimQueries(at, claims),
    names: ({ id }) => [id],
    owner: ({ merchant_id }) => merchant_id,
  }),
)

async function claimQueries(
  at: Db,
  unsorted: readonly Claim[],
): Promise<readonly (Attempt | undefined)[]> {
  const claims = unsorted.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const rows = await retryOnDeadlock(
    () => at<Attempt[]>`
    update attempts a
       set lease_no = a.lease_no + 1, leased_until = now() + r.lease_s * interval '1 second',
           due_at = now() + r.lease_s * interval '1 second', asks = a.asks + 1, asked_at = now(),
           first_asked_at = coalesce(a.first_asked_at, now())
      from ${jsonRows(at, claims, at`merchant_id uuid, id uuid, lease_s int, pause_s int`)} as r
     where a.merchant_id = r.merchant_id and a.id = r.id
       and (a.leased_until is null or a.leased_until <= now())
       and (a.asked_at is null or a.asked_at <= now() - r.pause_s * interval '1 second')
    returning ${attemptColumns(at)}`,
  )
  const claimed = new Map(rows.map((one) => [one.id, one]))
  return unsorted.map(({ id }) => claimed.get(id))
}

export type DueAttempt = AttemptToAsk & Readonly<{ settlement_id: string | null; due_at: Date }>

/**
 * By turns of the shard groups, in each turn the oldest first: one that can be read and takes no
 * writing has the oldest ones for as long as that lasts.
 */
async function firstOfEach(
  sql: Sql,
  limit: number,
  read: (at: Sql) => PromiseLike<readonly DueAttempt[]>,
): Promise<DueAttempt[]> {
  const rows = await eachGroup(sql, async (at) =>
    (await read(at)).map((due, turn) => ({ turn, due_at: due.due_at, due })),
  )
  const order = (['turn', 'due_at'] as const).map((field) => ({ field, descending: false }))
  return inOrder(rows, order)
    .slice(0, limit)
    .map(({ due }) => due)
}

/** Attempts of a gateway that are due, the oldest ones, read without a lock, over all merchants. */
export async function listDueAttempts(
  sql: Sql,
  gateway_id: string,
  limit: number,
): Promise<DueAttempt[]> {
  return firstOfEach(
    sql,
    limit,
    (at) => at<DueAttempt[]>`
    select merchant_id, id, environment, settlement_id, due_at from attempts
     where gateway_id = ${gateway_id} and due_at <= now()
       and (leased_until is null or leased_until <= now())
     order by due_at limit ${limit}`,
  )
}

/**
 * Due attempts whose query time is over and whose gateway is not in `gateway_ids`: no poller
 * queries them, so another job must close them.
 */
export async function listAbandonedAttempts(
  sql: Sql,
  gateway_ids: readonly string[],
  limit: number,
): Promise<DueAttempt[]> {
  return firstOfEach(
    sql,
    limit,
    (at) => at<DueAttempt[]>`
    select merchant_id, id, environment, settlement_id, due_at from attempts
     where due_at <= now() and asking_until <= now()
       and gateway_id <> all(${gateway_ids}::uuid[])
       and (leased_until is null or leased_until <= now())
     order by due_at limit ${limit}`,
  )
}

/** An answer that cannot be applied is asked for at growing intervals, an hour at most. Seconds. */
const troubleSteps = { first_s: 15, most_s: 3600, forgotten_s: 7200 } as const

/**
 * Its answer could not be written, so it is due later, by how often in a row that has happened. An
 * attempt that has ended or is not due stays so. Failures older than a month are cleared away.
 */
export async function putOff(sql: Sql, { merchant_id, id }: AttemptKeyOf): Promise<void> {
  const { first_s, most_s, forgotten_s } = troubleSteps
  await homeOf(sql, merchant_id)`
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
