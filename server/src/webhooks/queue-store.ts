// Whose turn it is: which endpoints' queues (`webhook_lanes`) have something due, who has them
// under a lease, and what they are to send. Each statement names the lease number it was given: a
// worker that slept through its lease changes nothing.

import { batchCalls, perPool } from '../platform/batch-calls.ts'
import { type Db, type Fragment, retryOnDeadlock, type Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { type Kept, keptText } from '../platform/packed/kept.ts'
import { eachGroup, homeOf } from '../platform/places/places.ts'
import { jsonRows } from '../platform/sql.ts'
import type { DueDelivery } from './delivery.ts'
import type { QueueKey } from './webhook.ts'

export type DueQueue = QueueKey &
  Readonly<{ lease_no: bigint; is_failing: boolean; environment: Environment }>

/** How many queues, and of which environments. */
export type Room = Readonly<{ limit: number; environments: readonly Environment[] }>

/**
 * Queues that wait for a worker, of any merchant: candidates only, nothing is locked. Those of the
 * endpoints in `slow` count with the failing ones.
 */
export async function listDueQueues(
  sql: Sql,
  rooms: Readonly<{ healthy: Room; failing: Room }>,
  slow: readonly string[] = [],
): Promise<DueQueue[]> {
  const some = (is_failing: boolean, { limit, environments }: Room) => sql`(
    select l.merchant_id, l.webhook_id, l.lease_no, ${is_failing}::boolean as is_failing,
           w.environment
      from webhook_lanes l
      join webhooks w on w.merchant_id = l.merchant_id and w.id = l.webhook_id
     where l.due_at <= now() and (l.leased_until is null or l.leased_until <= now())
       and (w.failing_since is not null or w.id = any(${[...slow]}::uuid[])) = ${is_failing}
       and w.environment = any(${[...environments]}::text[])
     order by l.due_at
     limit ${limit})`
  return eachGroup(
    sql,
    (at) => at<DueQueue[]>`
    ${some(false, rooms.healthy)} union all ${some(true, rooms.failing)}`,
  )
}

/** The endpoint as it is now; its secrets are sealed. */
export type Endpoint = Readonly<{
  url: string
  environment: Environment
  is_active: boolean
  is_deleted: boolean
  is_failing: boolean
  /** Another by now, its merchant has changed it or it was switched off. */
  updated_at: Date
  sealed_secret: Buffer
  sealed_next_secret: Buffer | null
}>

export type QueueLease = QueueKey & Readonly<{ lease_no: bigint }>

/** A queue under our lease. `marks` shows later whether anything came meanwhile. */
export type LeasedQueue = Readonly<{
  lease: QueueLease
  marks: bigint
  endpoint: Endpoint
  due: readonly DueDelivery[]
}>

type QueueClaim = QueueLease &
  Readonly<{
    lease_ms: number
    /** How many of the requested repeats, when nothing new is due. */
    again_max: number
  }>

/**
 * Claims a queue without a lease, with its first due deliveries; undefined when a rival was faster.
 */
export const claimQueue = (db: Db, claim: QueueClaim): Promise<LeasedQueue | undefined> =>
  claimBatch(homeOf(db, claim.merchant_id))(claim)

/** The next due deliveries of a queue under our lease; undefined when it is no longer ours. */
export const continueQueue = (db: Db, claim: QueueClaim): Promise<LeasedQueue | undefined> =>
  continueBatch(homeOf(db, claim.merchant_id))(claim)

const claimBatch = perPool((db) =>
  batchQueues((queues: readonly QueueClaim[]) => {
    const change = db`lease_no = l.lease_no + 1, leased_until = ${untilOf(db, 'k')}`
    const isFree = db`(l.leased_until is null or l.leased_until <= now())`
    return takeQueues(db, queues, { change, which: isFree })
  }),
)

const continueBatch = perPool((db) =>
  batchQueues((queues: readonly QueueClaim[]) => {
    const change = db`leased_until = ${untilOf(db, 'k')}`
    return takeQueues(db, queues, { change, which: db`true` })
  }),
)

/** Queues with the same kind of call at the same moment are batched (docs/decisions/0011). */
export function batchQueues<I extends QueueLease, O extends QueueKey>(
  run: (queues: readonly I[]) => Promise<readonly O[]>,
): (lease: I) => Promise<O | undefined> {
  return batchCalls<I, O | undefined>({
    run: async (queues) => {
      // Ordered, so that two processes that want the same queues do not deadlock.
      const sorted = queues.toSorted((a, b) => (a.webhook_id < b.webhook_id ? -1 : 1))
      const answers = await retryOnDeadlock(() => run(sorted))
      const found = new Map(answers.map((answer) => [answer.webhook_id, answer]))
      return queues.map(({ webhook_id }) => found.get(webhook_id))
    },
    names: ({ webhook_id }) => [webhook_id],
    owner: ({ webhook_id }) => webhook_id,
  })
}

const until = (sql: Sql, ms: number): Fragment => sql`now() + ${ms} * interval '1 millisecond'`

export const untilOf = (sql: Sql, relation: string): Fragment =>
  sql`now() + ${sql(relation)}.lease_ms * interval '1 millisecond'`

const due_at_once = 100

type QueueRow = Endpoint &
  Kept &
  QueueKey &
  Readonly<{ lease_no: bigint; marks: bigint; id: string | null }> &
  Omit<DueDelivery, 'id' | 'data'>

/**
 * `which`: those of the queues (`l`), unchanged since we read them, that may be claimed; `at` their
 * own place.
 */
async function takeQueues(
  at: Sql,
  queues: readonly QueueClaim[],
  { change, which }: Readonly<{ change: Fragment; which: Fragment }>,
): Promise<(LeasedQueue & QueueKey)[]> {
  const columns = at`
    merchant_id uuid, webhook_id uuid, lease_no bigint, lease_ms float8, again_max int`
  const rows = await at<QueueRow[]>`
    with leased as (
      update webhook_lanes l
         set ${change}
        from ${jsonRows(at, queues, columns)} as k
       where l.merchant_id = k.merchant_id and l.webhook_id = k.webhook_id
         and l.lease_no = k.lease_no and ${which}
      returning l.merchant_id, l.webhook_id, l.lease_no, l.marks, k.again_max)
    select h.merchant_id, h.webhook_id, h.lease_no, h.marks, w.url, w.environment, w.is_active,
           w.deleted_at is not null as is_deleted, w.failing_since is not null as is_failing,
           w.updated_at,
           case when w.overlap_until <= now() then coalesce(w.sealed_next_secret, w.sealed_secret)
                else w.sealed_secret end as sealed_secret,
           case when w.overlap_until > now() then w.sealed_next_secret end as sealed_next_secret,
           d.id, d.attempt, d.schedule_from, d.event_type, d.sent_id,
           coalesce(e.created_at, now()) as event_at, coalesce(e.seq, 0) as sequence,
           e.plain::text as plain, e.packed
      from leased h
      join webhooks w on w.merchant_id = h.merchant_id and w.id = h.webhook_id
      left join lateral (
           (${dueOf(at, { asked_again: false, limit: at`${due_at_once}` })})
            union all
           (${dueOf(at, { asked_again: true, limit: at`h.again_max` })})) d
        on w.is_active and w.deleted_at is null
      left join events e on e.merchant_id = h.merchant_id and e.id = d.event_id
     order by d.due_at, d.id`
  const byQueue = new Map<string, QueueRow[]>()
  for (const row of rows) {
    const own = byQueue.get(row.webhook_id)
    if (own === undefined) byQueue.set(row.webhook_id, [row])
    else own.push(row)
  }
  return [...byQueue.values()].flatMap(leasedQueueOf)
}

type Due = Readonly<{ asked_again: boolean; limit: Fragment }>

/** What is due in the queue `h`; requested repeats only where nothing new is due. */
const dueOf = (sql: Sql, { asked_again, limit }: Due): Fragment => sql`
  select q.id, q.attempt, q.schedule_from, q.event_type, q.event_id, q.due_at,
         coalesce((q.request_headers ->> 'X-Webhook-Id')::uuid, q.event_id) as sent_id
    from deliveries q
   where q.merchant_id = h.merchant_id and q.webhook_id = h.webhook_id
     and q.asked_again = ${asked_again} and q.due_at <= now()
     ${
       asked_again
         ? sql`and not exists (
             select 1 from deliveries n
              where n.merchant_id = h.merchant_id and n.webhook_id = h.webhook_id
                and not n.asked_again and n.due_at <= now())`
         : sql``
     }
   order by q.due_at, q.id
   limit ${limit}`

/** One queue's rows; a queue with nothing due has one without a delivery. */
function leasedQueueOf(rows: readonly QueueRow[]): (LeasedQueue & QueueKey)[] {
  const [first] = rows
  if (first === undefined) return []
  const due = rows.flatMap(({ id, attempt, schedule_from, event_type, ...of }) => {
    if (id === null) return []
    const { sent_id, event_at, sequence } = of
    const data = keptText(of)
    return [{ id, attempt, schedule_from, event_type, sent_id, event_at, sequence, data }]
  })
  const { merchant_id, webhook_id, lease_no, marks } = first
  const { url, environment, is_active, is_deleted, is_failing, updated_at } = first
  const { sealed_secret, sealed_next_secret } = first
  const states = { is_active, is_deleted, is_failing, updated_at }
  const endpoint = { url, environment, ...states, sealed_secret, sealed_next_secret }
  const lease = { merchant_id, webhook_id, lease_no }
  return [{ merchant_id, webhook_id, lease, marks, endpoint, due }]
}

/** False when the queue is no longer ours. */
export async function renewQueue(sql: Sql, lease: QueueLease, lease_ms: number): Promise<boolean> {
  const rows = await homeOf(sql, lease.merchant_id)`
    update webhook_lanes set leased_until = ${until(sql, lease_ms)}
     where merchant_id = ${lease.merchant_id} and webhook_id = ${lease.webhook_id}
       and lease_no = ${lease.lease_no}
    returning 1 as one`
  return rows.count === 1
}
