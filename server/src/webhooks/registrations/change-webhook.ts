// Changing, ending and trying an endpoint of the caller.

import { type Db, inTransaction } from '../../platform/db.ts'
import { Invalid, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import type { AddressRules } from '../../platform/outbound/addresses.ts'
import { deliveryId } from '../delivery.ts'
import { webhookErrors } from '../errors.ts'
import { urlErrors, type Webhook } from '../webhook.ts'
import { getWebhook, keyOf, whyNot } from './get-webhook.ts'
import { recordChanged, recordEnded } from './record-registration.ts'
import {
  deleteWebhook,
  findWebhook,
  insertTestEvent,
  lockRegistrations,
  updateWebhook,
  type WebhookChanges,
} from './store.ts'

export type ChangeDeps = AddressRules &
  Readonly<{
    db: Db
    /** Rings a job of this process, and of others where there are any. */
    wake: (name: string) => void
  }>

/**
 * Switched off, what waits for it is EXHAUSTED. Switched on again, it has not failed yet and hears
 * of what happens from then on; a replay sends it what it missed.
 */
export async function changeWebhook(
  deps: ChangeDeps,
  caller: Caller,
  { id, ...changes }: WebhookChanges & Readonly<{ id: string }>,
): Promise<Webhook> {
  const { db, wake } = deps
  const key = keyOf(caller, id)
  if (changes.url !== undefined) {
    const wrong = urlErrors(changes.url, caller.environment, deps)
    if (Object.keys(wrong).length > 0) throw new Invalid(wrong)
  }
  const changed = await inTransaction(db, async (tx) => {
    await lockRegistrations(tx, key)
    const was = await findWebhook(tx, key)
    if (was === undefined || !(await updateWebhook(tx, key, changes))) return undefined
    const is = await getWebhook(tx, key)
    await recordChanged(tx, caller, { was, is })
    return is
  })
  if (changed === undefined) throw await whyNot(db, key)
  wake('deliver-webhooks')
  return changed
}

/** Nothing more is sent to it; what was sent stays in the logs. */
export async function endWebhook(
  { db, wake }: ChangeDeps,
  caller: Caller,
  id: string,
): Promise<void> {
  const key = keyOf(caller, id)
  const ended = await inTransaction(db, async (tx) => {
    await lockRegistrations(tx, key)
    const was = await findWebhook(tx, key)
    if (was === undefined || !(await deleteWebhook(tx, key))) return false
    await recordEnded(tx, caller, was)
    return true
  })
  if (!ended) throw await whyNot(db, key)
  wake('deliver-webhooks')
}

/** Sends `webhook.test` to this endpoint alone, by the way that every event takes. */
export async function testWebhook(
  { db, wake }: ChangeDeps,
  caller: Caller,
  id: string,
): Promise<{ delivery_id: string; webhook: Webhook }> {
  const key = keyOf(caller, id)
  const webhook = await getWebhook(db, key)
  const event_id = await insertTestEvent(db, key)
  if (event_id === undefined) throw refuse(webhookErrors.webhook_inactive)
  wake('sequence-events')
  return { delivery_id: deliveryId(event_id, id), webhook }
}
