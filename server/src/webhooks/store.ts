// The statements about endpoints, their queues (`webhook_lanes`) and deliveries. Those that act on
// a queue name the lease number they were given: a worker that slept through its lease changes
// nothing.

import { batchCalls, perPool } from '../platform/batch-calls.ts'
import { type Db, type Fragment, retryOnDeadlock, type Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { composed, jsonRows, type Part, part } from '../platform/sql.ts'
import type { DueDelivery, Try } from './delivery.ts'
import { keepEarlier, mayFollow } from './statements.ts'
import type { QueueKey } from './webhook.ts'

export type DueQueue = QueueKey & Readonly<{ lease_no: bigint; is_failing: boolean }>

/** Queues that wait for a worker, of any merchant: candidates only, nothing is locked. */
export async function listDueQueues(
  sql: Sql,
  limits: Readonly<{ healthy: number; failing: number }>,
): Promise<DueQueue[]> {
  const some = (is_failing: boolean, limit: number) => sql`(
    select l.merchant_id, l.webhook_id, l.lease_no, ${is_failing}::boolean as is_failing
      from webhook_lanes l
      join webhooks w on w.merchant_id = l.merchant_id and w.id = l.webhook_id
     where l.due_at <= now() and (l.leased_until is null or l.leased_until <= now())
       and (w.failing_since is not null) = ${is_failing}
     order by l.due_at
     limit ${limit})`
  return sql<DueQueue[]>`
    ${some(false, limits.healthy)} union all ${some(true, limits.failing)}`
}

/** The endpoint as it is now; its secrets are sealed. */
export type Endpoint = Readonly<{
  url: string
  environment: Environment
  is_active: boolean
  is_deleted: boolean
  is_failing: boolean
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
  claimBatch(db)(claim)

/** The next due deliveries of a queue under our lease; undefined when it is no longer ours. */
export const continueQueue = (db: Db, claim: QueueClaim): Promise<LeasedQueue | undefined> =>
  continueBatch(db)(claim)

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
function batchQueues<I extends QueueLease, O extends QueueKey>(
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

const untilOf = (sql: Sql, relation: string): Fragment =>
  sql`now() + ${sql(relation)}.lease_ms * interval '1 millisecond'`

const due_at_once = 100

type QueueRow = Endpoint &
  QueueKey &
  Readonly<{ lease_no: bigint; marks: bigint; id: string | null }> &
  Omit<DueDelivery, 'id'>

/** `which`: those of the queues (`l`), unchanged since we read them, that may be claimed. */
async function takeQueues(
  sql: Sql,
  queues: readonly QueueClaim[],
  { change, which }: Readonly<{ change: Fragment; which: Fragment }>,
): Promise<(LeasedQueue & QueueKey)[]> {
  const columns = sql`
    merchant_id uuid, webhook_id uuid, lease_no bigint, lease_ms float8, again_max int`
  const rows = await sql<QueueRow[]>`
    with held as (
      update webhook_lanes l
         set ${change}
        from ${jsonRows(sql, queues, columns)} as k
       where l.merchant_id = k.merchant_id and l.webhook_id = k.webhook_id
         and l.lease_no = k.lease_no and ${which}
      returning l.merchant_id, l.webhook_id, l.lease_no, l.marks, k.again_max)
    select h.merchant_id, h.webhook_id, h.lease_no, h.marks, w.url, w.environment, w.is_active,
           w.deleted_at is not null as is_deleted, w.failing_since is not null as is_failing,
           case when w.overlap_until <= now() then coalesce(w.sealed_next_secret, w.sealed_secret)
                else w.sealed_secret end as sealed_secret,
           case when w.overlap_until > now() then w.sealed_next_secret end as sealed_next_secret,
           d.id, d.attempt, d.schedule_from, d.event_type, d.told_id,
           coalesce(e.created_at, now()) as event_at, coalesce(e.seq, 0) as sequence,
           e.data::text as data
      from held h
      join webhooks w on w.merchant_id = h.merchant_id and w.id = h.webhook_id
      left join lateral (
           (${dueOf(sql, { asked_again: false, limit: sql`${due_at_once}` })})
            union all
           (${dueOf(sql, { asked_again: true, limit: sql`h.again_max` })})) d
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
         coalesce((q.request_headers ->> 'X-Webhook-Id')::uuid, q.event_id) as told_id
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
    const { told_id, event_at, sequence, data } = of
    return [{ id, attempt, schedule_from, event_type, told_id, event_at, sequence, data }]
  })
  const { merchant_id, webhook_id, lease_no, marks } = first
  const { url, environment, is_active, is_deleted, is_failing } = first
  const { sealed_secret, sealed_next_secret } = first
  const secrets = { sealed_secret, sealed_next_secret }
  const endpoint = { url, environment, is_active, is_deleted, is_failing, ...secrets }
  const lease = { merchant_id, webhook_id, lease_no }
  return [{ merchant_id, webhook_id, lease, marks, endpoint, due }]
}

/** False when the queue is no longer ours. */
export async function renewQueue(sql: Sql, lease: QueueLease, lease_ms: number): Promise<boolean> {
  const rows = await sql`
    update webhook_lanes set leased_until = ${until(sql, lease_ms)}
     where merchant_id = ${lease.merchant_id} and webhook_id = ${lease.webhook_id}
       and lease_no = ${lease.lease_no}
    returning 1 as one`
  return rows.count === 1
}

/**
 * What becomes of the queue when tries are recorded: we keep it; it rests until its next delivery
 * is due, unless one is due or came meanwhile; it rests for good (the endpoint is off); or it goes
 * to the end, behind the others.
 */
export type Ending = 'keep' | 'rest' | 'off' | 'requeue'

export type Recording = Readonly<{
  tries: readonly Try[]
  lease_ms: number
  marks: bigint
  ending: Ending
}>

type RecordingOutcome = QueueKey & Readonly<{ is_held: boolean }>

/**
 * Writes tries and their effect on the endpoint, and keeps the queue or lets it go; returns whether
 * it is still ours. Undefined when it was no longer ours: then nothing is written.
 */
export const recordTries = (
  db: Db,
  lease: QueueLease,
  recording: Recording,
): Promise<RecordingOutcome | undefined> => recordBatch(db)({ ...lease, ...recording })

const recordBatch = perPool((db) =>
  batchQueues((queues: readonly (QueueLease & Recording)[]) => writeTries(db, queues)),
)

async function writeTries(
  sql: Db,
  queues: readonly (QueueLease & Recording)[],
): Promise<RecordingOutcome[]> {
  const now_ms = performance.now()
  const tries = queues.flatMap(({ merchant_id, webhook_id, tries }) =>
    tries.map(({ began_ms, ...one }) => ({
      ...one,
      merchant_id,
      webhook_id,
      ago_ms: now_ms - began_ms,
    })),
  )
  const parts = [
    endingsOf(sql, queues),
    part(
      'tried',
      sql`tried as materialized (
      select t.merchant_id, t.webhook_id, t.id, t.attempt, t.status, t.http_status,
             t.request_headers, t.response_headers, t.response_body, t.url, t.ago_ms, t.took_ms,
             now() + t.after_ms * interval '1 millisecond' as due_at
        from ${jsonRows(
          sql,
          tries,
          sql`
        merchant_id uuid, webhook_id uuid, id uuid, attempt int, status text, http_status int,
        request_headers jsonb, response_headers jsonb, response_body text, url text,
        ago_ms float8, took_ms float8, after_ms float8`,
        )} as t
    )`,
    ),
    releaseQueues(sql),
    keepEarlier(sql),
    part<never>(
      'recorded',
      sql`recorded as (
      update deliveries d
         set status = t.status, attempt = t.attempt, http_status = t.http_status,
             request_headers = t.request_headers, response_headers = t.response_headers,
             response_body = t.response_body, url = t.url, due_at = t.due_at,
             took_ms = round(t.took_ms),
             sent_at = now() - t.ago_ms * interval '1 millisecond',
             exhausted_at = case when t.status = 'EXHAUSTED' then now() end
        from tried t
        left join earlier e on e.merchant_id = t.merchant_id and e.id = t.id
       where d.merchant_id = t.merchant_id and d.id = t.id and ${mayFollow(sql)}
         and (t.attempt = 1 or e.id is not null)
    )`,
    ),
    judgeEndpoints(sql),
  ]
  const last = sql`select merchant_id, webhook_id, leased_until is not null as is_held from held`
  return sql<RecordingOutcome[]>`${composed(sql, parts, last)}`
}

/** `settling as (…)`: the queues, with what becomes of them and the results of their tries. */
const endingsOf = (sql: Sql, queues: readonly (QueueLease & Recording)[]): Part<never> => {
  const rows = queues.map(({ tries, ...lease }) => ({
    ...lease,
    was_tried: tries.length > 0,
    works: tries.some((one) => one.status === 'SUCCESS'),
    is_gone: tries.some((one) => one.http_status === 410),
  }))
  const settling = sql`settling as materialized (
      select s.merchant_id, s.webhook_id, s.lease_no, s.lease_ms, s.marks, s.ending, s.was_tried,
             s.works, s.is_gone
        from ${jsonRows(
          sql,
          rows,
          sql`
        merchant_id uuid, webhook_id uuid, lease_no bigint, lease_ms float8, marks bigint,
        ending text, was_tried boolean, works boolean, is_gone boolean`,
        )} as s
    )`
  return part('settling', settling)
}

/**
 * `next, held as (…)`: when the queues that may rest are due again, and the queues still ours;
 * `leased_until` is null where one was let go.
 */
function releaseQueues(sql: Sql): Part<'webhook_id'> {
  const may_rest = sql`l.marks = s.marks and coalesce(s.next_due_at > now(), true)`
  return part(
    'held',
    sql`next as materialized (
      select s.merchant_id, s.webhook_id, s.lease_no, s.lease_ms, s.marks, s.ending,
             case when s.ending = 'rest' then least(
               (select min(t.due_at) from tried t where t.webhook_id = s.webhook_id),
               (${firstDue(sql, false)}), (${firstDue(sql, true)})) end as next_due_at
        from settling s
    )`,
    sql`held as (
      update webhook_lanes l
         set due_at = case s.ending
                      when 'keep' then l.due_at
                      when 'requeue' then now()
                      else case when ${may_rest} then s.next_due_at else l.due_at end end,
             leased_until = case s.ending
                            when 'keep' then ${untilOf(sql, 's')}
                            when 'requeue' then null
                            else case when ${may_rest} then null else ${untilOf(sql, 's')} end end
        from next s
       where l.merchant_id = s.merchant_id and l.webhook_id = s.webhook_id
         and l.lease_no = s.lease_no
      returning l.merchant_id, l.webhook_id, l.leased_until)`,
  )
}

/** When the first delivery of the queue `s` is due, apart from those just tried. */
const firstDue = (sql: Sql, asked_again: boolean): Fragment => sql`
  select d.due_at from deliveries d
   where d.merchant_id = s.merchant_id and d.webhook_id = s.webhook_id
     and d.asked_again = ${asked_again} and d.due_at is not null
     and not exists (select 1 from tried t where t.id = d.id)
   order by d.due_at
   limit 1`

/**
 * `judged as (…)`: how long each endpoint has been failing, and whether that or a 410 switches it
 * off.
 */
function judgeEndpoints(sql: Sql): Part<never> {
  const tired = sql`(not s.works and coalesce(w.failing_since <= now() - interval '5 days', false))`
  const off = sql`(w.is_active and (s.is_gone or ${tired}))`
  const judged = sql`judged as (
    update webhooks w
       set failing_since = case when s.works then null else coalesce(w.failing_since, now()) end,
           is_active = w.is_active and not ${off},
           switched_off_reason = case when not ${off} then w.switched_off_reason
                                      when s.is_gone then 'GONE' else 'FAILING' end,
           updated_at = case when ${off} then now() else w.updated_at end
      from settling s
     where s.was_tried and exists (select 1 from held h where h.webhook_id = s.webhook_id)
       and w.merchant_id = s.merchant_id and w.id = s.webhook_id
       and ((w.failing_since is null) <> s.works or ${off}))`
  return part('judged', judged)
}
