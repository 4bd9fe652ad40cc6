// The statement that counts an endpoint's deliveries. Law: what it reads is bounded, by the period
// and by a number of deliveries of each type of event, in the order of the index of endpoints.

import { eventTypes } from '../../events/event.ts'
import type { Sql } from '../../platform/db.ts'
import { homeOf } from '../../platform/places/places.ts'
import type { QueueKey } from '../webhook.ts'

/** Deliveries by what has become of them; their tries, and how long answers took, in ms. */
export type DeliveryFigures = Readonly<{
  deliveries: number
  tries: number
  succeeded: number
  failed: number
  exhausted: number
  waiting: number
  answer_ms_p50: number | null
  answer_ms_p95: number | null
}>

/** `hour`: its beginning; null: the whole period. */
export type CountedLine = DeliveryFigures &
  Readonly<{
    hour: Date | null
    /** Deliveries are counted after this moment; null: all of the period. */
    cut_at: Date | null
  }>

export type Span = Readonly<{ from: Date; to: Date }>

/**
 * The lines of the hours that had deliveries, and one of the whole. Where a type of event has
 * `read_max` of them or more, only what is newer than the oldest that was read is counted, of any
 * type.
 */
export const listCounted = (
  sql: Sql,
  { merchant_id, webhook_id }: QueueKey,
  { from, to }: Span,
  read_max: number,
): Promise<CountedLine[]> =>
  homeOf(sql, merchant_id)<CountedLine[]>`
    with found as materialized (
      select d.event_type, d.status, d.attempt, d.created_at,
             case when d.http_status is not null then d.took_ms end as answer_ms
        from unnest(${[...eventTypes]}::text[]) as t (type)
       cross join lateral (
             select d.event_type, d.status, d.attempt, d.created_at, d.http_status, d.took_ms
               from deliveries d
              where d.merchant_id = ${merchant_id} and d.webhook_id = ${webhook_id}
                and d.event_type = t.type and d.created_at >= ${from} and d.created_at <= ${to}
              order by d.created_at desc, d.id desc
              limit ${read_max}) d
    ), cut as (
      select max(s.oldest) as cut_at
        from (select min(f.created_at) as oldest from found f
               group by f.event_type
              having count(*) >= ${read_max}) s
    )
    select date_trunc('hour', f.created_at, 'UTC') as hour, min(cut.cut_at) as cut_at,
           count(*)::int as deliveries, coalesce(sum(f.attempt), 0)::int as tries,
           (count(*) filter (where f.status = 'SUCCESS'))::int as succeeded,
           (count(*) filter (where f.status = 'FAILED'))::int as failed,
           (count(*) filter (where f.status = 'EXHAUSTED'))::int as exhausted,
           (count(*) filter (where f.status = 'PENDING'))::int as waiting,
           percentile_disc(0.5) within group (order by f.answer_ms) as answer_ms_p50,
           percentile_disc(0.95) within group (order by f.answer_ms) as answer_ms_p95
      from found f
     cross join cut
     where cut.cut_at is null or f.created_at > cut.cut_at
     group by grouping sets ((), (date_trunc('hour', f.created_at, 'UTC')))`
