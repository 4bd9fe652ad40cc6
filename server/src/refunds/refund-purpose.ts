// A refund as what an attempt is for: answers are decided, queried and applied as for payouts
// (money 1), by the engine in attempts/; what a move then writes is here. The payment's row counts
// what was given back in the same statement, so that the next refund sees it.

import { callbackParts } from '../attempts/answer-received.ts'
import { type Attempt, type AttemptKeyOf, operatorReferenceOf } from '../attempts/attempt.ts'
import { endOf } from '../attempts/attempt-end.ts'
import { findAttempt, queryDaily } from '../attempts/attempt-statements.ts'
import type { Ending, PurposeState, Requeueing } from '../attempts/decision.ts'
import { isOwnLimit } from '../attempts/exposure.ts'
import type { ApplyDeps, Decided, Outcome, Purpose, StaffClosure } from '../attempts/purpose.ts'
import { attemptAsDecided, endAttempts } from '../attempts/statements.ts'
import { recordEvents } from '../events/statements.ts'
import type { FailureCode } from '../gateways/gateway.ts'
import { openContradiction } from '../incidents/open-contradiction.ts'
import { openUnknown } from '../incidents/open-unknown.ts'
import { sumBooked } from '../incidents/sent-again-statements.ts'
import { returnOutflow } from '../ledger/day-limit-statements.ts'
import { insertHoldEnd } from '../ledger/holds/statements.ts'
import { refundSuccess } from '../ledger/refund-postings.ts'
import { retryOnDeadlock, type Sql, type Tx } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, type OptionalGate, runPart, runWhole, selectIds } from '../platform/sql.ts'
import { refundedEvent } from '../transactions/event-data.ts'
import {
  afterChange,
  countRefund,
  paymentAsRead,
  type RefundChange,
  updateRefunded,
} from '../transactions/refund-statements.ts'
import { findTransaction } from '../transactions/store.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { arrived, figuresOf, givenUp, holdOf, moved, placeOf, type Refund } from './refund.ts'
import { moveRefund, noteRefundReference, refundAsDecided, waitToBeSent } from './statements.ts'
import { findRefund, findTimes } from './store.ts'
import { refundEvent } from './view.ts'

/**
 * Read one after the other: a decision from what has changed since is made again, because every
 * statement below requires the payment, the refund and the attempt as they were read.
 */
type RefundContext = Readonly<{
  attempt: Attempt
  refund: Refund
  payment: Transaction
  /** What people have booked as paid by its attempts, as long as the payment is as read. */
  booked: bigint
  now: Date
}>

/** There is no event of a refund's incident: its merchant receives what follows from it. */
const eventsOf = () => []

export const refundPurpose: Purpose<RefundContext> = {
  owns: ({ refund_id }) => refund_id !== null,
  find: findContext,
  findIn: findContext,
  stateOf,
  textsOf: ({ refund }) => ({ description: descriptionOf(refund), return_url: '' }),
  end: endBoth,
  requeue: waitAgain,
  contradict: (deps, { attempt, refund: { payment_id } }, { decision, received }) =>
    openContradiction(deps, received, { attempt, eventsOf, payment_id }, decision),
  noteReference: (sql, { refund }, external_reference) =>
    noteRefundReference(sql, refund, external_reference),
  giveUp,
  closeByStaff,
}

/**
 * One that was cancelled while it waited for a route has given its hold back, as if it had failed.
 */
function stateOf({ attempt, refund: { status, settled_attempt } }: RefundContext): PurposeState {
  return {
    status: status === 'CANCELLED' ? 'FAILED' : status,
    may_wait: true,
    unpaid_by_this: settled_attempt !== attempt.id,
  }
}

const isMagic = /^sandbox:(\d{2}|\d{4})$/

/**
 * What a gateway is sent with it. In the sandbox the reason decides how it ends, and without one it
 * succeeds, whatever the payer's number would do (contract 8.22).
 */
export function descriptionOf({ environment, method, reason }: Refund): string {
  const decides = environment === 'SANDBOX' && method === 'PAYOUT' && !isMagic.test(reason)
  return decides ? 'sandbox:00' : reason
}

async function findContext(db: Sql, key: AttemptKeyOf): Promise<RefundContext | undefined> {
  const attempt = await findAttempt(db, key)
  if (attempt === undefined || attempt.refund_id === null) return undefined
  const { merchant_id, refund_id: id } = attempt
  const refund = await findRefund(db, { merchant_id, id })
  assert(refund !== undefined, `attempt ${attempt.id} of no refund`)
  const [payment, { now }] = await Promise.all([
    findTransaction(db, { merchant_id, id: refund.payment_id }),
    findTimes(db, 0),
  ])
  assert(payment !== undefined, `refund ${id} of no payment`)
  // After the payment: what is booked later changes its version.
  const booked = await sumBooked(db, { merchant_id, by: 'refund_id', id })
  return { attempt, refund, payment, booked, now }
}

/**
 * One statement: the attempt ends and the refund waits, its hold and what the payment has set aside
 * as they were; nothing of it where the refund or the attempt has moved meanwhile. No status
 * changes, so there is no event.
 */
async function waitAgain(
  { db }: ApplyDeps,
  { attempt, refund }: RefundContext,
  { decision, received }: Decided<Requeueing>,
): Promise<Outcome> {
  const end = endOf(attempt, {
    gate_id: refund.id,
    status: 'FAILED',
    gateway_ended: true,
    external_reference: decision.external_reference,
    failure_code: decision.failure_code,
    gateway_detail: decision.detail,
    ask_after_s: null,
  })
  const unmoved = refundAsDecided(db, refund)
  const as_read = { ...attempt, under_lease: received.under_lease }
  const same = attemptAsDecided(db, as_read, { when: unmoved })
  const reason = isOwnLimit(decision.detail) ? 'NO_ROUTE' : 'GATEWAY_FLOAT'
  const waits = waitToBeSent(db, { ...refund, reason }, { when: same })
  const gate = { when: waits }
  const kept = callbackParts(db, received, refund.id, gate)
  const parts = [unmoved, same, waits, endAttempts(db, [end], gate), ...kept]
  const rows = await retryOnDeadlock(() =>
    composed(homeOf(db, attempt.merchant_id), parts, selectIds(db, waits)),
  )
  return rows.length > 0 ? 'moved' : 'stale'
}

async function endBoth(
  { db, wake }: ApplyDeps,
  context: RefundContext,
  { decision: ending, received }: Decided<Ending>,
): Promise<Outcome> {
  const paid = ending.is === 'confirm'
  const end = endParts(db, context, {
    paid,
    external_reference: ending.external_reference,
    operator_reference: paid ? (ending.operator_reference ?? null) : null,
    failure_code: paid ? '' : ending.failure_code,
    detail: paid ? '' : ending.detail,
    // A later query knows better than an old refusal, but no better than an old success.
    under_lease: paid ? undefined : received.under_lease,
  })
  const first = end.payment
  const unmoved = end.unmoved({ when: first })
  const same = end.same({ when: unmoved })
  const moved = end.moved({ when: same })
  const gate = { when: moved }
  const kept = callbackParts(db, received, context.refund.id, gate)
  const parts = [
    first,
    unmoved,
    same,
    moved,
    end.counted(gate),
    end.ended(gate),
    end.holdEnded(gate),
    end.recorded(gate),
    ...end.uncounted(gate),
    ...kept,
  ]
  const rows = await retryOnDeadlock(() =>
    composed(homeOf(db, context.attempt.merchant_id), parts, selectIds(db, moved)),
  )
  if (rows.length === 0) return 'stale'
  wake()
  return 'moved'
}

type End = Readonly<{
  paid: boolean
  external_reference: string
  operator_reference: string | null
  failure_code: FailureCode | ''
  detail: string
  under_lease: bigint | undefined
}>

/**
 * The end of an attempt and of its refund: payment, refund and attempt locked while they are as
 * they were read, the refund moved, the payment's sums, and the others.
 */
function endParts(sql: Sql, context: RefundContext, end: End) {
  const { attempt, refund: before, payment } = context
  const { paid, under_lease } = end
  const untaken = !paid && attempt.acknowledged_at === null
  const { merchant_id } = before
  const after = afterEnd(context, end)
  const change = changeOf(context, paid)
  const ended = endOf(attempt, {
    gate_id: before.id,
    status: paid ? 'SUCCESS' : 'FAILED',
    gateway_ended: true,
    external_reference: end.external_reference,
    operator_reference: end.operator_reference,
    failure_code: end.failure_code,
    gateway_detail: end.detail,
    ask_after_s: null,
  })
  const events = [
    refundEvent(paid ? 'refund.success' : 'refund.failed', after, payment),
    ...(paid ? [refundedEvent(afterChange(payment, change), before.id, before.id)] : []),
  ]
  const how = paid ? spentBy(context) : { how: 'RELEASE' as const }
  return {
    events,
    payment: paymentAsRead(sql, payment),
    unmoved: (gate?: OptionalGate) => refundAsDecided(sql, before, gate),
    same: (gate?: OptionalGate) =>
      attemptAsDecided(sql, { ...attempt, under_lease, untaken }, gate),
    moved: (gate?: OptionalGate) => moveRefund(sql, { before, after }, gate),
    counted: (gate: Parameters<typeof countRefund>[3]) => countRefund(sql, payment, change, gate),
    ended: (gate?: OptionalGate) => endAttempts(sql, [ended], gate),
    holdEnded: (gate?: OptionalGate) => insertHoldEnd(sql, holdOf(before), how, gate),
    recorded: (gate?: OptionalGate) => recordEvents(sql, events, gate),
    uncounted: (gate?: OptionalGate) =>
      paid ? [] : [returnOutflow(sql, { merchant_id, cause_id: before.id }, gate)],
  }
}

/** What was on its way has arrived; or it has not, and may be given back again. */
function changeOf({ refund, booked, payment }: RefundContext, paid: boolean): RefundChange {
  return paid ? arrived(refund, booked, payment) : givenUp(refund, booked, payment)
}

/** The payer's sum was promised; which part of a fee the gateway takes depends on its own route. */
function afterEnd({ attempt, refund, now }: RefundContext, end: End): Refund {
  const external_reference = end.external_reference || attempt.external_reference
  const { failure_code } = end
  if (!end.paid) return moved(refund, 'FAILED', now, { failure_code, external_reference })
  const { gateway_fee, platform_fee, our_key, id: settled_attempt } = attempt
  const operator_reference = operatorReferenceOf({
    ...{ status: 'SUCCESS', our_key, external_reference },
    operator_reference: end.operator_reference ?? attempt.operator_reference,
  })
  return moved(refund, 'SUCCESS', now, {
    gateway_fee,
    platform_fee,
    external_reference,
    operator_reference,
    settled_attempt,
  })
}

const spentBy = ({ attempt, refund }: RefundContext) => ({
  how: 'SPEND' as const,
  on: {
    cause_kind: 'REFUND' as const,
    cause_id: refund.id,
    attempt_id: attempt.id,
    lines: refundSuccess(placeOf(refund), attempt.gateway_id, figuresOf(refund, attempt)),
  },
})

/**
 * It stays as it is until two people close it, as a payout does; it is queried about once a day.
 */
async function giveUp(deps: ApplyDeps, context: RefundContext): Promise<void> {
  const { attempt, refund } = context
  const { status, payment_id } = refund
  await openUnknown(deps, { attempt, purpose: { status }, eventsOf, payment_id })
  await queryDaily(deps.db, attempt)
}

/** It was paid, and its hold is spent; or it was not, and its hold is released. */
async function closeByStaff(
  tx: Tx,
  context: RefundContext,
  { paid }: StaffClosure,
): Promise<boolean> {
  const end = endParts(tx, context, {
    paid,
    external_reference: '',
    operator_reference: null,
    failure_code: paid ? '' : 'UNKNOWN',
    detail: paid ? '' : 'staff have proof that it was not paid',
    under_lease: undefined,
  })
  if ((await runPart(tx, end.payment)) === 0 || (await runPart(tx, end.unmoved())) === 0) {
    return false
  }
  if ((await runPart(tx, end.same())) === 0) return false
  await runWhole(tx, end.moved(), 1)
  await updateRefunded(tx, context.payment, changeOf(context, paid))
  await runWhole(tx, end.ended(), 1)
  await runWhole(tx, end.holdEnded(), 1)
  await runWhole(tx, end.recorded(), end.events.length)
  for (const uncounted of end.uncounted()) await runPart(tx, uncounted)
  return true
}
