// Every statement about endpoints, lanes and deliveries that stands alone. A lane's statements name
// the lease number they were given: a worker that slept through its lease changes nothing.

import type { FeedKey } from '../events/event.ts'
import { numberEvents } from '../events/statements.ts'
import type { Fragment, Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { joined, records } from '../platform/sql.ts'
import type { DueDelivery, Try } from './delivery.ts'
import { makeDeliveries } from './statements.ts'
import type { LaneKey } from './webhook.ts'

export type Sequenced = Readonly<{ has_feed: boolean; events: number; deliveries: number }>

/** Numbers the next events of one feed and makes their deliveries, all or nothing. */
export async function sequenceFeed(sql: Sql, feed: FeedKey, limit: number): Promise<Sequenced> {
  const parts = [...numberEvents(sql, feed, limit), ...makeDeliveries(sql, feed)]
  const last = sql`
    select exists (select 1 from feed_seen) as has_feed,
           (select count(*)::int from numbered) as events,
           (select count(*)::int from delivery_made) as deliveries`
  const [row] = await sql<Sequenced[]>`${joined(sql, parts, last)}`
  return row ?? { has_feed: false, events: 0, deliveries: 0 }
}

export type DueLane = LaneKey & Readonly<{ lease_no: bigint; is_failing: boolean }>

/** Lanes that wait for a worker, of any merchant: candidates only, nothing is locked. */
export async function listDueLanes(
  sql: Sql,
  limits: Readonly<{ healthy: number; failing: number }>,
): Promise<DueLane[]> {
  const some = (is_failing: boolean, limit: number) => sql`(
    select l.merchant_id, l.webhook_id, l.lease_no, ${is_failing}::boolean as is_failing
      from webhook_lanes l
      join webhooks w on w.merchant_id = l.merchant_id and w.id = l.webhook_id
     where l.due_at <= now() and (l.leased_until is null or l.leased_until <= now())
       and (w.failing_since is not null) = ${is_failing}
     order by l.due_at
     limit ${limit})`
  return sql<DueLane[]>`
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

export type HeldLane = LaneKey & Readonly<{ lease_no: bigint }>

/** A lane in our hands. `marks` tells later whether anything came meanwhile. */
export type LaneVisit = Readonly<{
  lane: HeldLane
  marks: bigint
  endpoint: Endpoint
  due: readonly DueDelivery[]
}>

export type Take = Readonly<{
  lease_ms: number
  batch: number
  /** How many of those that were asked for again, when nothing new is due. */
  again_max: number
}>

/** Takes a lane nobody holds, with its first due deliveries; undefined when a rival was faster. */
export function claimLane(sql: Sql, lane: HeldLane, take: Take): Promise<LaneVisit | undefined> {
  return laneWithDue(
    sql,
    lane,
    take,
    sql`
    update webhook_lanes
       set lease_no = lease_no + 1, leased_until = ${until(sql, take.lease_ms)}
     where merchant_id = ${lane.merchant_id} and webhook_id = ${lane.webhook_id}
       and lease_no = ${lane.lease_no} and (leased_until is null or leased_until <= now())
    returning lease_no, marks`,
  )
}

/** The next due deliveries of a lane we hold; undefined when it is no longer ours. */
export function keepLane(sql: Sql, lane: HeldLane, take: Take): Promise<LaneVisit | undefined> {
  return laneWithDue(
    sql,
    lane,
    take,
    sql`
    update webhook_lanes
       set leased_until = ${until(sql, take.lease_ms)}
     where merchant_id = ${lane.merchant_id} and webhook_id = ${lane.webhook_id}
       and lease_no = ${lane.lease_no}
    returning lease_no, marks`,
  )
}

const until = (sql: Sql, ms: number): Fragment => sql`now() + ${ms} * interval '1 millisecond'`

type LaneRow = Endpoint &
  Readonly<{ lease_no: bigint; marks: bigint; id: string | null }> &
  Omit<DueDelivery, 'id'>

async function laneWithDue(
  sql: Sql,
  { merchant_id, webhook_id }: LaneKey,
  { batch, again_max }: Take,
  held: Fragment,
): Promise<LaneVisit | undefined> {
  const due = (asked_again: boolean, limit: number) => sql`
    select q.id, q.attempt, q.schedule_from, q.event_type, q.event_id, q.due_at
      from deliveries q
     where q.merchant_id = ${merchant_id} and q.webhook_id = ${webhook_id}
       and q.asked_again = ${asked_again} and q.due_at <= now()
       and exists (select 1 from endpoint where is_active and not is_deleted)
       ${asked_again ? sql`and not exists (select 1 from fresh)` : sql``}
     order by q.due_at, q.id
     limit ${limit}`
  const parts = [
    sql`held as (${held})`,
    sql`endpoint as materialized (
      select h.lease_no, h.marks, w.url, w.environment, w.is_active,
             w.deleted_at is not null as is_deleted, w.failing_since is not null as is_failing,
             case when w.overlap_until <= now() then coalesce(w.sealed_next_secret, w.sealed_secret)
                  else w.sealed_secret end as sealed_secret,
             case when w.overlap_until > now() then w.sealed_next_secret end as sealed_next_secret
        from held h
        join webhooks w on w.merchant_id = ${merchant_id} and w.id = ${webhook_id}
    )`,
    sql`fresh as materialized (${due(false, batch)})`,
    sql`again as materialized (${due(true, again_max)})`,
  ]
  const last = sql`
    select w.lease_no, w.marks, w.url, w.environment, w.is_active, w.is_deleted, w.is_failing,
           w.sealed_secret, w.sealed_next_secret, d.id, d.attempt, d.schedule_from,
           d.event_type, d.event_id, coalesce(e.created_at, now()) as event_at,
           coalesce(e.seq, 0) as sequence, e.data::text as data
      from endpoint w
      left join (
           select id, attempt, schedule_from, event_type, event_id, due_at from fresh
            union all
           select id, attempt, schedule_from, event_type, event_id, due_at from again) d on true
      left join events e on e.merchant_id = ${merchant_id} and e.id = d.event_id
     order by d.due_at, d.id`
  const rows = await sql<LaneRow[]>`${joined(sql, parts, last)}`
  return visitOf(rows, { merchant_id, webhook_id })
}

function visitOf(rows: readonly LaneRow[], { merchant_id, webhook_id }: LaneKey) {
  const [first] = rows
  if (first === undefined) return undefined
  const due = rows.flatMap(({ id, attempt, schedule_from, event_type, ...of }) => {
    if (id === null) return []
    const { event_id, event_at, sequence, data } = of
    return [{ id, attempt, schedule_from, event_type, event_id, event_at, sequence, data }]
  })
  const { url, environment, is_active, is_deleted, is_failing } = first
  const { sealed_secret, sealed_next_secret } = first
  const secrets = { sealed_secret, sealed_next_secret }
  return {
    lane: { merchant_id, webhook_id, lease_no: first.lease_no },
    marks: first.marks,
    endpoint: { url, environment, is_active, is_deleted, is_failing, ...secrets },
    due,
  } satisfies LaneVisit
}

/** False when the lane is no longer ours. */
export async function renewLane(sql: Sql, lane: HeldLane, lease_ms: number): Promise<boolean> {
  const rows = await sql`
    update webhook_lanes set leased_until = ${until(sql, lease_ms)}
     where merchant_id = ${lane.merchant_id} and webhook_id = ${lane.webhook_id}
       and lease_no = ${lane.lease_no}
    returning 1 as one`
  return rows.count === 1
}

/**
 * What becomes of the lane when tries are recorded: we keep it; it rests until its next delivery is
 * due, unless one is due or came meanwhile; it rests for good (the endpoint is off); or it queues
 * again behind the others.
 */
export type Ending = 'keep' | 'rest' | 'off' | 'requeue'

export type Recording = Readonly<{
  tries: readonly Try[]
  lease_ms: number
  marks: bigint
  ending: Ending
}>

export type Recorded = Readonly<{ is_held: boolean; is_ours: boolean }>

/** Writes tries in one statement, with what they say of the endpoint, and settles the lane. */
export async function recordTries(sql: Sql, lane: HeldLane, recording: Recording) {
  const { tries } = recording
  const now_ms = performance.now()
  const rows = tries.map(({ began_ms, ...one }) => ({ ...one, ago_ms: now_ms - began_ms }))
  const parts = [
    sql`tried as materialized (
      select t.id, t.attempt, t.status, t.http_status, t.request_headers, t.response_headers,
             t.response_body, t.url, t.ago_ms, t.took_ms,
             now() + t.after_ms * interval '1 millisecond' as due_at
        from ${records(
          sql,
          rows,
          sql`
        id uuid, attempt int, status text, http_status int, request_headers jsonb,
        response_headers jsonb, response_body text, url text, ago_ms float8, took_ms float8,
        after_ms float8`,
        )} as t
    )`,
    ...settleLane(sql, lane, recording),
    sql`recorded as (
      update deliveries d
         set status = t.status, attempt = t.attempt, http_status = t.http_status,
             request_headers = t.request_headers, response_headers = t.response_headers,
             response_body = t.response_body, url = t.url, due_at = t.due_at,
             took_ms = round(t.took_ms),
             sent_at = now() - t.ago_ms * interval '1 millisecond',
             exhausted_at = case when t.status = 'EXHAUSTED' then now() end
        from tried t cross join held
       where d.merchant_id = ${lane.merchant_id} and d.id = t.id
         and d.attempt = t.attempt - 1 and d.due_at is not null
    )`,
    ...(tries.length === 0 ? [] : [judgeEndpoint(sql, lane, tries)]),
  ]
  const last = sql`select leased_until is not null as is_held from held`
  const [row] = await sql<{ is_held: boolean }[]>`${joined(sql, parts, last)}`
  return { is_ours: row !== undefined, is_held: row?.is_held ?? false } satisfies Recorded
}

/** `held as (…)`: the lane, when it is still ours; `leased_until` is null when it was let go. */
function settleLane(sql: Sql, lane: HeldLane, { ending, lease_ms, marks }: Recording): Fragment[] {
  const ours = sql`merchant_id = ${lane.merchant_id} and webhook_id = ${lane.webhook_id}
       and lease_no = ${lane.lease_no}`
  if (ending === 'keep' || ending === 'requeue') {
    const set =
      ending === 'keep'
        ? sql`leased_until = ${until(sql, lease_ms)}`
        : sql`leased_until = null, due_at = now()`
    return [
      sql`held as (
      update webhook_lanes set ${set} where ${ours} returning leased_until)`,
    ]
  }
  const next =
    ending === 'off'
      ? sql`select null::timestamptz as due_at`
      : sql`
        select least((select min(t.due_at) from tried t),
                     (${firstDue(sql, lane, false)}), (${firstDue(sql, lane, true)})) as due_at`
  const may_rest = sql`marks = ${marks} and coalesce(next.due_at > now(), true)`
  return [
    sql`next as materialized (${next})`,
    sql`held as (
      update webhook_lanes
         set due_at = case when ${may_rest} then next.due_at else webhook_lanes.due_at end,
             leased_until = case when ${may_rest} then null else ${until(sql, lease_ms)} end
        from next
       where ${ours}
      returning leased_until)`,
  ]
}

/** When the first is due of those that were not just tried. */
const firstDue = (sql: Sql, lane: HeldLane, asked_again: boolean): Fragment => sql`
  select d.due_at from deliveries d
   where d.merchant_id = ${lane.merchant_id} and d.webhook_id = ${lane.webhook_id}
     and d.asked_again = ${asked_again} and d.due_at is not null
     and not exists (select 1 from tried t where t.id = d.id)
   order by d.due_at
   limit 1`

/** `judged as (…)`: how long it has been failing, and whether that or a 410 switches it off. */
function judgeEndpoint(sql: Sql, lane: HeldLane, tries: readonly Try[]): Fragment {
  const works = tries.some((one) => one.status === 'SUCCESS')
  const gone = tries.some((one) => one.http_status === 410)
  const tired = sql`(${!works}::boolean and coalesce(
    w.failing_since <= now() - interval '5 days', false))`
  const off = sql`(w.is_active and (${gone}::boolean or ${tired}))`
  return sql`judged as (
    update webhooks w
       set failing_since = case when ${works}::boolean then null
                                else coalesce(w.failing_since, now()) end,
           is_active = w.is_active and not ${off},
           switched_off_reason = case when not ${off} then w.switched_off_reason
                                      when ${gone}::boolean then 'GONE' else 'FAILING' end,
           updated_at = case when ${off} then now() else w.updated_at end
      from held
     where w.merchant_id = ${lane.merchant_id} and w.id = ${lane.webhook_id}
       and ((w.failing_since is null) <> ${works}::boolean or ${off}))`
}

/** The endpoint is deleted: what still waits for it is not sent any more. */
export async function exhaustWaiting(sql: Sql, lane: HeldLane): Promise<void> {
  await sql`
    update deliveries
       set status = 'EXHAUSTED', exhausted_at = now(), due_at = null
     where merchant_id = ${lane.merchant_id} and webhook_id = ${lane.webhook_id}
       and due_at is not null
       and exists (select 1 from webhook_lanes l
                    where l.merchant_id = ${lane.merchant_id}
                      and l.webhook_id = ${lane.webhook_id} and l.lease_no = ${lane.lease_no})`
}
