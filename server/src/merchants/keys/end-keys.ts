// Keys end: by a member, by the command line, or with the member who made them. The next call
// with an ended key is refused everywhere, since every call reads its row.

import type { AuditAction } from '../../audit/actions.ts'
import { type Act, actorOf, systemActor } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { endInTurn } from '../../platform/batch-calls.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db, Sql, Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { emailOwners } from '../email-owners.ts'
import type { ApiKey } from './api-key.ts'
import { endedKeyEmail } from './emails.ts'
import { getKey, keyIdOf } from './get-key.ts'
import { type MadeByKey, madeByKey, type SwitchOffWebhooks } from './made-by-key.ts'
import {
  deleteKeyRow,
  type KeyId,
  lockAnyKey,
  lockKey,
  lockKeysMadeBy,
  requireOwnKey,
  revokeKeyRow,
} from './store.ts'

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
  return endInTurn(db, caller, async (tx) => {
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
  await endInTurn(db, caller, async (tx) => {
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

type End = Readonly<{ before: ApiKey; action: AuditAction; status: string }>

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

// A key ends, by the command line: from the next call on it is refused everywhere, since every call
// reads its row.

/**
 * All of it or nothing, in the caller's transaction. Does nothing when repeated. Refuses an unknown
 * id.
 */
export async function revokeKey(sql: Sql, id: string): Promise<void> {
  const key = isUuid(id) ? await lockAnyKey(sql, id) : undefined
  if (key === undefined) throw noKey(id)
  if (key.is_revoked) return
  await revokeKeyRow(sql, id)
  await recordAct(sql, {
    merchant_id: key.merchant_id,
    environment: key.environment,
    actor: systemActor,
    action: 'api_key.revoked',
    target_kind: 'api_key',
    target_id: id,
    after: { status: 'REVOKED' },
  })
}

const noKey = (id: string) =>
  refuse(transportErrors.not_found, {
    message: { en: `There is no API key ${id}.`, fr: `La clé API ${id} n’existe pas.` },
  })

// The keys that a member made: the member knows their secrets, so a person who removes the member
// is shown them and may end them in the same act.

type Maker = Readonly<{ merchant_id: string; person_id: string }>

/** Those that still work, locked to the end of the transaction. */
export const holdKeysOf = (tx: Tx, maker: Maker): Promise<ApiKey[]> => lockKeysMadeBy(tx, maker)

/** From the next call on each of them is refused; the owners are e-mailed as by `endKey`. */
export async function revokeKeys(
  tx: Tx,
  { keyring, actor }: Readonly<{ keyring: Keyring; actor: Act['actor'] }>,
  keys: readonly ApiKey[],
): Promise<void> {
  for (const key of keys) {
    const { merchant_id, environment, id, name, last4, status } = key
    await revokeKeyRow(tx, id)
    await recordAct(tx, {
      merchant_id,
      environment,
      actor,
      action: 'api_key.revoked',
      target_kind: 'api_key',
      target_id: id,
      before: { name, last4, status },
      after: { status: 'REVOKED' },
    })
    if (environment !== 'LIVE') continue
    await emailOwners(tx, keyring, merchant_id, endedKeyEmail(key, await madeByKey(tx, key)))
  }
}
