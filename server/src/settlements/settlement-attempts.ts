// What settlements do with what gateways say of their attempts: decided, asked and heard as payouts
// are (money 1), by the very same code; only what a move then writes is theirs. A hold is spent or
// released by the statement that moves the status, or stays.

import type { Attempt, AttemptKeyOf } from '../attempts/attempt.ts'
import { askDaily, findAttempt } from '../attempts/attempt-record.ts'
import { acceptAttempts, attemptAsDecided, endAttempts } from '../attempts/statements.ts'
import { recordEvents } from '../events/statements.ts'
import { insertHoldEnd } from '../ledger/holds/statements.ts'
import { payoutSuccess } from '../ledger/postings.ts'
import { again, type Db } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { idsOf, joined } from '../platform/sql.ts'
import type { ApplyDeps, Ending, Outcome } from '../transactions/apply-answer.ts'
import type { AskDeps, AskedOwner } from '../transactions/ask-attempt.ts'
import { openUnknown } from '../transactions/close-unended.ts'
import { failureText } from '../transactions/failure-texts.ts'
import { callbackParts, type Heard } from '../transactions/heard.ts'
import { endOf } from '../transactions/move.ts'
import type { TakenBy } from '../transactions/try-routes.ts'
import { holdOf, moved, placeOf, type Settlement } from './settlement.ts'
import { settlementEvent } from './settlement-event.ts'
import { moveSettlement, noteGatewayReference, settlementAsDecided } from './statements.ts'
import { findNow, findSettlement } from './store.ts'

/**
 * Read one after the other: a decision from an attempt that has ended since is made again, because
 * every statement below asks for the attempt as it was read.
 */
export type HeldSettlement = Readonly<{ attempt: Attempt; settlement: Settlement; now: Date }>

export const ofSettlements: AskedOwner<HeldSettlement> = {
  find: findHeld,
  standing: ({ settlement }) => ({
    status: standingOf(settlement),
    settled_attempt: settlement.settled_attempt,
    transaction_type: 'RETRAIT',
  }),
  end: endBoth,
  // There is no event of a settlement's contradiction: staff resolve it, and its merchant hears
  // what follows.
  eventsOf: () => [],
  accept: recordTaken,
  giveUp,
  words: ({ settlement }) => ({ description: settlement.reference, return_url: '' }),
}

async function findHeld(db: Db, key: AttemptKeyOf): Promise<HeldSettlement | undefined> {
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

/** In a transaction's words: an attempt is made with the move to PROCESSING, and never before. */
function standingOf({ id, status }: Settlement): 'PENDING' | 'SUCCESS' | 'FAILED' {
  assert(status !== 'CANCELLED', `settlement ${id} was cancelled and has an attempt`)
  return status === 'SUCCESS' || status === 'FAILED' ? status : 'PENDING'
}

async function endBoth(
  { db, wake }: ApplyDeps,
  heard: Heard,
  held: HeldSettlement,
  ending: Ending,
): Promise<Outcome> {
  const { attempt, settlement: before } = held
  const { id } = before
  const paid = ending.is === 'settle'
  const after = afterEnd(held, ending)
  const end = endOf(attempt, {
    gate: id,
    status: paid ? 'SUCCESS' : 'FAILED',
    gateway_ended: true,
    external_reference: ending.external_reference,
    failure_code: after.failure_code,
    gateway_detail: paid ? '' : ending.detail,
    ask_after_s: null,
  })
  const gate = 'settlement_moved'
  // Who has asked since knows better than an old refusal, and no better than an old success.
  const under_lease = paid ? undefined : heard.under_lease
  const parts = [
    settlementAsDecided(db, before),
    attemptAsDecided(db, { ...attempt, under_lease }, 'unmoved'),
    moveSettlement(db, { before, after }, 'same'),
    endAttempts(db, gate, [end]),
    ...insertHoldEnd(db, holdOf(before), paid ? spentBy(held) : { how: 'RELEASE' }, gate),
    recordEvents(db, gate, [
      settlementEvent(paid ? 'settlement.success' : 'settlement.failed', after),
    ]),
    ...callbackParts(db, heard, id, gate),
  ]
  const rows = await again(() => joined(db, parts, idsOf(db, gate)))
  if (rows.length === 0) return 'stale'
  wake()
  return 'moved'
}

/** The net was promised; which part of the fee the gateway takes is its own route's. */
function afterEnd({ attempt, settlement, now }: HeldSettlement, ending: Ending): Settlement {
  const gateway_reference = ending.external_reference || attempt.external_reference
  if (ending.is === 'settle') {
    const { gateway_fee, platform_fee } = attempt
    const fees = { gateway_fee, platform_fee }
    const settled = { ...fees, gateway_reference, settled_attempt: attempt.id }
    return moved(settlement, ['SUCCESS'], now, settled)
  }
  const { failure_code } = ending
  const failure_reason = failureText(failure_code, 'en')
  return moved(settlement, ['FAILED'], now, { gateway_reference, failure_code, failure_reason })
}

const spentBy = ({ attempt, settlement }: HeldSettlement) => ({
  how: 'SPEND' as const,
  on: {
    cause_kind: 'SETTLEMENT' as const,
    cause_id: settlement.id,
    attempt_id: attempt.id,
    lines: payoutSuccess(placeOf(settlement), attempt.gateway_id, attempt),
  },
})

/** The gateway has it and waits: what it calls it, and the end of our lease. */
export async function recordTaken(
  { db }: Pick<AskDeps, 'db'>,
  { settlement }: Pick<HeldSettlement, 'settlement'>,
  taken: TakenBy,
): Promise<void> {
  const parts = [
    noteGatewayReference(db, settlement, taken.external_reference),
    acceptAttempts(db, [{ ...taken, gate: settlement.id }], 'noted'),
  ]
  await again(() => joined(db, parts, idsOf(db, 'accepted')))
}

/** It stays as it is until two people close it, as a payout does; it is asked about once a day. */
async function giveUp(deps: AskDeps, { attempt, settlement }: HeldSettlement): Promise<void> {
  if (settlement.status === 'PROCESSING') await openUnknown(deps, { attempt, eventsOf: () => [] })
  await askDaily(deps.db, attempt)
}
