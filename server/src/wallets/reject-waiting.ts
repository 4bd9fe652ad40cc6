// A waiting transfer ends without a booking: its whole hold goes back, and the event gives the
// merchant the reason. The caller has the transfer's lock.

import type { Actor } from '../audit/audit.ts'
import { recordAct } from '../audit/record-act.ts'
import { recordEvents } from '../events/statements.ts'
import { insertHoldEnd } from '../ledger/holds/statements.ts'
import type { Tx } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { runWhole } from '../platform/sql.ts'
import { moveTransfer } from './statements.ts'
import { holdOf, type Transfer } from './transfer.ts'
import { transferEvent } from './transfer-event.ts'

export type Rejection = Readonly<{ reason: string; now: Date; actor: Actor }>

export async function rejectWaiting(
  tx: Tx,
  before: Transfer,
  { reason, now, actor }: Rejection,
): Promise<Transfer> {
  const after: Transfer = {
    ...before,
    status: 'REJECTED',
    version: before.version + 1,
    rejection_reason: reason,
    updated_at: now,
  }
  assert(await moveTransfer(tx, { before, after }), `transfer ${after.id} moved under its lock`)
  await runWhole(tx, insertHoldEnd(tx, holdOf(after), { how: 'RELEASE' }), 1)
  await runWhole(tx, recordEvents(tx, [transferEvent('wallet_transfer.rejected', after)]), 1)
  await recordAct(tx, {
    merchant_id: after.merchant_id,
    environment: after.environment,
    actor,
    action: actor.kind === 'SYSTEM' ? 'wallet_transfer.lapsed' : 'wallet_transfer.rejected',
    target_kind: 'wallet_transfer',
    target_id: after.id,
    before: { status: before.status },
    after: { status: after.status, rejection_reason: reason },
  })
  return after
}
