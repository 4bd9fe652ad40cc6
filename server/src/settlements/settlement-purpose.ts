// A settlement as what an attempt is for: answers are decided, queried and applied as for payouts
// (money 1), by the engine in attempts/; what a move then writes is here. A hold is spent or
// released by the statement that moves the status, or stays.

import { callbackParts } from '../attempts/answer-received.ts'
import type { Attempt, AttemptKeyOf } from '../attempts/attempt.ts'
import { endOf } from '../attempts/attempt-end.ts'
import { findAttempt, queryDaily } from '../attempts/attempt-statements.ts'
import type { Ending, PurposeState, Requeueing } from '../attempts/decision.ts'
import { failureText } from '../attempts/failure-texts.ts'
import type { ApplyDeps, Decided, Outcome, Purpose, StaffClosure } from '../attempts/purpose.ts'
import { attemptAsDecided, endAttempts } from '../attempts/statements.ts'
import { recordEvents } from '../events/statements.ts'
import type { FailureCode } from '../gateways/gateway.ts'
import { openContradiction } from '../incidents/open-contradiction.ts'
import { openUnknown } from '../incidents/open-unknown.ts'
import { insertHoldEnd } from '../ledger/holds/statements.ts'
import { payoutSuccess } from '../ledger/postings.ts'
import { retryOnDeadlock, type Sql, type Tx } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, type OptionalGate, runPart, runWhole, selectIds } from '../platform/sql.ts'
import { holdOf, moved, placeOf, type Settlement } from './settlement.ts'
import {
  moveSettlement,
  noteGatewayReference,
  settlementAsDecided,
  waitForFloat,
} from './statements.ts'
import { findNow, findSettlement } from './store.ts'
import { settlementEvent } from './view.ts'

/**
 * Read one after the other: a decision from an attempt that has ended since is made again, because
 * every statement below requires the attempt as it was read.
 */
type SettlementContext = Readonly<{ attempt: Attempt; settlement: Settlement; now: Date }>

/** There is no event of a settlement's incident: its merchant receives what follows from it. */
const eventsOf = () => []

export const settlementPurpose: Purpose<SettlementContext> = {
  owns: ({ settlement_id }) => settlement_id !== null,
  find: findContext,
  findIn: findContext,
  stateOf,
  textsOf: ({ settlement }) => ({ description: settlement.reference, return_url: '' }),
  end: endBoth,
  requeue: waitAgain,
  contradict: (deps, { attempt }, { decision, received }) =>
    openContradiction(deps, received, { attempt, eventsOf }, decision),
  noteReference: (sql, { settlement }, external_reference) =>
    noteGatewayReference(sql, settlement, external_reference),
  giveUp,
  closeByStaff,
}

async function findContext(db: Sql, key: AttemptKeyOf): Promise<SettlementContext | undefined> {
  const attempt = await findAttempt(db, key)
  if (attempt === undefined || attempt.settlement_id === null) return undefined
  const { merchant_id, settlement_id: id } = attempt
  const [settlement, now] = await Promise.all([
    findSettlement(db, { merchant_id, id }),
    findNow(db),
  ])
  assert(settlement !== undefined, `attempt ${attempt.id} of no settlement`)
  return { attempt, settlement, now }
}

/** In the engine's words: an attempt is made with the move to PROCESSING, and never before. */
function stateOf({ attempt, settlement }: SettlementContext): PurposeState {
  const { id, status, settled_attempt } = settlement
  assert(status !== 'CANCELLED', `settlement ${id} was cancelled and has an attempt`)
  return {
    status: status === 'SUCCESS' || status === 'FAILED' ? status : 'PENDING',
    may_wait: true,
    unpaid_by_this: settled_attempt !== attempt.id,
  }
}

/**
 * One statement: the attempt ends and the settlement waits, its hold as it was; nothing of it where
 * one of them has moved meanwhile. No status changes, so there is no event.
 */
async function waitAgain(
  { db }: ApplyDeps,
  { attempt, settlement }: SettlementContext,
  { decision, received }: Decided<Requeueing>,
): Promise<Outcome> {
  const end = endOf(attempt, {
    gate_id: settlement.id,
    status: 'FAILED',
    gateway_ended: true,
    external_reference: decision.external_reference,
    failure_code: decision.failure_code,
    gateway_detail: decision.detail,
    ask_after_s: null,
  })
  const unmoved = settlementAsDecided(db, settlement)
  const as_read = { ...attempt, under_lease: received.under_lease }
  const same = attemptAsDecided(db, as_read, { when: unmoved })
  const waits = waitForFloat(db, settlement, { when: same })
  const gate = { when: waits }
  const kept = callbackParts(db, received, settlement.id, gate)
  const parts = [unmoved, same, waits, endAttempts(db, [end], gate), ...kept]
  const rows = await retryOnDeadlock(() =>
    composed(homeOf(db, attempt.merchant_id), parts, selectIds(db, waits)),
  )
  return rows.length > 0 ? 'moved' : 'stale'
}

async function endBoth(
  { db, wake }: ApplyDeps,
  context: SettlementContext,
  { decision: ending, received }: Decided<Ending>,
): Promise<Outcome> {
  const paid = ending.is === 'confirm'
  const { external_reference } = ending
  const end = endParts(db, context, {
    paid,
    external_reference,
    operator_reference: paid ? (ending.operator_reference ?? null) : null,
    failure_code: paid ? '' : ending.failure_code,
    detail: paid ? '' : ending.detail,
    // A later query knows better than an old refusal, but no better than an old success.
    under_lease: paid ? undefined : received.under_lease,
  })
  const unmoved = end.unmoved
  const same = end.same({ when: unmoved })
  const moved = end.moved({ when: same })
  const gate = { when: moved }
  const kept = callbackParts(db, received, context.settlement.id, gate)
  const parts = [unmoved, same, moved, ...end.others(gate), ...kept]
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
 * The end of an attempt and of its settlement, in this order: both locked while they are as they
 * were read, the settlement moved, and the others (attempt, hold, event: a row each).
 */
function endParts(sql: Sql, context: SettlementContext, end: End) {
  const { attempt, settlement: before } = context
  const { paid, under_lease } = end
  const untaken = !paid && attempt.acknowledged_at === null
  const after = afterEnd(context, end)
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
  const event = settlementEvent(paid ? 'settlement.success' : 'settlement.failed', after)
  const how = paid ? spentBy(context) : { how: 'RELEASE' as const }
  return {
    unmoved: settlementAsDecided(sql, before),
    same: (gate?: OptionalGate) =>
      attemptAsDecided(sql, { ...attempt, under_lease, untaken }, gate),
    moved: (gate?: OptionalGate) => moveSettlement(sql, { before, after }, gate),
    others: (gate?: OptionalGate) => [
      endAttempts(sql, [ended], gate),
      insertHoldEnd(sql, holdOf(before), how, gate),
      recordEvents(sql, [event], gate),
    ],
  }
}

/** The net was promised; which part of the fee the gateway takes depends on its own route. */
function afterEnd({ attempt, settlement, now }: SettlementContext, end: End): Settlement {
  const { paid, failure_code } = end
  const gateway_reference = end.external_reference || attempt.external_reference
  if (paid) {
    const { gateway_fee, platform_fee } = attempt
    const fees = { gateway_fee, platform_fee }
    const settled = { ...fees, gateway_reference, settled_attempt: attempt.id }
    return moved(settlement, ['SUCCESS'], now, settled)
  }
  const failure_reason = failureText(failure_code, 'en')
  return moved(settlement, ['FAILED'], now, { gateway_reference, failure_code, failure_reason })
}

const spentBy = ({ attempt, settlement }: SettlementContext) => ({
  how: 'SPEND' as const,
  on: {
    cause_kind: 'SETTLEMENT' as const,
    cause_id: settlement.id,
    attempt_id: attempt.id,
    lines: payoutSuccess(placeOf(settlement), attempt.gateway_id, attempt),
  },
})

/**
 * It stays as it is until two people close it, as a payout does; it is queried about once a day.
 */
async function giveUp(deps: ApplyDeps, context: SettlementContext): Promise<void> {
  const { attempt } = context
  await openUnknown(deps, { attempt, purpose: stateOf(context), eventsOf })
  await queryDaily(deps.db, attempt)
}

/** It was paid, and its hold is spent; or it was not, and its hold is released. */
async function closeByStaff(
  tx: Tx,
  context: SettlementContext,
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
  if ((await runPart(tx, end.unmoved)) === 0 || (await runPart(tx, end.same())) === 0) return false
  await runWhole(tx, end.moved(), 1)
  for (const other of end.others()) await runWhole(tx, other, 1)
  return true
}
