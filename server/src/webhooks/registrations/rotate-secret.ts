// A new secret for an endpoint. For 24 hours both sign (contract 6.6), unless the caller states
// that the new one is in use everywhere; then it signs alone.

import type { AuditAction } from '../../audit/actions.ts'
import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { isWhitelisted } from '../../merchants/whitelist/is-whitelisted.ts'
import { transactInTurn } from '../../platform/batch-calls.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db, Sql, Tx } from '../../platform/db.ts'
import { type FieldErrors, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { webhookErrors } from '../errors.ts'
import { newSigningSecret } from '../sign.ts'
import { sealedFor, type Webhook } from '../webhook.ts'
import { emailWebhookChange } from './email-webhook-change.ts'
import { getWebhook, webhookKeyOf } from './get-webhook.ts'
import { lockRegistrations, updateNextSecret, updateToNextSecret } from './store.ts'

export type RotateDeps = Readonly<{
  db: Db
  keyring: Keyring
  wake: (name: string) => void
}>

/** The merchant's own, or absent: a new one. */
export type Rotation = Readonly<{ id: string; signing_secret?: string | undefined }>

/**
 * Requested again during an overlap, it replaces the secret that was to come, which may be lost.
 */
export async function rotateSecret(
  { db, keyring, wake }: RotateDeps,
  caller: Caller,
  { id, signing_secret: brought }: Rotation,
): Promise<{ webhook: Webhook; signing_secret: string }> {
  const key = webhookKeyOf(caller, id)
  if (brought !== undefined) await requireMaySetSecret(db, caller)
  const signing_secret = brought ?? newSigningSecret()
  const webhook = await transactInTurn(db, caller, async (tx) => {
    await lockRegistrations(tx, key)
    await getWebhook(tx, key)
    await updateNextSecret(tx, key, keyring.seal(signing_secret, sealedFor(id)))
    const is = await getWebhook(tx, key)
    await recordRotation(tx, caller, is, 'webhook.secret_rotated')
    const kinds = is.environment === 'LIVE' ? (['secret_set'] as const) : []
    await emailWebhookChange(tx, { keyring, caller }, { webhook: is, kinds })
    return is
  })
  if (webhook.environment === 'LIVE') wake('send-mail')
  return { webhook, signing_secret }
}

/** `overlap_until`: of the rotation that the caller has read; undefined: whichever is pending. */
export type Confirmation = Readonly<{ id: string; overlap_until?: string | undefined }>

/**
 * The old secret no longer signs. A try under way may still carry it. A rotation that replaces the
 * secret that was to come sets another end, so its end names it: whoever deployed the former one
 * does not put into force alone one that is on no server.
 */
export async function confirmSecret(
  { db }: Pick<RotateDeps, 'db'>,
  caller: Caller,
  { id, overlap_until }: Confirmation,
): Promise<Webhook> {
  const key = webhookKeyOf(caller, id)
  return transactInTurn(db, caller, async (tx) => {
    await lockRegistrations(tx, key)
    const was = await getWebhook(tx, key)
    if (was.overlap_until !== null && isOther(was.overlap_until, overlap_until)) {
      throw refuse(webhookErrors.rotation_replaced)
    }
    if (!(await updateToNextSecret(tx, key))) throw refuse(webhookErrors.no_rotation)
    const is = await getWebhook(tx, key)
    await recordRotation(tx, caller, is, 'webhook.secret_confirmed')
    return is
  })
}

const isOther = (pending: Date, read: string | undefined): boolean =>
  read !== undefined && pending.getTime() !== Date.parse(read.toUpperCase())

const recordRotation = (tx: Tx, caller: Caller, webhook: Webhook, action: AuditAction) =>
  recordAct(tx, {
    merchant_id: webhook.merchant_id,
    environment: webhook.environment,
    actor: actorOf(caller),
    action,
    target_kind: 'webhook',
    target_id: webhook.id,
    after: { overlap_until: webhook.overlap_until },
  })

// A secret that a merchant supplies (contract 8.2): who may set one, and its form. Anybody who
// knows it can speak in our name, so in LIVE a stolen key of few rights must not choose it.

export const secret_length_min = 32
export const secret_length_max = 255

/** No control or format sign, no line end, nothing that Unicode has not assigned. */
const printable = /^[^\p{C}\p{Zl}\p{Zp}]*$/u

const notPrintable = {
  en: 'Must contain only printable characters, without line breaks or control characters.',
  fr:
    'Ne doit contenir que des caractères imprimables, sans saut de ligne ni caractère de ' +
    'contrôle.',
}

/** What its schema cannot express. */
export function secretErrors({ signing_secret }: Readonly<Record<string, unknown>>): FieldErrors {
  if (typeof signing_secret !== 'string' || printable.test(signing_secret)) return {}
  return { signing_secret: [notPrintable] }
}

/** In LIVE a key needs scope BOTH and a listed address; a session has its second factor. */
export async function requireMaySetSecret(sql: Sql, caller: Caller): Promise<void> {
  const { session, environment, scope, merchant_id, ip } = caller
  if (session !== null || environment !== 'LIVE') return
  if (scope !== 'BOTH') throw refuse(accessErrors.api_key_scope_forbidden)
  if (await isWhitelisted(sql, merchant_id, ip)) return
  throw refuse(webhookErrors.ip_not_whitelisted)
}
