// Ends a payout that no operator ever received: its second person refused it, it was cancelled, or
// its time ran out. The same transaction releases its hold, since nothing can have been paid.

import type { TriggeredBy } from '../attempts/evidence.ts'
import { type CancelledBy, failureText } from '../attempts/failure-texts.ts'
import { recordEvents } from '../events/statements.ts'
import { returnOutflow } from '../ledger/day-limit-statements.ts'
import { insertHoldEnd } from '../ledger/holds/statements.ts'
import { valuesOf } from '../platform/columns.ts'
import type { Tx } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { runPart, runWhole } from '../platform/sql.ts'
import { adoptedRow } from './columns.ts'
import { eventData } from './event-data.ts'
import { newPayoutHold } from './payout-hold.ts'
import { type Move, moveStatus } from './statements.ts'
import type { Transaction } from './transaction.ts'

export type UnsentEnd = Readonly<{
  failure_code: 'REJECTED_BY_MERCHANT' | 'EXPIRED' | 'LIMIT_REACHED' | CancelledBy
  reason: string
  triggered_by: TriggeredBy
  request_id: string
}>

/** False when it is no longer as it was read; then nothing was written. */
export async function failUnsent(
  tx: Tx,
  transaction: Transaction,
  end: UnsentEnd,
): Promise<boolean> {
  const { merchant_id, id: cause_id } = transaction
  const move = moveOf(transaction, end)
  const hold = newPayoutHold(cause_id, transaction)
  if ((await runPart(tx, moveStatus(tx, [move]))) === 0) return false
  await runWhole(tx, insertHoldEnd(tx, hold, { how: 'RELEASE' }), 1)
  await runPart(tx, returnOutflow(tx, { merchant_id, cause_id }))
  await runWhole(tx, recordEvents(tx, [failedEvent(transaction, move)]), 1)
  return true
}

function moveOf(transaction: Transaction, end: UnsentEnd): Move {
  const { network_id, network_code, current_gateway } = transaction
  assert(transaction.transaction_type === 'RETRAIT', 'only a payout waits unsent')
  assert(network_id !== null && network_code !== null && current_gateway !== null, 'a payout')
  return {
    merchant_id: transaction.merchant_id,
    environment: transaction.environment,
    id: transaction.id,
    transaction_type: 'RETRAIT',
    from_status: 'PENDING',
    version: transaction.version,
    to_status: 'FAILED',
    settled_attempt: null,
    ...valuesOf(adoptedRow, { ...transaction, network_id, network_code, current_gateway }),
    external_reference: '',
    failure_code: end.failure_code,
    failure_message: failureText(end.failure_code, 'en'),
    log_id: newId(),
    reason: end.reason,
    triggered_by: end.triggered_by,
    // Who cancelled or refused it is an act of its own.
    actor_id: null,
    attempt_id: null,
    evidence_kind: 'RULE',
    evidence_id: null,
    evidence_hash: null,
    evidence_said: end.reason,
    request_id: end.request_id,
  }
}

const failedEvent = (transaction: Transaction, move: Move) => ({
  merchant_id: transaction.merchant_id,
  environment: transaction.environment,
  gate_id: transaction.id,
  id: newId(),
  type: 'transaction.failed' as const,
  transaction_id: transaction.id,
  subject_id: null,
  data: eventData({
    ...transaction,
    status: move.to_status,
    version: transaction.version + 1,
    failure_code: move.failure_code,
    failure_message: move.failure_message,
  }),
})
