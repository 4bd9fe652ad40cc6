// Registers an endpoint. Its secret leaves this process once, in the answer; the row keeps it
// sealed (design 6).

import type { EventType } from '../../events/event.ts'
import { findLink } from '../../orders/order-statements.ts'
import { transactInTurn } from '../../platform/batch-calls.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db, Sql } from '../../platform/db.ts'
import { Invalid, invalid, refuse, type Text } from '../../platform/errors.ts'
import type { Caller, Environment } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { newId } from '../../platform/ids.ts'
import type { AddressRules } from '../../platform/outbound/addresses.ts'
import { webhookErrors } from '../errors.ts'
import { newSigningSecret } from '../sign.ts'
import { sealedFor, urlErrors, type Webhook } from '../webhook.ts'
import { type ChangeKind, emailWebhookChange } from './email-webhook-change.ts'
import { getWebhook } from './get-webhook.ts'
import { recordRegistered } from './record-registration.ts'
import { requireMaySetSecret } from './rotate-secret.ts'
import { insertWebhook, lockRegistrations, type WebhookKey } from './store.ts'

export type RegisterDeps = AddressRules &
  Readonly<{ db: Db; keyring: Keyring; wake: (name: string) => void }>

export type Registration = Readonly<{
  url: string
  environment?: Environment
  description?: string
  payment_link?: string
  events?: readonly EventType[]
  /** The merchant's own; absent: a new one. */
  signing_secret?: string
}>

export async function registerWebhook(
  deps: RegisterDeps,
  caller: Caller,
  request: Registration,
): Promise<{ webhook: Webhook; signing_secret: string }> {
  const environment = request.environment ?? caller.environment
  // A caller who may not register is refused first, whatever the address: http would do in the
  // caller's own environment.
  if (environment !== caller.environment) requireMayRegisterIn(caller, environment)
  const wrong = urlErrors(request.url, environment, deps)
  if (Object.keys(wrong).length > 0) throw new Invalid(wrong)
  if (request.signing_secret !== undefined) await requireMaySetSecret(deps.db, caller)
  const signing_secret = request.signing_secret ?? newSigningSecret()
  const key = { merchant_id: caller.merchant_id, environment, id: newId() }
  await requireOwnLink(deps.db, key, request.payment_link)
  const row = {
    ...key,
    url: request.url,
    description: request.description ?? '',
    payment_link: request.payment_link ?? null,
    sealed_secret: deps.keyring.seal(signing_secret, sealedFor(key.id)),
    created_by_member: caller.member_id,
    events: request.events ?? [],
  }
  const kinds: ChangeKind[] = environment === 'LIVE' ? ['made'] : []
  await transactInTurn(deps.db, caller, async (tx) => {
    await lockRegistrations(tx, key)
    if (!(await insertWebhook(tx, row))) throw refuse(webhookErrors.webhook_limit_reached)
    await recordRegistered(tx, caller, row)
    await emailWebhookChange(tx, { ...deps, caller }, { webhook: row, kinds })
  })
  if (kinds.length > 0) deps.wake('send-mail')
  return { webhook: await getWebhook(deps.db, key), signing_secret }
}

/** A key stays in its own environment; a session may name the other, under the other's terms. */
function requireMayRegisterIn({ session }: Caller, environment: Environment): void {
  if (session === null) {
    throw refuse(accessErrors.permission_denied, { message: otherKeyText(environment) })
  }
  if (environment === 'SANDBOX') return
  if (!session.live_enabled) throw refuse(accessErrors.live_mode_not_enabled)
  if (session.second_factor !== 'FRESH') throw refuse(accessErrors.totp_required)
}

const otherKeyText = (environment: Environment): Text => {
  const own = environment === 'LIVE' ? 'SANDBOX' : 'LIVE'
  return {
    en: `This API key is for ${own} only. Use a ${environment} key, or leave out environment.`,
    fr:
      `Cette clé API ne vaut que pour ${own}. Utilisez une clé ${environment}, ou n’indiquez pas ` +
      'environment.',
  }
}

const notYours: Text = {
  en: 'Is not one of your payment links.',
  fr: 'N’est pas un de vos liens de paiement.',
}

export async function requireOwnLink(
  db: Sql,
  { merchant_id, environment }: WebhookKey,
  id: string | null | undefined,
): Promise<void> {
  if (id === undefined || id === null) return
  const link = await findLink(db, { merchant_id, id })
  const isOwn = link?.environment === environment && !link.is_deleted
  // When a body names one that is another's or does not exist, that is one more wrong field.
  if (!isOwn) throw invalid('payment_link', notYours)
}
