// Two people with proof end a payout whose operator never reported its outcome (money 1): it was
// paid, and its hold is spent; or it was not, and its hold is released. Only while the outcome is
// unknown.

import { endOf } from '../../attempts/attempt-end.ts'
import type { StaffClosure } from '../../attempts/purpose.ts'
import { attemptAsDecided, endAttempts } from '../../attempts/statements.ts'
import { recordEvents } from '../../events/statements.ts'
import type { Tx } from '../../platform/db.ts'
import { runPart, runWhole } from '../../platform/sql.ts'
import { eventOf, moveOf } from '../move.ts'
import { endPayoutHold } from '../payout-hold.ts'
import { moveStatus, transactionAsDecided } from '../statements.ts'
import type { TransactionContext } from '../store.ts'

/** False when one of them is no longer as it was read. */
export async function closePayout(
  tx: Tx,
  context: TransactionContext,
  { paid, person }: StaffClosure,
): Promise<boolean> {
  const { transaction } = context
  const reason = paid
    ? 'staff have proof that it was paid'
    : 'staff have proof that it was not paid'
  const move = moveOf(transaction, context.attempt, {
    to_status: paid ? 'SUCCESS' : 'FAILED',
    external_reference: context.attempt.external_reference,
    failure_code: paid ? '' : 'UNKNOWN',
    reason: reason,
    triggered_by: 'ADMIN',
    evidence: { kind: 'STAFF', id: null, hash: null, said: reason },
    request_id: person.request_id,
  })
  const end = endOf(context.attempt, {
    gate_id: transaction.id,
    status: paid ? 'SUCCESS' : 'FAILED',
    gateway_ended: true,
    external_reference: '',
    failure_code: paid ? '' : 'UNKNOWN',
    gateway_detail: reason,
    ask_after_s: null,
  })
  const { merchant_id } = context.attempt
  const key = { merchant_id, id: transaction.id, version: transaction.version }
  const as_read = { ...context.attempt, under_lease: undefined }
  if ((await runPart(tx, transactionAsDecided(tx, key))) === 0) return false
  if ((await runPart(tx, attemptAsDecided(tx, as_read))) === 0) return false
  if ((await runPart(tx, moveStatus(tx, [move]))) === 0) return false
  await runWhole(tx, endAttempts(tx, [end]), 1)
  const [ended, ...others] = endPayoutHold(tx, context, paid ? 'SPEND' : 'RELEASE')
  await runWhole(tx, ended, 1)
  for (const other of others) await runPart(tx, other)
  await runWhole(tx, recordEvents(tx, [eventOf(transaction, context.attempt, move)]), 1)
  return true
}
