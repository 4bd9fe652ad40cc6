// A member ends a key of his merchant: revoked it stays to be seen, deleted it does not. Either way
// the next call with it is refused everywhere, since every call reads its row.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import type { ApiKey } from './api-key.ts'
import { getKey, keyIdOf, whyNoKey } from './get-key.ts'
import { deleteKeyRow, type KeyId, lockKey, revokeKeyRow } from './store.ts'

/** Again: the same answer, and the first moment stays. */
export async function endKey(db: Db, caller: Caller, id: string): Promise<ApiKey> {
  const of = keyIdOf(caller, id)
  return inTransaction(db, async (tx) => {
    const before = await getLockedKey(tx, of)
    if (before.revoked_at !== null) return before
    await revokeKeyRow(tx, id)
    const key = await getKey(tx, of)
    await recordEnd(tx, caller, { before, action: 'api_key.revoked', status: key.status })
    return key
  })
}

export async function deleteKey(db: Db, caller: Caller, id: string): Promise<void> {
  const of = keyIdOf(caller, id)
  await inTransaction(db, async (tx) => {
    const before = await getLockedKey(tx, of)
    await deleteKeyRow(tx, id)
    await recordEnd(tx, caller, { before, action: 'api_key.deleted', status: 'REVOKED' })
  })
}

async function getLockedKey(tx: Tx, of: KeyId): Promise<ApiKey> {
  const key = await lockKey(tx, of)
  if (key === undefined) throw await whyNoKey(tx, of)
  return key
}

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
