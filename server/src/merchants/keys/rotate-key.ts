// Replaces a key: a new one like it begins now, the old one ends after an overlap in which both
// work, so that the merchant's servers can change over. A second rotation at the same time finds it
// replaced.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import { inTransaction, type Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { type ApiKey, keys_max, overlap_s_default } from './api-key.ts'
import { createKey } from './create-key.ts'
import { keyErrors } from './errors.ts'
import { getKey, keyIdOf } from './get-key.ts'
import { emailNewKey, type KeyDeps, type KeyIssued } from './issue-key.ts'
import { requireMayHold } from './key-bounds.ts'
import { countActiveKeys, lockKey, lockKeysOf, requireOwnKey, updateSuccessor } from './store.ts'

export async function rotateKey(
  { db, keyring, passOn }: KeyDeps,
  caller: Caller,
  request: Readonly<{ id: string; overlap_s?: number | undefined }>,
): Promise<KeyIssued> {
  const of = keyIdOf(caller, request.id)
  const overlap_s = request.overlap_s ?? overlap_s_default
  return inTransaction(db, async (tx) => {
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
