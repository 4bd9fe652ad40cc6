// A decision of staff or of the merchant about a settlement that waits: under the settlement's own
// lock, so of several who decide at the same time one does; with the move, its event, the end of
// the hold and the line of the audit log in one transaction, or none of it.

import { insertAttempts, type NewAttempt } from '../attempts/statements.ts'
import type { AuditAction } from '../audit/actions.ts'
import { type Actor, actorOf, actorOfPerson } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { recordEvents } from '../events/statements.ts'
import { hasUndecided } from '../incidents/sent-again-statements.ts'
import type { HoldEnd } from '../ledger/holds/hold.ts'
import { insertHoldEnd } from '../ledger/holds/statements.ts'
import { bankSettlementSuccess } from '../ledger/postings.ts'
import { payoutErrors } from '../payouts/errors.ts'
import { proposalErrors } from '../people/proposals/errors.ts'
import { mayStill, requireStaffStillMay } from '../people/proposals/first-person.ts'
import { type RowOfAny, transactInTurn, transactInTurnOfRow } from '../platform/batch-calls.ts'
import type { Db, Tx } from '../platform/db.ts'
import { assert, refuse, type Text } from '../platform/errors.ts'
import type { Caller, Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { runWhole } from '../platform/sql.ts'
import { settlementErrors } from './errors.ts'
import { getOwnSettlement, getSeenSettlement } from './get-settlement.ts'
import { figuresOf, holdOf, isWaiting, moved, placeOf, type Settlement } from './settlement.ts'
import { moveSettlement } from './statements.ts'
import { findApprover, lockSeen, lockSettlement, lockToLeave, type Seen } from './store.ts'
import { type SettlementEventType, settlementEvent } from './view.ts'

export type SettlementDecision = Readonly<{
  before: Settlement
  after: Settlement
  event: SettlementEventType
  /** The state that the event reports, where the move continues at once. */
  event_state?: Settlement
  hold?: HoldEnd
  attempt?: NewAttempt
  actor: Actor
  /** `settlement.…` */
  act: AuditAction
  /** Further new facts, for the audit log. */
  more?: Readonly<Record<string, unknown>>
}>

/** A settlement has no customer. */
const ofNobody = { customer_id: null }

/** The caller has the settlement's lock and has read `before` under it. */
export async function writeDecision(tx: Tx, decision: SettlementDecision): Promise<void> {
  const { before, after, hold, attempt } = decision
  const event = settlementEvent(decision.event, decision.event_state ?? after)
  await runWhole(tx, moveSettlement(tx, { before, after }), 1)
  if (hold !== undefined) await runWhole(tx, insertHoldEnd(tx, holdOf(before), hold), 1)
  if (attempt !== undefined) await runWhole(tx, insertAttempts(tx, [attempt], ofNobody), 1)
  await runWhole(tx, recordEvents(tx, [event]), 1)
  await recordAct(tx, {
    merchant_id: before.merchant_id,
    environment: before.environment,
    actor: decision.actor,
    action: decision.act,
    target_kind: 'settlement',
    target_id: before.id,
    before: { status: before.status },
    after: { status: after.status, ...decision.more },
  })
}

/** For staff, in the environment that they look at; elsewhere it is not found. */
export async function lockForStaff(
  tx: Tx,
  { environment }: Pick<Person, 'environment'>,
  id: string,
): Promise<Seen> {
  const seen = await lockSeen(tx, { id, environment })
  if (seen === undefined) throw refuse(transportErrors.not_found)
  return seen
}

/** The same where its money is about to leave, by somebody who may still send it. */
export async function lockToLeaveForStaff(
  tx: Tx,
  person: Person,
  { id, writes }: Readonly<{ id: string; writes: boolean }>,
): Promise<Seen> {
  const { environment } = person
  const seen = await lockToLeave(tx, { id, environment }, { writes })
  if (seen === undefined) throw refuse(transportErrors.not_found)
  await requireStaffStillMay(tx, person, 'approvals')
  return seen
}

/**
 * Nothing leaves that staff have stopped: a suspended merchant, a frozen balance (contract 3.5,
 * 5.12). Of one that `lockToLeave` has read: what came before the locks is not the last word. What
 * a bank has paid, as its proof says, has left: it is recorded all the same, as it can be neither
 * failed nor returned before.
 */
export function requireMayLeave({ settlement, is_suspended, is_frozen }: Seen): void {
  if (settlement.proof_key !== '') return
  if (is_suspended) throw refuse(settlementErrors.merchant_suspended)
  if (is_frozen) throw refuse(payoutErrors.balance_frozen)
}

export function requireNotEnded({ status }: Settlement): void {
  if (status === 'SUCCESS' || status === 'FAILED' || status === 'CANCELLED') {
    throw refuse(settlementErrors.transaction_terminal)
  }
}

// A merchant withdraws a settlement that is not approved yet: its hold is released.

export async function cancelSettlement(
  { db, wake }: DecideDeps,
  caller: Caller,
  id: string,
): Promise<Settlement> {
  const own = await getOwnSettlement(db, caller, id)
  const cancelled = await transactInTurn(db, own, async (tx) => {
    const locked = await lockSettlement(tx, own)
    assert(locked !== undefined, 'a settlement does not go away')
    const { settlement: before, now } = locked
    if (before.status !== 'PENDING') throw refuse(settlementErrors.transaction_terminal)
    const after = moved(before, ['CANCELLED'], now)
    await writeDecision(tx, {
      before,
      after,
      event: 'settlement.cancelled',
      hold: { how: 'RELEASE' },
      actor: actorOf(caller),
      act: 'settlement.cancelled',
    })
    return after
  })
  wake()
  return cancelled
}

// Staff have paid a settlement by bank: its hold is spent, and the bank's reference is kept with
// it. Written once, however often it is reported.

export type DecideDeps = Readonly<{
  db: Db
  /** After a commit that wrote an event. */
  wake: () => void
}>

/** A settlement that staff name by its id: an act on it waits for its merchant's turn. */
export const rowOf = ({ environment }: Person, id: string): RowOfAny => ({
  table: 'settlements',
  id,
  environment,
})

export type Execution = Readonly<{
  id: string
  gateway_reference: string
  proof_url: string | undefined
}>

export async function executeSettlement(
  { db, wake }: DecideDeps,
  person: Person,
  execution: Execution,
): Promise<Seen> {
  await transactInTurnOfRow(db, rowOf(person, execution.id), (tx) => execute(tx, person, execution))
  wake()
  return getSeenSettlement(db, person, execution.id)
}

async function execute(
  tx: Tx,
  person: Person,
  { id, gateway_reference, proof_url }: Execution,
): Promise<void> {
  const seen = await lockToLeaveForStaff(tx, person, { id, writes: true })
  const { settlement: before, destination, now } = seen
  if (destination.type !== 'BANK_ACCOUNT') throw refuse(settlementErrors.settlement_not_by_bank)
  requireNotEnded(before)
  if (before.status === 'PENDING') throw refuse(settlementErrors.settlement_not_approved)
  requireMayLeave(seen)
  await requireAnother(tx, person, before)
  const after = moved(before, ['PROCESSING', 'SUCCESS'], now, {
    gateway_reference,
    proof_url: proof_url ?? before.proof_url,
  })
  await writeDecision(tx, {
    before,
    after,
    event: 'settlement.success',
    hold: { how: 'SPEND', on: spentBy(before) },
    actor: actorOfPerson(person),
    act: 'settlement.executed',
    more: { gateway_reference },
  })
}

const approverGone: Text = {
  en:
    'Whoever approved this settlement may not do so any more: their account was switched off, or ' +
    'has lost the right. Somebody must approve it again before another records its payment.',
  fr:
    'La personne qui a approuvé ce règlement n’en a plus le droit : son compte est désactivé ou ' +
    'a changé de rôle. Quelqu’un doit l’approuver à nouveau avant qu’une autre personne ' +
    'enregistre son paiement.',
}

/**
 * Real money: the person who approved it may not pay it too, and is the first of two only as long
 * as they may approve. Sandbox money needs no second person.
 */
async function requireAnother(tx: Tx, person: Person, settlement: Settlement): Promise<void> {
  if (settlement.environment !== 'LIVE') return
  const approver = await findApprover(tx, settlement)
  if (approver === person.person_id) throw refuse(settlementErrors.same_person)
  if ((await findLostApprover(tx, settlement)) !== undefined) {
    throw refuse(proposalErrors.proposer_gone, { message: approverGone })
  }
}

/** Who approved it and may not any more; undefined where nobody needed to. */
export async function findLostApprover(tx: Tx, settlement: Settlement) {
  const approver = await findApprover(tx, settlement)
  if (approver === null || (await mayStill(tx, approver, 'approvals'))) return undefined
  return approver
}

const spentBy = (settlement: Settlement) => ({
  cause_kind: 'SETTLEMENT' as const,
  cause_id: settlement.id,
  attempt_id: null,
  lines: bankSettlementSuccess(placeOf(settlement), figuresOf(settlement)),
})

/**
 * All its operators have taken nothing for want of a float. One that had refused it may have paid
 * it after all: it, or people, say so first.
 */
export const mayBeEnded = async (tx: Tx, { merchant_id, id, waits_until }: Settlement) =>
  waits_until !== null && !(await hasUndecided(tx, { merchant_id, by: 'settlement_id', id }))

// Staff give up a settlement that nobody has been asked to pay: its hold is released. What a
// gateway has ends only by the gateway's own answer, never by ours (money 1); what a bank has paid,
// as its proof says, comes back by two people alone.

const bankHasPaid: Text = {
  en:
    'The bank’s proof of this settlement is on file, so its money has left: record the payment ' +
    'with execute. If the money came back, declare that with return, and a second person confirms.',
  fr:
    'La preuve de la banque est jointe à ce règlement : l’argent est parti. Enregistrez le ' +
    'paiement avec execute. Si l’argent est revenu, déclarez-le avec return, et une seconde ' +
    'personne le confirme.',
}

export async function failSettlement(
  { db, wake }: DecideDeps,
  person: Person,
  { id, reason }: Readonly<{ id: string; reason: string }>,
): Promise<Seen> {
  await transactInTurnOfRow(db, rowOf(person, id), async (tx) => {
    const { settlement: before, now } = await lockForStaff(tx, person, id)
    requireNotEnded(before)
    if (before.proof_key !== '') {
      throw refuse(settlementErrors.settlement_in_flight, { message: bankHasPaid })
    }
    // PROCESSING implies an attempt without a terminal answer, or a wait for a float: either is
    // written together with it.
    if (!isWaiting(before) && !(await mayBeEnded(tx, before))) {
      throw refuse(settlementErrors.settlement_in_flight)
    }
    await writeDecision(tx, {
      before,
      after: moved(before, ['FAILED'], now, { failure_reason: reason }),
      event: 'settlement.failed',
      hold: { how: 'RELEASE' },
      actor: actorOfPerson(person),
      act: 'settlement.failed',
      more: { failure_reason: reason },
    })
  })
  wake()
  return getSeenSettlement(db, person, id)
}
