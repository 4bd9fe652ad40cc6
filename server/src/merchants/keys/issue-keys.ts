// New keys: made, issued by a member, rotated, replaced. A secret leaves this process once, in
// the answer; only its hash is stored.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { writeInTurn } from '../../platform/batch-calls.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db, Sql, Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller, Environment, Scope } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { newId } from '../../platform/ids.ts'
import { emailOwners } from '../email-owners.ts'
import { getMerchant } from '../merchant.ts'
import { lockMerchant } from '../store.ts'
import {
  type ApiKey,
  hashKey,
  keyErrors,
  keys_max,
  momentOf,
  newKey,
  overlap_s_default,
} from './api-key.ts'
import { newKeyEmail } from './emails.ts'
import { getKey, keyIdOf } from './get-key.ts'
import { networksOf, requireMayHold } from './key-bounds.ts'
import {
  countActiveKeys,
  countKeysOf,
  insertKeyRow,
  lockKey,
  lockKeysOf,
  requireOwnKey,
  revokeKeysNamed,
  updateSuccessor,
} from './store.ts'

export type KeyDeps = Readonly<{
  db: Db
  keyring: Keyring
  /** Passes what the key was allowed on to its successor; in the transaction of the rotation. */
  passOn: (tx: Tx, keys: KeyAndSuccessor) => Promise<void>
}>

export type KeyAndSuccessor = Readonly<{
  merchant_id: string
  environment: Environment
  from: string
  to: string
}>
export type KeyIssued = Readonly<{ key: ApiKey; secret: string }>

export type KeyBody = Readonly<{
  name?: string
  environment: Environment
  /** Absent: for both. In LIVE it is required. */
  scope?: Scope
  ip_whitelist?: readonly string[]
  read_only?: boolean
  expires_at?: string
}>

/** Refuses above `keys_max`, and LIVE where the merchant, the session or the role may not. */
export async function issueKey(
  { db, keyring }: Omit<KeyDeps, 'passOn'>,
  caller: Caller,
  body: KeyBody,
): Promise<KeyIssued> {
  const { merchant_id, member_id } = caller
  const { environment, scope = 'BOTH', name = '' } = body
  const { read_only = false } = body
  requireLive(caller, environment)
  requireMayHold(caller.session, { environment, scope })
  const ip_whitelist = networksOf(body.ip_whitelist ?? [])
  const expires_at = body.expires_at === undefined ? null : new Date(momentOf(body.expires_at))
  return writeInTurn(db, caller, async (tx) => {
    await lockKeysOf(tx, { merchant_id, environment })
    const { active } = await countActiveKeys(tx, { merchant_id, environment })
    if (active >= keys_max) throw refuse(keyErrors.key_limit_reached)
    const bounds = { ip_whitelist, read_only, expires_at }
    const request = { merchant_id, environment, scope, name, created_by_member: member_id }
    const { id, secret } = await createKey(tx, { ...request, ...bounds })
    const key = await getKey(tx, { merchant_id, environment, id })
    await recordAct(tx, {
      merchant_id,
      environment,
      actor: actorOf(caller),
      action: 'api_key.created',
      target_kind: 'api_key',
      target_id: id,
      after: { name, environment, scope, ...bounds, last4: key.last4 },
    })
    await emailNewKey(tx, keyring, key)
    return { key, secret }
  })
}

/** The header chooses what the session looks at; a LIVE key needs what LIVE needs all the same. */
function requireLive({ session }: Caller, environment: Environment): void {
  if (environment !== 'LIVE') return
  if (session?.live_enabled !== true) throw refuse(accessErrors.live_mode_not_enabled)
  if (session.second_factor !== 'FRESH') throw refuse(accessErrors.totp_required)
}

/** The owners are e-mailed about every new key that can move money. */
async function emailNewKey(tx: Tx, keyring: Keyring, key: ApiKey): Promise<void> {
  if (key.environment === 'LIVE') await emailOwners(tx, keyring, key.merchant_id, newKeyEmail(key))
}

// A merchant gets a key. The secret is in the answer and nowhere else: only its hash is stored.

export type KeyRequest = Readonly<{
  merchant_id: string
  environment: Environment
  scope: Scope
  name: string
  ip_whitelist?: readonly string[]
  read_only?: boolean
  /** Absent or null: it does not end by itself. */
  expires_at?: Date | null
  created_by_member?: string | null
}>

export type KeyMade = KeyRequest &
  Readonly<{ id: string; secret: string; key_prefix: string; last4: string }>

/** Refuses an unknown merchant, and a LIVE key of one that is not approved. */
export async function createKey(sql: Sql, request: KeyRequest): Promise<KeyMade> {
  const { merchant_id, environment, scope, name } = request
  const merchant = await getMerchant(sql, merchant_id)
  if (environment === 'LIVE' && !merchant.live_enabled) {
    throw refuse(accessErrors.live_mode_not_enabled)
  }
  const { secret, hash, key_prefix, last4 } = newKey(environment)
  const made = { id: newId(), merchant_id, environment, scope, name, key_prefix, last4 }
  const { expires_at = null, created_by_member = null } = request
  const { ip_whitelist = [], read_only = false } = request
  const bounds = { ip_whitelist, read_only, expires_at }
  await insertKeyRow(sql, { ...made, ...bounds, hash, created_by_member })
  return { ...made, secret }
}

// Replaces a key: a new one like it begins now, the old one ends after an overlap in which both
// work, so that the merchant's servers can change over. A second rotation at the same time finds it
// replaced.

export async function rotateKey(
  { db, keyring, passOn }: KeyDeps,
  caller: Caller,
  request: Readonly<{ id: string; overlap_s?: number | undefined }>,
): Promise<KeyIssued> {
  const of = keyIdOf(caller, request.id)
  const overlap_s = request.overlap_s ?? overlap_s_default
  return writeInTurn(db, caller, async (tx) => {
    await lockKeysOf(tx, of)
    const old = await requireOwnKey(tx, of, await lockKey(tx, of))
    requireMayHold(caller.session, old)
    if (old.status !== 'ACTIVE' || old.rotated_to !== null) throw refuse(keyErrors.key_not_active)
    if (overlap_s > 0) await requireRoom(tx, old)
    const { id, secret } = await createKey(tx, {
      merchant_id: old.merchant_id,
      environment: old.environment,
      scope: old.scope,
      name: old.name,
      ip_whitelist: old.ip_whitelist,
      read_only: old.read_only,
      expires_at: old.expires_at,
      created_by_member: caller.member_id,
    })
    await updateSuccessor(tx, { id: old.id, rotated_to: id, overlap_s })
    await passOn(tx, { ...of, from: old.id, to: id })
    await recordRotation(tx, caller, old)
    const key = await getKey(tx, { ...of, id })
    await emailNewKey(tx, keyring, key)
    return { key, secret }
  })
}

/** Rotating over and over must not leave keys without number. */
async function requireRoom(tx: Tx, of: ApiKey): Promise<void> {
  const { leaving } = await countActiveKeys(tx, of)
  if (leaving >= keys_max) throw refuse(keyErrors.key_limit_reached)
}

async function recordRotation(tx: Tx, caller: Caller, old: ApiKey): Promise<void> {
  const { rotated_to, expires_at } = await getKey(tx, old)
  await recordAct(tx, {
    merchant_id: old.merchant_id,
    environment: old.environment,
    actor: actorOf(caller),
    action: 'api_key.rotated',
    target_kind: 'api_key',
    target_id: old.id,
    before: { rotated_to: null, expires_at: old.expires_at },
    after: { rotated_to, expires_at },
  })
}

// Keys whose secrets were lost: the old ones end, and new ones of the same names take their place.

/**
 * Of several processes that find keys lost, the first goes on and the others wait for its commit.
 */
export const lockForReplacement = (tx: Tx, merchant_id: string): Promise<void> =>
  lockMerchant(tx, merchant_id)

/** Are all these secrets keys of the merchant, revoked ones included? */
export async function knowsKeys(
  sql: Sql,
  merchant_id: string,
  secrets: readonly string[],
): Promise<boolean> {
  return (await countKeysOf(sql, merchant_id, secrets.map(hashKey))) === secrets.length
}

/** Revokes what bears the same name in the same environment, then makes the key. */
export async function replaceKey(sql: Sql, request: KeyRequest): Promise<KeyMade> {
  await revokeKeysNamed(sql, request)
  return createKey(sql, request)
}
