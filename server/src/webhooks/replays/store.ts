// The statements about replays.

import type { FeedKey } from '../../events/event.ts'
import { nilId } from '../../ledger/account.ts'
import type { Db, Fragment, Sql, Tx } from '../../platform/db.ts'
import { idFromHash } from '../../platform/ids.ts'
import { inOrder } from '../../platform/places/page-of-all.ts'
import { eachGroup, homeOf } from '../../platform/places/places.ts'
import { composed, type Part, part } from '../../platform/sql.ts'
import {
  activeEndpoint,
  activeEndpointOf,
  deliveryColumns,
  deliveryIdOf,
  deliveryValues,
  isSubscribed,
  linkOfEvent,
  wakeQueueOf,
} from '../statements.ts'
import { deliveryStates } from '../states.ts'
import { replay_events_max } from '../webhook.ts'
import { portion_max, type Replay, type ReplayKey, waiting_max } from './replay.ts'

type Window = Readonly<{
  since: string
  /** Absent: to the end. */
  until?: string | undefined
  done_seq: bigint
  last_seq: bigint
  /** Those alone that were sent to the endpoint, and that it has not acknowledged. */
  only_failed: boolean
}>

type Sought = Window & Readonly<{ webhook_id: string }>

/** Whether the event `n` goes to the endpoint `w` once more, in the replay `open`. */
const isRepeated = (sql: Sql): Fragment => sql`
  ${isSubscribed(sql)}
  and (not (select only_failed from open)
       or exists (select 1 from deliveries d
                   where d.merchant_id = n.merchant_id and d.id = ${deliveryIdOf(sql)}
                     and d.status in ('FAILED', 'EXHAUSTED')))`

/** The events of a window; a test event is none of them. */
const eventsIn = (sql: Sql, { merchant_id, environment }: FeedKey): Fragment => sql`
  select e.merchant_id, e.environment, e.id, e.seq, e.type, e.transaction_id, e.subject_id,
         ${linkOfEvent(sql)} as payment_link
    from events e
   where e.merchant_id = ${merchant_id} and e.environment = ${environment}
     and e.type <> 'webhook.test'`

/**
 * How many events of a window the endpoint is subscribed to; counts one more than a replay may
 * have.
 */
export async function countSubscribed(sql: Sql, feed: FeedKey, asked: Sought): Promise<number> {
  const { webhook_id, since, until, done_seq, last_seq, only_failed } = asked
  const [row] = await homeOf(sql, feed.merchant_id)<{ count: number }[]>`
    with ${activeEndpointOf(sql, { merchant_id: feed.merchant_id, webhook_id })},
    missed as (
      ${eventsIn(sql, feed)}
         and e.seq > ${done_seq} and e.seq <= ${last_seq}
         and e.created_at >= ${since}::text::timestamptz
         ${until === undefined ? sql`` : sql`and e.created_at <= ${until}::text::timestamptz`}
         ${only_failed ? sql`and e.id in (${failedOf(sql, feed, asked)})` : sql``}),
    received as (
      select 1 from missed n join endpoint w on ${isSubscribed(sql)}
       limit ${replay_events_max + 1})
    select count(*)::int as count from received`
  return row?.count ?? 0
}

const day_ms = 86_400_000

/**
 * The events of a window that the endpoint has not acknowledged, by the index of what is in
 * trouble: of an endpoint that is well nothing is read, however long the window. A delivery's id
 * begins with its event's moment by the clock of whoever made it, so that a day is left either way.
 */
function failedOf(sql: Sql, { merchant_id }: FeedKey, { webhook_id, since, until }: Sought) {
  const none = Buffer.alloc(32, 0x00)
  const all = Buffer.alloc(32, 0xff)
  const last_ms = until === undefined ? Date.now() : Date.parse(until)
  return sql`
    select d.event_id from deliveries d
     where d.merchant_id = ${merchant_id} and d.webhook_id = ${webhook_id}
       and d.status in ('FAILED', 'EXHAUSTED')
       and d.id between ${idFromHash(Date.parse(since) - day_ms, none)}::uuid
                    and ${idFromHash(last_ms + day_ms, all)}::uuid`
}

/** Whether a replay of the endpoint is under way. */
export async function isReplaying(
  sql: Sql,
  { merchant_id, webhook_id }: Readonly<{ merchant_id: string; webhook_id: string }>,
): Promise<boolean> {
  const rows = await homeOf(sql, merchant_id)`
    select 1 from webhook_replays
     where merchant_id = ${merchant_id} and webhook_id = ${webhook_id} and finished_at is null`
  return rows.count > 0
}

export type NewReplay = ReplayKey &
  FeedKey &
  Window &
  Readonly<{ webhook_id: string; events_total: number }>

/** False when a replay of this endpoint is under way. */
export async function insertReplay(tx: Tx, row: NewReplay): Promise<boolean> {
  const rows = await tx`
    insert into webhook_replays (merchant_id, id, webhook_id, environment, since, until,
      done_seq, last_seq, events_total, only_failed)
    values (${row.merchant_id}, ${row.id}, ${row.webhook_id}, ${row.environment},
      ${row.since}::text::timestamptz, ${row.until ?? null}::text::timestamptz, ${row.done_seq},
      ${row.last_seq}, ${row.events_total}, ${row.only_failed})
    on conflict (merchant_id, webhook_id) where finished_at is null do nothing
    returning id`
  return rows.count === 1
}

/** The newest of an endpoint. */
export async function findReplay(
  sql: Sql,
  { merchant_id, webhook_id }: Readonly<{ merchant_id: string; webhook_id: string }>,
): Promise<Replay | undefined> {
  const [row] = await homeOf(sql, merchant_id)<Replay[]>`
    select r.merchant_id, r.id, r.webhook_id, r.environment, r.since, r.until, r.only_failed,
           r.events_total, r.events_queued, r.finished_at, r.created_at,
           case when r.finished_at is null then (${countWaiting(sql)}) else 0 end as events_waiting
      from webhook_replays r
     where r.merchant_id = ${merchant_id} and r.webhook_id = ${webhook_id}
     order by r.created_at desc
     limit 1`
  return row
}

/** For the endpoint of the replay `r`: deliveries requested again and not tried since. */
const countWaiting = (sql: Sql): Fragment => sql`
  select count(*)::int from deliveries d
   where d.merchant_id = r.merchant_id and d.webhook_id = r.webhook_id
     and d.asked_again and d.due_at is not null and d.status = 'PENDING'`

export type OpenReplay = ReplayKey & FeedKey & Readonly<{ webhook_id: string }>

/** `after`: the id of the last one that had its turn. `but`: these are passed over. */
export type OpenSought = Readonly<{ after?: string; but?: readonly string[] }>

/**
 * Those under way whose endpoint is on, or gone, of any merchant, by id: candidates only, nothing
 * is locked. One that rests with its endpoint takes nobody's turn.
 */
export async function listOpenReplays(
  sql: Sql,
  limit: number,
  { after = nilId, but = [] }: OpenSought = {},
): Promise<OpenReplay[]> {
  const rows = await eachGroup(
    sql,
    (at) => at<OpenReplay[]>`
    select r.merchant_id, r.id, r.webhook_id, r.environment
      from webhook_replays r
      join webhooks w on w.merchant_id = r.merchant_id and w.id = r.webhook_id
     where r.finished_at is null and (w.is_active or w.deleted_at is not null)
       and r.id > ${after} and r.id <> all(${[...but]}::uuid[])
     order by r.id
     limit ${limit}`,
  )
  return inOrder(rows, [{ field: 'id', descending: false }]).slice(0, limit)
}

/**
 * Queues the next portion of a replay, or ends it when all of it was tried or its endpoint is gone;
 * all or nothing. A rival that has locked it does the work instead. Returns how many it has queued.
 */
export async function queuePortion(db: Db, replay: OpenReplay): Promise<number> {
  const { merchant_id, webhook_id } = replay
  const parts = [
    lockOpen(db, replay),
    activeEndpoint(db, { merchant_id, webhook_id }),
    wakeQueueOf(
      db,
      { merchant_id, webhook_id },
      db`exists (select 1 from open where has_room) and exists (select 1 from endpoint)`,
    ),
    part(
      'missed',
      db`missed as materialized (
      select n.merchant_id, n.environment, n.id, n.seq, n.type, n.transaction_id, n.subject_id,
             n.payment_link
        from open r
       cross join lateral (
             ${eventsIn(db, replay)}
                and e.seq > r.done_seq and e.seq <= r.last_seq and e.created_at >= r.since
                and e.created_at <= coalesce(r.until, 'infinity')
              order by e.seq
              limit ${portion_max}) n
       where exists (select 1 from queue_woken)
    )`,
    ),
    part<never>(
      'delivery_repeated',
      db`delivery_repeated as (
      insert into deliveries as d (${deliveryColumns(db)}, asked_again)
      select ${deliveryValues(db)}, true
        from missed n
        join endpoint w on ${isRepeated(db)}
      on conflict (merchant_id, id) do update
         set status = 'PENDING', due_at = now(), schedule_from = d.attempt, asked_again = true,
             exhausted_at = null
       where d.status = any(${deliveryStates.into('PENDING')})
    )`,
    ),
    advanceReplay(db, replay),
  ]
  const last = db`select events_received from replay_advanced`
  const [row] = await composed(homeOf(db, merchant_id), parts, last)
  return row?.events_received ?? 0
}

/**
 * `open as (…)`: the replay, locked; `has_room` while few of it wait. Empty when a rival has locked
 * it, or has queued a portion since our snapshot, which does not see that it waits.
 */
const lockOpen = (sql: Sql, { merchant_id, id }: OpenReplay): Part =>
  part(
    'open',
    sql`open as materialized (
  select r.merchant_id, r.id, r.webhook_id, r.since, r.until, r.only_failed, r.done_seq,
         r.last_seq, w.waiting < ${waiting_max} as has_room, w.waiting = 0 as is_quiet
    from webhook_replays r
   cross join lateral (select (${countWaiting(sql)}) as waiting) w
    join webhook_replays seen
      on seen.merchant_id = r.merchant_id and seen.id = r.id and seen.done_seq = r.done_seq
   where r.merchant_id = ${merchant_id} and r.id = ${id} and r.finished_at is null
     for update of r skip locked
)`,
  )

/** `replay_advanced as (…)`: its progress now, and whether it is over. */
const advanceReplay = (sql: Sql, { merchant_id, id, webhook_id }: OpenReplay): Part<never> =>
  part(
    'replay_advanced',
    sql`replay_advanced as (
    update webhook_replays r
       set done_seq = coalesce(done.seq, r.done_seq),
           events_queued = r.events_queued + done.events_received,
           finished_at = case when done.is_over then now() end
      from (select (select max(seq) from missed) as seq,
                   (select count(*)::int
                      from missed n join endpoint w on ${isRepeated(sql)})
                     as events_received,
                   (open.is_quiet and not exists (select 1 from missed)
                      and exists (select 1 from endpoint))
                   or exists (select 1 from webhooks
                               where merchant_id = ${merchant_id} and id = ${webhook_id}
                                 and deleted_at is not null) as is_over
              from open) done
     where r.merchant_id = ${merchant_id} and r.id = ${id}
    returning done.events_received)`,
  )
