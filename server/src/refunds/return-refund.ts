// What two people decide of a refund that its operator contradicts, besides its postings (money 3):
// its money came back and is the merchant's again; or it was paid after all, and counts as such.

import { recordEvents } from '../events/statements.ts'
import { type IncidentLocked, sumBorne } from '../incidents/statements.ts'
import { refundReturned } from '../ledger/refund-postings.ts'
import { postEntries } from '../ledger/statements.ts'
import type { Tx } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { runWhole } from '../platform/sql.ts'
import { refundedEvent } from '../transactions/event-data.ts'
import { lockPayment, recount, updateRefunded } from '../transactions/refund-statements.ts'
import { placeOf } from './refund.ts'
import { markRefundReturned } from './statements.ts'
import { findTimes, lockRefund } from './store.ts'
import { refundEvent } from './view.ts'

/**
 * In the transaction that resolves its incident: the payer may be given it back again. The fee that
 * came with it is charged again, unless the payment itself was taken back: that costs no fee.
 */
export async function returnRefund(tx: Tx, incident: IncidentLocked): Promise<void> {
  const { merchant_id, environment, refund_id, transaction_id, amount } = incident
  assert(refund_id !== null && transaction_id !== null, `incident ${incident.id} is of no refund`)
  const payment = await lockPayment(tx, { merchant_id, id: transaction_id })
  const before = await lockRefund(tx, { merchant_id, id: refund_id })
  assert(payment !== undefined && before !== undefined, `no refund ${refund_id}`)
  assert(amount === before.amount, `incident ${incident.id} is of a part`)
  const { now } = await findTimes(tx, 0)
  const after = { ...before, version: before.version + 1, returned_at: now, updated_at: now }
  assert(await markRefundReturned(tx, { before, after }), `refund ${refund_id} came back before`)
  const { settled_attempt: attempt_id, debited_amount } = payment
  const isFeeUndone =
    attempt_id !== null && (await sumBorne(tx, { merchant_id, attempt_id })) >= debited_amount
  const fees = isFeeUndone ? { returned_gateway_fee: 0n, returned_platform_fee: 0n } : {}
  const posting = {
    merchant_id,
    environment,
    gate_id: incident.id,
    cause_kind: 'RESOLUTION' as const,
    cause_id: incident.id,
    attempt_id: incident.attempt_id,
    lines: refundReturned(placeOf(before), incident.id, { ...before, ...fees }),
  }
  await runWhole(tx, postEntries(tx, [posting]), posting.lines.length)
  // What its payer has beside it, by another refund or incident, may have been more than fitted.
  const left = await updateRefunded(tx, payment, await recount(tx, payment))
  const events = [refundEvent('refund.returned', after, left), refundedEvent(left, before.id)]
  await runWhole(tx, recordEvents(tx, events), events.length)
}
