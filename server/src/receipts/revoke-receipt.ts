// A merchant withdraws a receipt, for good: refunded by hand, or fallen into wrong hands. Made and
// revoked in one go where it had not been requested yet. A second time changes and records nothing.

import { actorOf } from '../audit/audit.ts'
import { recordAct } from '../audit/record-act.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { getOwnTransaction } from '../transactions/get-own-transaction.ts'
import { type ReceiptOfDeps, receiptOf } from './receipt-of.ts'
import { requireReceipted } from './require-receipted.ts'
import { updateRevoked } from './store.ts'

/** When it was revoked. */
export async function revokeReceipt(
  deps: ReceiptOfDeps & Readonly<{ db: Db }>,
  caller: Caller,
  transaction_id: string,
): Promise<Date> {
  const transaction = await getOwnTransaction(deps.db, caller, transaction_id)
  requireReceipted(transaction)
  return inTransaction(deps.db, async (tx) => {
    const of = { ...deps, db: tx }
    await receiptOf(of, transaction)
    const revoked_at = await updateRevoked(tx, transaction)
    if (revoked_at === undefined) {
      const { revoked_at: before } = await receiptOf(of, transaction)
      assert(before !== null, 'whoever was first has revoked it')
      return before
    }
    await recordAct(tx, {
      merchant_id: caller.merchant_id,
      environment: caller.environment,
      actor: actorOf(caller),
      action: 'receipt.revoked',
      target_kind: 'transaction',
      target_id: transaction.id,
      before: { revoked_at: null },
      after: { revoked_at: revoked_at.toISOString() },
    })
    return revoked_at
  })
}
