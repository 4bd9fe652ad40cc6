// A member ends a key of their merchant: a revoked key stays visible, a deleted one does not.
// Either way the next call with it is refused everywhere, since every call reads its row.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import { emailOwners } from '../email-owners.ts'
import type { ApiKey } from './api-key.ts'
import { endedKeyEmail } from './emails.ts'
import { getKey, keyIdOf } from './get-key.ts'
import { type MadeByKey, madeByKey, type SwitchOffWebhooks } from './made-by-key.ts'
import { deleteKeyRow, type KeyId, lockKey, requireOwnKey, revokeKeyRow } from './store.ts'

export type EndDeps = Readonly<{
  db: Db
  keyring: Keyring
  switchOffWebhooks: SwitchOffWebhooks
}>

/** What the key left behind, and which of its webhooks are now switched off. */
export type KeyEnded = Readonly<{
  key: ApiKey
  made: MadeByKey
  webhooks_deactivated: readonly string[]
}>

/** When repeated, the first moment stays, and nobody is e-mailed twice. */
export async function endKey(
  { db, keyring, switchOffWebhooks }: EndDeps,
  caller: Caller,
  { id, deactivate_webhooks }: Readonly<{ id: string; deactivate_webhooks: boolean }>,
): Promise<KeyEnded> {
  const of = keyIdOf(caller, id)
  return inTransaction(db, async (tx) => {
    const before = await getLockedKey(tx, of)
    const isNews = before.revoked_at === null
    if (isNews) await revokeKeyRow(tx, id)
    const key = await getKey(tx, of)
    if (isNews) {
      await recordEnd(tx, caller, { before, action: 'api_key.revoked', status: key.status })
    }
    const made = await madeByKey(tx, key)
    const webhooks_deactivated = deactivate_webhooks
      ? await switchOffWebhooks(tx, caller, made.webhooks.ids)
      : []
    const isLive = key.environment === 'LIVE'
    if (isNews && isLive) await emailOwners(tx, keyring, key.merchant_id, endedKeyEmail(key, made))
    return { key, made, webhooks_deactivated }
  })
}

/** The owners are e-mailed as when it is revoked, unless it was before. */
export async function deleteKey(
  { db, keyring }: Pick<EndDeps, 'db' | 'keyring'>,
  caller: Caller,
  id: string,
): Promise<void> {
  const of = keyIdOf(caller, id)
  await inTransaction(db, async (tx) => {
    const before = await getLockedKey(tx, of)
    await deleteKeyRow(tx, id)
    await recordEnd(tx, caller, { before, action: 'api_key.deleted', status: 'REVOKED' })
    if (before.environment !== 'LIVE' || before.revoked_at !== null) return
    const made = await madeByKey(tx, before)
    await emailOwners(tx, keyring, before.merchant_id, endedKeyEmail(before, made))
  })
}

const getLockedKey = async (tx: Tx, of: KeyId): Promise<ApiKey> =>
  requireOwnKey(tx, of, await lockKey(tx, of))

type End = Readonly<{ before: ApiKey; action: string; status: string }>

const recordEnd = (tx: Tx, caller: Caller, { before, action, status }: End): Promise<void> =>
  recordAct(tx, {
    merchant_id: before.merchant_id,
    environment: before.environment,
    actor: actorOf(caller),
    action,
    target_kind: 'api_key',
    target_id: before.id,
    before: { name: before.name, last4: before.last4, status: before.status },
    after: { status },
  })
