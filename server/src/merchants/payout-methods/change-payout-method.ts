// Naming a payout method, and taking it away. Where it leads never changes.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import { getPayoutMethod } from './get-payout-method.ts'
import type { PayoutMethod } from './payout-method.ts'
import {
  hideMethod,
  lockMethod,
  type MethodKey,
  requireOwnMethod,
  updateMethodLabel,
} from './store.ts'
import { shownInAudit } from './view.ts'

/** Without a label, or with the same one, nothing changes and nothing is written. */
export async function namePayoutMethod(
  db: Db,
  caller: Caller,
  { id, label }: Readonly<{ id: string; label: string | undefined }>,
): Promise<PayoutMethod> {
  const key = { merchant_id: caller.merchant_id, id }
  return inTransaction(db, async (tx) => {
    const before = await getLockedMethod(tx, key)
    if (label === undefined || label === before.label) return before
    await updateMethodLabel(tx, key, label)
    const change = { before: { label: before.label }, after: { label } }
    await recordChange(tx, caller, { id, action: 'payout_method.changed', ...change })
    return getPayoutMethod(tx, key)
  })
}

/** Settlements on their way to it go on; it can be chosen no more. */
export async function removePayoutMethod(db: Db, caller: Caller, id: string): Promise<void> {
  const key = { merchant_id: caller.merchant_id, id }
  await inTransaction(db, async (tx) => {
    const before = await getLockedMethod(tx, key)
    await hideMethod(tx, key)
    const change = { before: shownInAudit(before), after: null }
    await recordChange(tx, caller, { id, action: 'payout_method.removed', ...change })
  })
}

const getLockedMethod = async (tx: Tx, key: MethodKey): Promise<PayoutMethod> =>
  requireOwnMethod(tx, key, await lockMethod(tx, key))

type Change = Readonly<{
  id: string
  action: string
  before: Readonly<Record<string, unknown>>
  after: Readonly<Record<string, unknown>> | null
}>

const recordChange = (tx: Tx, caller: Caller, { id, ...change }: Change): Promise<void> =>
  recordAct(tx, {
    merchant_id: caller.merchant_id,
    environment: null,
    actor: actorOf(caller),
    target_kind: 'payout_method',
    target_id: id,
    ...change,
  })
