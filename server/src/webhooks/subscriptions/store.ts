// The statements about subscriptions as records. An endpoint without any receives all events.

import type { EventType, FeedKey } from '../../events/event.ts'
import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import { ownershipOf } from '../../platform/http/ownership.ts'
import { homeOf } from '../../platform/places/places.ts'

export type Subscription = Readonly<{
  id: string
  webhook_id: string
  event_type: EventType
  created_at: Date
}>

export type SubscriptionKey = FeedKey & Readonly<{ id: string }>

/** Those of existing endpoints, in one environment. */
const subscriptionsOf = (sql: Sql, { merchant_id, environment }: FeedKey): Fragment => sql`
  select s.id, s.webhook_id, s.event_type, s.created_at
    from webhooks w
    join webhook_subscriptions s on s.merchant_id = w.merchant_id and s.webhook_id = w.id
   where w.merchant_id = ${merchant_id} and w.environment = ${environment}
     and w.deleted_at is null`

/** All of a merchant and environment, newest first: at most one a webhook and event. */
export const listSubscriptions = (sql: Sql, of: FeedKey): Promise<Subscription[]> =>
  homeOf(sql, of.merchant_id)<
    Subscription[]
  >`${subscriptionsOf(sql, of)} order by s.created_at desc, s.id desc`

export async function findSubscription(
  sql: Sql,
  key: SubscriptionKey,
): Promise<Subscription | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<
    Subscription[]
  >`${subscriptionsOf(sql, key)} and s.id = ${key.id}`
  return row
}

export const requireOwnSubscription = ownershipOf('webhook_subscriptions')

export type NewSubscription = SubscriptionKey & Pick<Subscription, 'webhook_id' | 'event_type'>

/** Undefined when the endpoint is subscribed to it already. */
export async function insertSubscription(
  tx: Tx,
  row: NewSubscription,
): Promise<Subscription | undefined> {
  const [made] = await tx<Subscription[]>`
    insert into webhook_subscriptions (merchant_id, id, webhook_id, event_type)
    values (${row.merchant_id}, ${row.id}, ${row.webhook_id}, ${row.event_type})
    on conflict (merchant_id, webhook_id, event_type) do nothing
    returning id, webhook_id, event_type, created_at`
  return made
}

/** False when it has just been deleted by another call. */
export async function deleteSubscription(
  tx: Tx,
  { merchant_id, id }: SubscriptionKey,
): Promise<boolean> {
  const rows = await tx`
    delete from webhook_subscriptions where merchant_id = ${merchant_id} and id = ${id}
    returning id`
  return rows.count === 1
}
