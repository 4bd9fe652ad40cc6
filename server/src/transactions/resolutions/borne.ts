// Who bears what an operator took back of a payment, or paid beyond what was promised: what its
// payer has is not given back again, and a fee is undone once, with the payment that it was for.

import type { Attempt } from '../../attempts/attempt.ts'
import { recordEvents } from '../../events/statements.ts'
import type { BorneBy } from '../../incidents/incident.ts'
import { isTakenBack, type Resolution } from '../../incidents/resolution.ts'
import { type IncidentLocked, sumBorne, whoBoreBeside } from '../../incidents/statements.ts'
import type { Tx } from '../../platform/db.ts'
import { assert, refuse } from '../../platform/errors.ts'
import { runWhole } from '../../platform/sql.ts'
import { refundedEvent } from '../event-data.ts'
import { lockPayment, recount, updateRefunded } from '../refund-statements.ts'
import { findSettledAttempt } from '../store.ts'
import type { TransactionKey } from '../transaction.ts'
import { resolutionErrors } from './errors.ts'

/** Whether its transaction has succeeded by this attempt: another one captured beside it. */
export async function hasSettled(tx: Tx, attempt: Attempt): Promise<boolean> {
  const { merchant_id, transaction_id: id } = attempt
  return id !== null && (await findSettledAttempt(tx, { merchant_id, id })) === attempt.id
}

/** Of what came back: who bore what its attempt had moved beside what paid, if that is so. */
export async function borneBeside(
  tx: Tx,
  incident: IncidentLocked,
  attempt: Attempt,
): Promise<BorneBy | undefined> {
  const isBack = incident.type === 'REVERSED_AFTER_SUCCESS' || isTakenBack(incident, attempt)
  if (!isBack || (await hasSettled(tx, attempt))) return undefined
  return whoBoreBeside(tx, attempt)
}

type Resolving = Readonly<{ incident: IncidentLocked; settles: boolean }>

type FeeDeps = Readonly<{ hasGivenFee: (tx: Tx, payment: TransactionKey) => Promise<boolean> }>

/**
 * What its merchant bears of what was taken back of a payment, as figures. The fee is undone once,
 * with what completes the whole: not where a refund has given it back already, and not of a capture
 * beside the payment, which had none. Else the whole sum is the merchant's to bear. As with refunds
 * in parts, a last part that is less than the fee leaves it as it is.
 */
export async function figuresBorne(
  tx: Tx,
  { hasGivenFee }: FeeDeps,
  { incident, attempt, settles }: Resolving & Readonly<{ attempt: Attempt }>,
): Promise<Attempt> {
  const { merchant_id, type, refund_id, transaction_id: id, amount } = incident
  const isBack = type === 'REVERSED_AFTER_SUCCESS' || isTakenBack(incident, attempt)
  if (!isBack || refund_id !== null || id === null) return attempt
  const { debited_amount, client_fee } = attempt
  const before = await sumBorne(tx, { merchant_id, attempt_id: attempt.id, except: incident.id })
  const completes = before < debited_amount && before + amount >= debited_amount
  const isUndone = settles && completes && amount >= client_fee
  const borne = { ...attempt, debited_amount: amount }
  if (isUndone && !(await hasGivenFee(tx, { merchant_id, id }))) {
    return { ...borne, net_amount: amount - client_fee }
  }
  const gateway_cost_excess = isUndone ? attempt.gateway_cost_excess : 0n
  const no_fee = { client_fee: 0n, gateway_fee: 0n, platform_fee: 0n, gateway_cost_excess }
  return { ...borne, ...no_fee, net_amount: amount }
}

const refundUnderWay = {
  en: 'A refund of this payment is under way: reject it, or wait for its end.',
  fr: 'Un remboursement de ce paiement est en cours : rejetez-le, ou attendez sa fin.',
}

/**
 * What the payer has is not given back again: whoever bears a part that was taken back; and what
 * the merchant is charged with of a reversal or of a refund. Of a payment it is what was taken back
 * of the attempt that settled it: another one's was beside it. `recount` reads it in the same way.
 */
export function isWithPayer({
  incident,
  resolution,
  attempt,
  settles,
}: Resolving & Readonly<{ resolution: Resolution; attempt: Attempt | undefined }>): boolean {
  const { type, refund_id } = incident
  if (resolution !== 'CHARGE_MERCHANT' && resolution !== 'WRITE_OFF') return false
  if (refund_id !== null) return resolution === 'CHARGE_MERCHANT' && type !== 'OUTCOME_UNKNOWN'
  if (attempt === undefined || !settles) return false
  if (isTakenBack(incident, attempt)) return true
  return resolution === 'CHARGE_MERCHANT' && type === 'REVERSED_AFTER_SUCCESS'
}

/**
 * The payer has got money back that no refund of ours counts: the payment was reversed, or its
 * refund was paid though it had failed, or with another sum. It is never counted beyond what was
 * paid.
 */
export async function countAsRefunded(tx: Tx, incident: IncidentLocked): Promise<void> {
  const { merchant_id, transaction_id: id, type, refund_id, amount } = incident
  if (id === null) return
  const payment = await lockPayment(tx, { merchant_id, id })
  assert(payment !== undefined, `incident ${incident.id} of no payment`)
  if (payment.transaction_type !== 'PAIEMENT' || payment.status !== 'SUCCESS') return
  const change = await recount(tx, payment, amount)
  // What a refund under way has set aside covers what was paid of it. Else people end it first.
  if (!change.fits && !(refund_id !== null && type === 'AMOUNT_MISMATCH')) {
    throw refuse(resolutionErrors.resolution_not_possible, { message: refundUnderWay })
  }
  const after = await updateRefunded(tx, payment, change)
  if (change.refunded === 0n) return
  await runWhole(tx, recordEvents(tx, [refundedEvent(after, refund_id)]), 1)
}
