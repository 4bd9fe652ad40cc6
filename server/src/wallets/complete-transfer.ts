// A waiting transfer is booked whole (money 3): in the caller's transaction its status is moved,
// its hold spent, both countries' entries, the transaction and the events are written, or nothing
// is. The caller has the locks of both balances, or of the transfer before them.

import { systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { recordEvents } from '../events/statements.ts'
import type { Spending } from '../ledger/holds/hold.ts'
import { insertHoldEnd } from '../ledger/holds/statements.ts'
import { transferApproved } from '../ledger/postings.ts'
import type { Tx } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { newReference } from '../platform/ids.ts'
import { runWhole } from '../platform/sql.ts'
import { insertTransferred } from '../transactions/statements.ts'
import { type Transferred, transferredEvent } from '../transactions/transferred.ts'
import { moveTransfer } from './statements.ts'
import { holdOf, sourceOf, type Transfer, targetOf } from './transfer.ts'
import { transferEvent } from './view.ts'

/**
 * `by`: who approved it; null when its amount needed no approval. `now`: the transaction's time.
 */
export type Completion = Readonly<{ by: string | null; now: Date }>

export async function completeTransfer(
  tx: Tx,
  before: Transfer,
  { by, now }: Completion,
): Promise<Transfer> {
  const after: Transfer = {
    ...before,
    status: 'SUCCESS',
    version: before.version + 1,
    approved_by_admin: by,
    approved_at: now,
    completed_at: now,
    updated_at: now,
  }
  const transferred = transferredOf(after)
  const spent = { how: 'SPEND', on: spendingOf(after) } as const
  const events = [transferEvent('wallet_transfer.completed', after), transferredEvent(transferred)]
  // Sent together, carried out in this order: transfers of one merchant queue behind one another.
  const [isMoved] = await Promise.all([
    moveTransfer(tx, { before, after }),
    runWhole(tx, insertHoldEnd(tx, holdOf(after), spent), 1),
    insertTransferred(tx, transferred),
    runWhole(tx, recordEvents(tx, events), events.length),
  ])
  assert(isMoved, `transfer ${after.id} moved under its lock`)
  if (by === null) await recordAutomatic(tx, after)
  return after
}

const spendingOf = (transfer: Transfer): Spending => ({
  cause_kind: 'TRANSFER',
  cause_id: transfer.id,
  attempt_id: null,
  lines: transferApproved(sourceOf(transfer), targetOf(transfer), transfer),
})

/** Under the transfer's own id: so it cannot be written twice. */
const transferredOf = (transfer: Transfer): Transferred => ({
  merchant_id: transfer.merchant_id,
  environment: transfer.environment,
  id: transfer.id,
  reference: newReference('TXN'),
  country_code: transfer.from_country,
  currency: transfer.from_currency,
  amount: transfer.from_amount,
  fee: transfer.fee_amount,
  description: `${transfer.reference}: ${transfer.from_country} → ${transfer.to_country}`,
  ip_address: transfer.ip_address,
  request_id: transfer.request_id,
  api_key_id: transfer.api_key_id,
  member_id: transfer.member_id,
})

const recordAutomatic = (tx: Tx, { merchant_id, environment, id, request_id }: Transfer) =>
  recordAct(tx, {
    merchant_id,
    environment,
    actor: { ...systemActor, request_id },
    action: 'wallet_transfer.approved',
    target_kind: 'wallet_transfer',
    target_id: id,
    before: { status: 'PENDING' },
    after: { status: 'SUCCESS', automatic: true },
  })
