// Changes, ends and tests an endpoint of the caller.

import { transactInTurn } from '../../platform/batch-calls.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db, Tx } from '../../platform/db.ts'
import { Invalid, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import type { AddressRules } from '../../platform/outbound/addresses.ts'
import { deliveryId } from '../delivery.ts'
import { webhookErrors } from '../errors.ts'
import { sealedFor, urlErrors, type Webhook } from '../webhook.ts'
import { type ChangeKind, emailWebhookChange } from './email-webhook-change.ts'
import { getWebhook, webhookKeyOf } from './get-webhook.ts'
import { recordChanged, recordEnded, recordSecretSet } from './record-registration.ts'
import { requireOwnLink } from './register-webhook.ts'
import { requireMaySetSecret } from './rotate-secret.ts'
import {
  deleteWebhook,
  findWebhook,
  insertTestEvent,
  lockRegistrations,
  requireOwnWebhook,
  updateWebhook,
  type WebhookChanges,
} from './store.ts'

export type ChangeDeps = AddressRules &
  Readonly<{
    db: Db
    keyring: Keyring
    /** Wakes a job of this process, and of the others. */
    wake: (name: string) => void
  }>

export type Change = Omit<WebhookChanges, 'sealed_secret'> &
  Readonly<{ id: string; signing_secret?: string }>

/**
 * When it is switched off, its waiting deliveries become EXHAUSTED. When it is switched on again,
 * it starts without failures and receives events from then on; a replay sends it what it missed. A
 * given secret signs alone from now on; a try under way may still carry the old one.
 */
export async function changeWebhook(
  deps: ChangeDeps,
  caller: Caller,
  { id, signing_secret, ...rest }: Change,
): Promise<Webhook> {
  const { db, keyring, wake } = deps
  const changes = {
    ...rest,
    ...(signing_secret === undefined
      ? {}
      : { sealed_secret: keyring.seal(signing_secret, sealedFor(id)) }),
  }
  const key = webhookKeyOf(caller, id)
  if (changes.url !== undefined) {
    const wrong = urlErrors(changes.url, caller.environment, deps)
    if (Object.keys(wrong).length > 0) throw new Invalid(wrong)
  }
  if (signing_secret !== undefined) await requireMaySetSecret(db, caller)
  const changed = await transactInTurn(db, caller, async (tx) => {
    await lockRegistrations(tx, key)
    const was = await findWebhook(tx, key)
    if (was === undefined) return undefined
    await requireOwnLink(tx, key, changes.payment_link)
    if (!(await updateWebhook(tx, key, changes))) return undefined
    const is = await getWebhook(tx, key)
    const has_new_secret = signing_secret !== undefined
    if (has_new_secret) await recordSecretSet(tx, caller, is)
    await recordChanged(tx, caller, { was, is })
    const kinds = kindsOf({ was, is, has_new_secret })
    await emailWebhookChange(tx, { keyring, caller }, { webhook: is, kinds })
    return { is, kinds }
  })
  const { is, kinds } = await requireOwnWebhook(db, key, changed)
  wake('deliver-webhooks')
  if (kinds.length > 0) wake('send-mail')
  return is
}

/** What the owners are notified of. */
function kindsOf({
  was,
  is,
  has_new_secret,
}: Readonly<{ was: Webhook; is: Webhook; has_new_secret: boolean }>): ChangeKind[] {
  const kinds: ChangeKind[] = []
  if (is.environment !== 'LIVE') return kinds
  if (is.url !== was.url) kinds.push('moved')
  if (is.is_active && !was.is_active) kinds.push('switched_on')
  if (has_new_secret) kinds.push('secret_set')
  return kinds
}

/** Nothing more is sent to it; what was sent stays in the logs. */
export async function endWebhook(
  { db, wake }: ChangeDeps,
  caller: Caller,
  id: string,
): Promise<void> {
  const key = webhookKeyOf(caller, id)
  const ended = await transactInTurn(db, caller, async (tx) => {
    await lockRegistrations(tx, key)
    const was = await findWebhook(tx, key)
    if (was === undefined || !(await deleteWebhook(tx, key))) return undefined
    await recordEnded(tx, caller, was)
    return was
  })
  await requireOwnWebhook(db, key, ended)
  wake('deliver-webhooks')
}

/** Sends `webhook.test` to this endpoint alone, by the way that every event takes. */
export async function testWebhook(
  { db, wake }: ChangeDeps,
  caller: Caller,
  { id, carries }: Readonly<{ id: string; carries: object }>,
): Promise<{ event_id: string; delivery_id: string; webhook: Webhook }> {
  const key = webhookKeyOf(caller, id)
  const webhook = await getWebhook(db, key)
  const event_id = await insertTestEvent(db, key, carries)
  if (event_id === undefined) throw refuse(webhookErrors.webhook_inactive)
  wake('sequence-events')
  return { event_id, delivery_id: deliveryId(event_id, id), webhook }
}

// The endpoints that an API key made are switched off together with it: a stolen key leaves no
// listener behind.

/** Which of these went off: not those that were off, are deleted or of another environment. */
export async function switchOffWebhooks(
  tx: Tx,
  caller: Caller,
  ids: readonly string[],
): Promise<string[]> {
  const switched_off: string[] = []
  await lockRegistrations(tx, caller)
  for (const id of [...ids].sort()) {
    const key = webhookKeyOf(caller, id)
    const was = await findWebhook(tx, key)
    if (was?.is_active !== true) continue
    await updateWebhook(tx, key, { is_active: false })
    await recordChanged(tx, caller, { was, is: await getWebhook(tx, key) })
    switched_off.push(id)
  }
  return switched_off
}
