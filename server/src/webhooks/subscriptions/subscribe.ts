// Subscribes an endpoint to one more event, or to one less. Deliveries under way are not touched:
// subscriptions count when an event gets its number.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import type { EventType } from '../../events/event.ts'
import { transactInTurn } from '../../platform/batch-calls.ts'
import type { Db, Sql, Tx } from '../../platform/db.ts'
import { invalid, Refusal, refuse, type Text } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { newId } from '../../platform/ids.ts'
import { webhookErrors } from '../errors.ts'
import { getWebhook, webhookKeyOf } from '../registrations/get-webhook.ts'
import {
  deleteSubscription,
  findSubscription,
  insertSubscription,
  requireOwnSubscription,
  type Subscription,
} from './store.ts'

const notYours: Text = { en: 'Is not one of your webhooks.', fr: 'N’est pas un de vos webhooks.' }

export type SubscriptionRequest = Readonly<{ webhook: string; event_type: EventType }>

export async function subscribe(
  db: Db,
  caller: Caller,
  request: SubscriptionRequest,
): Promise<Subscription> {
  const { merchant_id, environment } = caller
  return transactInTurn(db, caller, async (tx) => {
    const webhook = await getWebhook(tx, webhookKeyOf(caller, request.webhook)).catch(
      (error: unknown) => {
        // When a body names one that is another's or does not exist, that is one more wrong field.
        throw error instanceof Refusal ? invalid('webhook', notYours) : error
      },
    )
    const { event_type } = request
    const row = { merchant_id, environment, id: newId(), webhook_id: webhook.id, event_type }
    const made = await insertSubscription(tx, row)
    if (made === undefined) throw refuse(webhookErrors.already_subscribed)
    await recordSubscribed(tx, caller, { made, action: 'webhook.subscribed' })
    return made
  })
}

export async function unsubscribe(db: Db, caller: Caller, id: string): Promise<void> {
  const { merchant_id, environment } = caller
  await transactInTurn(db, caller, async (tx) => {
    const made = await getSubscription(tx, caller, id)
    const isGone = !(await deleteSubscription(tx, { merchant_id, environment, id }))
    if (isGone) throw refuse(transportErrors.not_found)
    await recordSubscribed(tx, caller, { made, action: 'webhook.unsubscribed' })
  })
}

export async function getSubscription(sql: Sql, caller: Caller, id: string): Promise<Subscription> {
  const { merchant_id, environment } = caller
  const key = { merchant_id, environment, id }
  return requireOwnSubscription(sql, key, await findSubscription(sql, key))
}

type SubscriptionChange = Readonly<{
  made: Subscription
  action: 'webhook.subscribed' | 'webhook.unsubscribed'
}>

const recordSubscribed = (tx: Tx, caller: Caller, { made, action }: SubscriptionChange) =>
  recordAct(tx, {
    merchant_id: caller.merchant_id,
    environment: caller.environment,
    actor: actorOf(caller),
    action,
    target_kind: 'webhook',
    target_id: made.webhook_id,
    after: { event_type: made.event_type },
  })
