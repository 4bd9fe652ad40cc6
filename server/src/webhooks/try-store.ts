// What came of tries: the deliveries, the tries before them, the queue and its lease, and how long
// the endpoint has been failing, in one statement under the queue's lease. A worker that slept
// through its lease changes nothing.

import { perPool } from '../platform/batch-calls.ts'
import type { Db, Fragment, Sql } from '../platform/db.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, jsonRows, type Part, part } from '../platform/sql.ts'
import { isGone, type Try } from './delivery.ts'
import { batchQueues, type Endpoint, type QueueLease, untilOf } from './queue-store.ts'
import type { QueueKey } from './webhook.ts'

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
}> &
  /** The endpoint as it was read with the queue: the tries went to that address. */
  Pick<Endpoint, 'url' | 'updated_at'>

type RecordingOutcome = QueueKey &
  Readonly<{
    is_ours: boolean
    /** The endpoint has been changed since it was read. */
    is_changed: boolean
  }>

/**
 * Writes tries and their effect on the endpoint, and keeps the queue or lets it go; returns whether
 * it is still ours. Undefined when it was no longer ours: then nothing is written.
 */
export const recordTries = (
  db: Db,
  lease: QueueLease,
  recording: Recording,
): Promise<RecordingOutcome | undefined> =>
  recordBatch(homeOf(db, lease.merchant_id))({ ...lease, ...recording })

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
      ago_ms: now_ms - began_ms,
      ...one,
      merchant_id,
      webhook_id,
    })),
  )
  const parts = [
    endingsOf(sql, queues),
    part(
      'tried',
      sql`tried as materialized (
      select t.merchant_id, t.webhook_id, t.id, t.attempt, t.schedule_from, t.status, t.http_status,
             t.request_headers, t.response_headers, t.response_body, t.url, t.ago_ms, t.took_ms,
             now() + t.after_ms * interval '1 millisecond' as due_at
        from ${jsonRows(
          sql,
          tries,
          sql`
        merchant_id uuid, webhook_id uuid, id uuid, attempt int, schedule_from int, status text,
        http_status int, request_headers jsonb, response_headers jsonb, response_body text,
        url text, ago_ms float8, took_ms float8, after_ms float8`,
        )} as t
    )`,
    ),
    releaseQueues(sql),
    keepEarlier(sql),
    part<never>(
      'recorded',
      sql`recorded as (
      update deliveries d
         set status = case when ${isRequested(sql)} then d.status else t.status end,
             due_at = case when ${isRequested(sql)} then d.due_at else t.due_at end,
             schedule_from = case when ${isRequested(sql)} then t.attempt
                                  else d.schedule_from end,
             attempt = t.attempt, http_status = t.http_status,
             request_headers = t.request_headers, response_headers = t.response_headers,
             response_body = t.response_body, url = t.url, took_ms = round(t.took_ms),
             sent_at = now() - t.ago_ms * interval '1 millisecond',
             exhausted_at = case when t.status = 'EXHAUSTED' and not ${isRequested(sql)}
                                 then now() end
        from tried t
        left join earlier e on e.merchant_id = t.merchant_id and e.id = t.id
       where d.merchant_id = t.merchant_id and d.id = t.id and ${mayFollow(sql)}
         and (t.attempt = 1 or e.id is not null)
    )`,
    ),
    judgeEndpoints(sql),
  ]
  // Whoever changes an endpoint marks its queue: it is read only where something came.
  const last = sql`
    select h.merchant_id, h.webhook_id, h.leased_until is not null as is_ours,
           case when h.is_marked
                then (select w.updated_at <> h.updated_at from webhooks w
                       where w.merchant_id = h.merchant_id and w.id = h.webhook_id)
                else false end as is_changed
      from still_ours h`
  return sql<RecordingOutcome[]>`${composed(sql, parts, last)}`
}

/** `settling as (…)`: the queues, with what becomes of them and the results of their tries. */
const endingsOf = (sql: Sql, queues: readonly (QueueLease & Recording)[]): Part<never> => {
  const rows = queues.map(({ tries, ...lease }) => ({
    was_tried: tries.length > 0,
    ...lease,
    works: tries.some((one) => one.status === 'SUCCESS'),
    is_gone: tries.some(isGone),
    repeats: tries.some((one) => one.attempt - one.schedule_from > 1),
  }))
  const settling = sql`settling as materialized (
      select s.merchant_id, s.webhook_id, s.lease_no, s.lease_ms, s.marks, s.ending, s.url,
             s.updated_at, s.was_tried, s.works, s.is_gone, s.repeats
        from ${jsonRows(
          sql,
          rows,
          sql`
        merchant_id uuid, webhook_id uuid, lease_no bigint, lease_ms float8, marks bigint,
        ending text, url text, updated_at timestamptz, was_tried boolean, works boolean,
        is_gone boolean, repeats boolean`,
        )} as s
    )`
  return part('settling', settling)
}

/**
 * `next, still_ours as (…)`: when the queues that may rest are due again, and those that are still
 * ours; `leased_until` is null where one was let go.
 */
function releaseQueues(sql: Sql): Part<'webhook_id'> {
  const may_rest = sql`l.marks = s.marks and coalesce(s.next_due_at > now(), true)`
  return part(
    'still_ours',
    sql`next as materialized (
      select s.merchant_id, s.webhook_id, s.lease_no, s.lease_ms, s.marks, s.ending,
             s.updated_at,
             case when s.ending = 'rest' then least(
               (select min(t.due_at) from tried t where t.webhook_id = s.webhook_id),
               (${firstDue(sql, false)}), (${firstDue(sql, true)})) end as next_due_at
        from settling s
    )`,
    sql`still_ours as (
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
      returning l.merchant_id, l.webhook_id, l.leased_until, s.updated_at,
                l.marks <> s.marks as is_marked)`,
  )
}

/**
 * When the first delivery of the queue `s` is due, apart from those just tried; one that was
 * requested meanwhile is due though it was.
 */
const firstDue = (sql: Sql, asked_again: boolean): Fragment => sql`
  select d.due_at from deliveries d
   where d.merchant_id = s.merchant_id and d.webhook_id = s.webhook_id
     and d.asked_again = ${asked_again} and d.due_at is not null
     and not exists (select 1 from tried t
                      where t.id = d.id and t.schedule_from = d.schedule_from)
   order by d.due_at
   limit 1`

/**
 * When the first delivery of the queue `s` is tried again of those that are not due yet. What came
 * just now is due, though its moment may have been rounded up.
 */
const firstAfter = (sql: Sql, asked_again: boolean): Fragment => sql`
  select d.due_at from deliveries d
   where d.merchant_id = s.merchant_id and d.webhook_id = s.webhook_id
     and d.asked_again = ${asked_again} and d.due_at > now() + interval '1 millisecond'
   order by d.due_at
   limit 1`

/**
 * `judging, judged as (…)`: how long each endpoint has been failing, and whether that or a 410
 * switches it off. It is judged only by tries that went where it is now, and gone only as it was
 * when they began. Five days of failures are days with a try to come: where nothing waited to be
 * tried again they begin anew.
 */
function judgeEndpoints(sql: Sql): Part<never> {
  const judging = sql`judging as materialized (
    select s.merchant_id, s.webhook_id, s.url, s.updated_at, s.works, s.is_gone,
           case when s.works or s.repeats then false
                else coalesce((${firstAfter(sql, false)}), (${firstAfter(sql, true)})) is null
                end as fails_anew
      from settling s
     where s.was_tried
  )`
  const gone = sql`(s.is_gone and w.updated_at = s.updated_at)`
  const tired = sql`(not s.works and not s.fails_anew
                       and coalesce(w.failing_since <= now() - interval '5 days', false))`
  const off = sql`(w.is_active and (${gone} or ${tired}))`
  const judged = sql`judged as (
    update webhooks w
       set failing_since = case when s.works then null
                                when s.fails_anew then now()
                                else coalesce(w.failing_since, now()) end,
           is_active = w.is_active and not ${off},
           switched_off_reason = case when not ${off} then w.switched_off_reason
                                      when ${gone} then 'GONE' else 'FAILING' end,
           updated_at = case when ${off} then now() else w.updated_at end
      from judging s
     where exists (select 1 from still_ours h where h.webhook_id = s.webhook_id)
       and w.merchant_id = s.merchant_id and w.id = s.webhook_id and w.url = s.url
       and ((w.failing_since is null) <> s.works or s.fails_anew or ${off}))`
  return part('judged', judging, judged)
}

/**
 * Whether the delivery `d` was requested again while its try `t`, which failed, was under way: it
 * is tried once more as requested, by a schedule that begins behind that try.
 */
const isRequested = (sql: Sql): Fragment => sql`
  (t.status <> 'SUCCESS' and d.schedule_from <> t.schedule_from)`

/** Whether the try `t` is the next one of the delivery `d`, and its queue still in `still_ours`. */
const mayFollow = (sql: Sql): Fragment => sql`
  d.attempt = t.attempt - 1 and d.status in ('PENDING', 'FAILED')
  and exists (select 1 from still_ours h where h.webhook_id = t.webhook_id)`

/**
 * `earlier, kept as (…)`: the last try of each delivery that is tried once more, which its row is
 * about to overwrite. Locked before it is read: what an erasure has just emptied is not copied. A
 * first try has nothing before it and costs nothing here.
 */
const keepEarlier = (sql: Sql): Part =>
  part(
    'earlier',
    sql`earlier as materialized (
    select d.merchant_id, d.id, d.attempt, d.url, d.http_status, d.response_headers,
           d.response_body, d.sent_at, d.took_ms
      from tried t
      join deliveries d on d.merchant_id = t.merchant_id and d.id = t.id
     where t.attempt > 1 and ${mayFollow(sql)}
       for update of d
  )`,
    sql`kept as (
    insert into delivery_tries (merchant_id, delivery_id, attempt, url, http_status,
      response_headers, response_body, sent_at, took_ms)
    select merchant_id, id, attempt, url, http_status, response_headers, response_body, sent_at,
           took_ms
      from earlier
  )`,
  )
