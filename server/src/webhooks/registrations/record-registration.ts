// The audit line of an act on an endpoint, in the transaction of the act. Law: no signing secret,
// and nothing of the address behind `?`, where some keep a token.

import { actorOf, changedFields } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import type { Tx } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import type { Webhook } from '../webhook.ts'
import type { WebhookKey } from './store.ts'

type Settings = Pick<Webhook, 'url' | 'description' | 'is_active' | 'payment_link' | 'events'>

const settingsOf = ({ url, description, is_active, payment_link, events }: Settings) => ({
  url,
  description,
  is_active,
  payment_link,
  events: [...events].sort(),
})

type AuditView = Readonly<Record<string, unknown>>

function masked(settings: AuditView): AuditView {
  const { url } = settings
  if (typeof url !== 'string' || !url.includes('?')) return settings
  return { ...settings, url: maskAddress(url) }
}

/** The address of a receiver, without what may be its token. */
export const maskAddress = (url: string): string => url.replace(/\?.*$/s, '?…')

const actOn = (caller: Caller, { merchant_id, environment, id }: WebhookKey) => ({
  merchant_id,
  environment,
  actor: actorOf(caller),
  target_kind: 'webhook' as const,
  target_id: id,
})

export async function recordRegistered(
  tx: Tx,
  caller: Caller,
  made: WebhookKey & Omit<Settings, 'is_active'>,
): Promise<void> {
  const after = masked(settingsOf({ ...made, is_active: true }))
  await recordAct(tx, { ...actOn(caller, made), action: 'webhook.registered', after })
}

/** Records nothing when nothing has changed. */
export async function recordChanged(
  tx: Tx,
  caller: Caller,
  { was, is }: Readonly<{ was: Webhook; is: Webhook }>,
): Promise<void> {
  const changes = changedFields(settingsOf(was), settingsOf(is))
  if (changes === undefined) return
  await recordAct(tx, {
    ...actOn(caller, is),
    action: 'webhook.changed',
    before: masked(changes.before),
    after: masked(changes.after),
  })
}

/** Records nothing of the secret itself. */
export async function recordSecretSet(tx: Tx, caller: Caller, is: Webhook): Promise<void> {
  const after = { overlap_until: is.overlap_until }
  await recordAct(tx, { ...actOn(caller, is), action: 'webhook.secret_set', after })
}

export async function recordEnded(tx: Tx, caller: Caller, was: Webhook): Promise<void> {
  const before = masked(settingsOf(was))
  await recordAct(tx, { ...actOn(caller, was), action: 'webhook.deleted', before })
}
