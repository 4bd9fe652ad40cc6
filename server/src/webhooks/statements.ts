// The deliveries' part of the sequencer's statement: from events that have just got their number to
// one delivery for each endpoint that hears of them. Repeated, it makes nothing a second time.

import type { Fragment, Sql } from '../platform/db.ts'

/**
 * `endpoint, delivery_made, lane_marked as (…)`: deliveries of the events in the relation
 * `numbered`, which are of the feeds in the relation `feed`, due at once. No subscription hears all;
 * a test is heard by the endpoint it is for. Lanes are locked in the order of their ids.
 */
export function makeDeliveries(sql: Sql): Fragment[] {
  return [
    sql`endpoint as materialized (
      select w.merchant_id, w.environment, w.id, w.url, w.payment_link::text as payment_link,
             (select array_agg(s.event_type) from webhook_subscriptions s
               where s.merchant_id = w.merchant_id and s.webhook_id = w.id) as event_types
        from feed
        join webhooks w on w.merchant_id = feed.merchant_id and w.environment = feed.environment
       where w.is_active and w.deleted_at is null
    )`,
    // The id is that of deliveryId(): time bits of the event, the rest from both ids.
    sql`delivery_made as (
      insert into deliveries (merchant_id, id, environment, webhook_id, event_id, event_type,
        transaction_id, subject_id, url, due_at)
      select n.merchant_id,
             (left(n.id::text, 13) || '-7' || substr(h.hash, 1, 3) || '-8' || substr(h.hash, 4, 3)
               || '-' || substr(h.hash, 7, 12))::uuid,
             n.environment, w.id, n.id, n.type, n.transaction_id, n.subject_id, w.url, now()
        from numbered n
        join endpoint w
          on w.merchant_id = n.merchant_id and w.environment = n.environment
         and case n.type
             when 'webhook.test' then w.id = n.subject_id
             else (w.event_types is null or n.type = any(w.event_types))
              and (w.payment_link is null or w.payment_link = n.payment_link)
             end
       cross join lateral (select md5(n.id::text || w.id::text) as hash) h
      on conflict (merchant_id, id) do nothing
      returning merchant_id, environment, webhook_id
    )`,
    sql`lane_marked as (
      insert into webhook_lanes as l (merchant_id, webhook_id, due_at, marks)
      select made.merchant_id, made.webhook_id, now(), 1
        from (select distinct merchant_id, webhook_id from delivery_made) made
       order by made.webhook_id
      on conflict (merchant_id, webhook_id) do update
         set due_at = least(l.due_at, excluded.due_at), marks = l.marks + 1
    )`,
  ]
}
