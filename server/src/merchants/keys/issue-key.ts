// A member issues a key for their merchant. Its secret leaves this process once, in the answer.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller, Environment, Scope } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { emailOwners } from '../email-owners.ts'
import { type ApiKey, keys_max, momentOf } from './api-key.ts'
import { createKey } from './create-key.ts'
import { newKeyEmail } from './emails.ts'
import { keyErrors } from './errors.ts'
import { getKey } from './get-key.ts'
import { networksOf, requireMayHold } from './key-bounds.ts'
import { countActiveKeys, lockKeysOf } from './store.ts'

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
  return inTransaction(db, async (tx) => {
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
export async function emailNewKey(tx: Tx, keyring: Keyring, key: ApiKey): Promise<void> {
  if (key.environment === 'LIVE') await emailOwners(tx, keyring, key.merchant_id, newKeyEmail(key))
}
