// From events to one delivery for each subscribed endpoint: a part of the sequencer's statement,
// for the numbered events beyond a feed's mark, and of a replay's. Repeated, it makes no delivery a
// second time. What came of tries is in try-store.ts.

import type { Fragment, Sql } from '../platform/db.ts'
import { type Part, part, type Relation } from '../platform/sql.ts'
import type { QueueKey } from './webhook.ts'

type QueueColumn = 'merchant_id' | 'environment'
type EventColumn = QueueColumn | 'id' | 'type' | 'transaction_id' | 'subject_id'

/**
 * `endpoint, delivery_made, queue_marked as (…)`: deliveries of the events in the relation `of`,
 * which are of the feeds in the relation `feed`, due at once. Without a subscription an
 * endpoint receives all events but changes of availability, which must be asked for by name; a test
 * goes only to the endpoint it is for. Queues are locked in the order of their ids.
 */
export function makeDeliveries(
  sql: Sql,
  { of, feed }: Readonly<{ of: Relation<EventColumn>; feed: Relation<QueueColumn> }>,
): Part<QueueColumn> {
  return part(
    'delivery_made',
    sql`endpoint as materialized (
      select ${endpointColumns(sql)}
        from ${sql(feed.name)} feed
        join webhooks w on w.merchant_id = feed.merchant_id and w.environment = feed.environment
       where w.is_active and w.deleted_at is null
    )`,
    sql`delivery_made as (
      insert into deliveries (${deliveryColumns(sql)})
      select ${deliveryValues(sql)}
        from ${sql(of.name)} n
        join endpoint w on ${isSubscribed(sql)}
      on conflict (merchant_id, id) do nothing
      returning merchant_id, environment, webhook_id
    )`,
    sql`queue_marked as (
      insert into webhook_lanes as l (merchant_id, webhook_id, due_at, marks)
      select made.merchant_id, made.webhook_id, now(), 1
        from (select distinct merchant_id, webhook_id from delivery_made) made
       order by made.webhook_id
      on conflict (merchant_id, webhook_id) do update
         set due_at = least(l.due_at, excluded.due_at), marks = l.marks + 1
    )`,
  )
}

/** The columns of the endpoint `w`, with its subscriptions. */
const endpointColumns = (sql: Sql): Fragment => sql`
  w.merchant_id, w.environment, w.id, w.url, w.payment_link::text as payment_link,
  (select array_agg(s.event_type) from webhook_subscriptions s
    where s.merchant_id = w.merchant_id and s.webhook_id = w.id) as event_types`

/** `endpoint as (…)`: that one, while it is active. */
export const activeEndpoint = (sql: Sql, key: QueueKey): Part =>
  part('endpoint', activeEndpointOf(sql, key))

/** The same, for a statement that reads only. */
export const activeEndpointOf = (sql: Sql, { merchant_id, webhook_id }: QueueKey): Fragment => sql`
  endpoint as materialized (
    select ${endpointColumns(sql)}
      from webhooks w
     where w.merchant_id = ${merchant_id} and w.id = ${webhook_id}
       and w.is_active and w.deleted_at is null
  )`

/** The payment link of the event `e`; where its data is kept plain, that has it. */
export const linkOfEvent = (sql: Sql): Fragment => sql`
  coalesce(e.payment_link::text, e.plain ->> 'payment_link')`

/** Whether the endpoint `w` is subscribed to the event `n`. */
export const isSubscribed = (sql: Sql): Fragment => sql`
  w.merchant_id = n.merchant_id and w.environment = n.environment
  and case n.type
      when 'webhook.test' then w.id = n.subject_id
      when 'availability.changed' then coalesce(n.type = any(w.event_types), false)
       and w.payment_link is null
      else (w.event_types is null or n.type = any(w.event_types))
       and (w.payment_link is null or w.payment_link = n.payment_link)
      end`

export const deliveryColumns = (sql: Sql): Fragment => sql`
  merchant_id, id, environment, webhook_id, event_id, event_type, transaction_id, subject_id, url,
  due_at`

/** The id of the delivery of the event `n` to the endpoint `w`, as deliveryId() makes it. */
export const deliveryIdOf = (sql: Sql): Fragment => sql`
  (select (left(n.id::text, 13) || '-7' || substr(h.hash, 1, 3) || '-8' || substr(h.hash, 4, 3)
           || '-' || substr(h.hash, 7, 12))::uuid
     from (select md5(n.id::text || w.id::text) as hash) h)`

/** The delivery of the event `n` to the endpoint `w`. */
export const deliveryValues = (sql: Sql): Fragment => sql`
  n.merchant_id, ${deliveryIdOf(sql)}, n.environment, w.id, n.id, n.type,
  n.transaction_id, n.subject_id, w.url, now()`

/**
 * `queue_woken as (…)`: locks the queue and has it drained, where `when` holds. Statements that
 * change deliveries which may be under way select from it, so that the queue is locked before them,
 * as in a drain.
 */
export const wakeQueueOf = (
  sql: Sql,
  { merchant_id, webhook_id }: QueueKey,
  when: Fragment = sql`true`,
): Part<'webhook_id'> =>
  part(
    'queue_woken',
    sql`queue_woken as (
    insert into webhook_lanes as l (merchant_id, webhook_id, due_at, marks)
    select ${merchant_id}::uuid, ${webhook_id}::uuid, now(), 1 where ${when}
    on conflict (merchant_id, webhook_id) do update
       set due_at = least(l.due_at, excluded.due_at), marks = l.marks + 1
    returning webhook_id)`,
  )
