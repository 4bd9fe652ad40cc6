// Applies an answer: decide, then one statement that moves status, log, attempt, entries, balance
// and event together, or nothing. If the transaction moved meanwhile the statement finds no row,
// and the decision is made again from the current state. No answer is ever applied twice.

import type { Attempt, AttemptKeyOf } from '../attempts/attempt.ts'
import { wakeAttempt } from '../attempts/attempt-record.ts'
import { attemptAsDecided, endAttempts } from '../attempts/statements.ts'
import type { FeedKey, NewEvent } from '../events/event.ts'
import { recordEvents } from '../events/statements.ts'
import type { NewIncident } from '../incidents/incident.ts'
import { payinSuccess } from '../ledger/postings.ts'
import { type Db, retryOnDeadlock } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { inTurn } from '../platform/in-turn.ts'
import { composed, type Gate, type OptionalGate, type Part, selectIds } from '../platform/sql.ts'
import {
  type AnswerReceived,
  callbackParts,
  evidenceOf,
  storableAnswer,
} from './answer-received.ts'
import { confirmPayment } from './confirm-payment.ts'
import { type Decision, decide, type Facts } from './decide.ts'
import { incidentEvent } from './incident-event.ts'
import { endOf, eventOf, moveOf } from './move.ts'
import { type ExtraParts, openContradiction } from './open-contradiction.ts'
import {
  type DecisionLocks,
  failPaidByAnother,
  isPaidByAnother,
  moveOrdered,
  type WithSession,
  withSession,
} from './ordered.ts'
import { endPayoutHold } from './payout-hold.ts'
import { type Move, moveStatus, transactionAsDecided } from './statements.ts'
import { type AttemptContext, findAttemptContext } from './store.ts'

export type ApplyDeps = Readonly<{
  db: Db
  /** Wakes the sequencer of this process, because an event was written. */
  wake: () => void
}>

/** An attempt with its transaction or settlement, as one snapshot saw them. */
export type WithAttempt = Readonly<{ attempt: Attempt }>

export type Applied<H extends WithAttempt = AttemptContext> = Readonly<{
  decision: Decision
  /** The state that was decided from; `moved` says whether the decision then changed it. */
  context: H
  moved: boolean
}>

/** `stale`: it was moved first by another, so the decision is made again. */
export type Outcome = 'moved' | 'nothing' | 'stale'

export type Ending = Extract<Decision, { is: 'confirm' | 'fail' }>

/**
 * What attempts belong to: transactions here, settlements in a later folder. An answer is decided
 * in the same way for both; what a move then writes is the owner's.
 */
export type AttemptOwner<H extends WithAttempt> = Readonly<{
  find(db: Db, key: AttemptKeyOf): Promise<H | undefined>
  /** Its state, in a transaction's words. */
  stateOf(context: H): Facts['transaction']
  /** One statement: the end of both, with everything that belongs to it, or nothing. */
  end(deps: ApplyDeps, received: AnswerReceived, context: H, ending: Ending): Promise<Outcome>
  /** The events of an incident for its merchant, gated by the incident's id. */
  eventsOf(incident: NewIncident, context: H): readonly (NewEvent & FeedKey)[]
  /** What ends with the attempt where an incident is the only outcome. */
  extraParts?(db: Db, incident: NewIncident, context: H): ExtraParts | undefined
}>

export const transactionOwner: AttemptOwner<WithSession> = {
  find: async (db, key) => {
    const context = await findAttemptContext(db, key)
    return context && withSession(db, context)
  },
  stateOf: ({ transaction, session }) =>
    session === undefined
      ? transaction
      : { ...transaction, paid_by_another: isPaidByAnother(transaction, session) },
  end: moveBoth,
  eventsOf: (incident, context) => [incidentEvent(incident.id, incident, context)],
  extraParts: failPaidByAnother,
}

const triesMax = 8

/**
 * Undefined when there is no such attempt. `seen` is its state a moment ago, where the caller has
 * just read it; if it has moved since, it is read again.
 */
export const applyAnswer = (
  deps: ApplyDeps,
  received: AnswerReceived,
  seen?: AttemptContext,
): Promise<Applied | undefined> =>
  // A payment of a checkout session is read again, together with its session.
  applyAnswerFor(
    transactionOwner,
    deps,
    received,
    seen?.transaction.checkout_session === null ? seen : undefined,
  )

/** The same for any owner of attempts. */
export async function applyAnswerFor<H extends WithAttempt>(
  owner: AttemptOwner<H>,
  deps: ApplyDeps,
  raw: AnswerReceived,
  seen?: H,
): Promise<Applied<H> | undefined> {
  const received = { ...raw, answer: storableAnswer(raw.answer) }
  const key = { merchant_id: received.merchant_id, id: received.attempt_id }
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const context = (tries === 1 ? seen : undefined) ?? (await owner.find(deps.db, key))
    if (context === undefined) return undefined
    const decision = decide({
      attempt: asWhenQueried(context.attempt, received),
      transaction: owner.stateOf(context),
      answer: received.answer,
      evidence: { kind: received.evidence_kind },
      gateway: received.gateway,
      otp_in_hand: received.otp_in_hand ?? false,
      send: sendOf(received, context.attempt),
      status_at_query: received.status_at_query,
    })
    const outcome = await carryOut({ owner, deps, received }, context, decision)
    if (outcome !== 'stale') return { decision, context, moved: outcome === 'moved' }
  }
  throw new Error(`attempt ${received.attempt_id} moved under us ${triesMax} times`)
}

function sendOf(received: AnswerReceived, attempt: Attempt): Facts['send'] {
  if (received.evidence_kind !== 'CREATE_ANSWER') return undefined
  if (attempt.lease_no !== received.under_lease) return 'outdated'
  return received.under_lease === 1n ? 'only' : 'again'
}

/** A "not found" counts from the moment of the query: the process may have stood still since. */
function asWhenQueried(
  attempt: Attempt,
  { age_at_query_s, not_found_at_query_s }: AnswerReceived,
): Attempt {
  const grace_age_s = Math.min(attempt.grace_age_s, age_at_query_s ?? attempt.grace_age_s)
  const { not_found_age_s: now_s } = attempt
  // Where the operator retracted it since, or had not said it when this query was made, it now says
  // so for the first time.
  const isStated = now_s !== null && not_found_at_query_s != null
  return { ...attempt, grace_age_s, not_found_age_s: isStated ? not_found_at_query_s : null }
}

type Applying<H extends WithAttempt> = {
  owner: AttemptOwner<H>
  deps: ApplyDeps
  received: AnswerReceived
}

async function carryOut<H extends WithAttempt>(
  { owner, deps, received }: Applying<H>,
  context: H,
  decision: Decision,
): Promise<Outcome> {
  const { attempt } = context
  switch (decision.is) {
    case 'confirm':
    case 'fail':
      return owner.end(deps, received, context, decision)
    case 'end_attempt':
      return endAttemptOnly(deps, received, attempt, decision)
    case 'incident': {
      const eventsOf = (incident: NewIncident) => owner.eventsOf(incident, context)
      const extraParts = (incident: NewIncident) => owner.extraParts?.(deps.db, incident, context)
      return openContradiction(deps, received, { attempt, eventsOf, extraParts }, decision)
    }
    case 'query':
      await wakeAttempt(deps.db, attempt)
      return 'nothing'
    default:
      return 'nothing'
  }
}

async function moveBoth(
  { db, wake }: ApplyDeps,
  received: AnswerReceived,
  context: WithSession,
  decision: Ending,
): Promise<Outcome> {
  const { attempt, transaction, session } = context
  const paid = decision.is === 'confirm'
  const failure_code = paid ? '' : decision.failure_code
  const move = moveOf(transaction, attempt, {
    to_status: paid ? 'SUCCESS' : 'FAILED',
    external_reference: decision.external_reference || attempt.external_reference,
    failure_code,
    reason: paid ? 'gateway confirmed' : `gateway refused: ${failure_code}`,
    triggered_by: received.triggered_by,
    evidence: evidenceOf(received),
    request_id: received.request_id,
  })
  const end = endOf(attempt, {
    gate_id: transaction.id,
    status: paid ? 'SUCCESS' : 'FAILED',
    gateway_ended: true,
    external_reference: decision.external_reference,
    failure_code,
    gateway_detail: paid ? '' : decision.detail,
    ask_after_s: null,
  })
  const event = eventOf(transaction, attempt, move)
  const { callback } = received
  if (transaction.flow_direction === 'OUTBOUND') {
    const partsOf = (gate: Gate) => [
      endAttempts(db, [end], gate),
      ...endPayoutHold(db, context, paid ? 'SPEND' : 'RELEASE', gate),
      recordEvents(db, [event], gate),
    ]
    if (!(await moveUnderLock(db, received, context, { move, partsOf }))) return 'stale'
    wake()
    return 'moved'
  }
  if (session !== undefined) {
    const posting = paid ? successPosting(context) : undefined
    const moving = { move, end, event, posting, asDecided: asDecidedAfter(db, received, context) }
    if (!(await moveOrdered(db, received, { ...context, session }, moving))) return 'stale'
    wake()
    return 'moved'
  }
  const moved = paid
    ? await confirmPayment(db, {
        move,
        end,
        posting: successPosting(context),
        event,
        callback: callback && { ...callback, gate_id: transaction.id },
      })
    : await moveUnderLock(db, received, context, {
        move,
        partsOf: (gate) => [endAttempts(db, [end], gate), recordEvents(db, [event], gate)],
      })
  if (!moved) return 'stale'
  wake()
  return 'moved'
}

/** What belongs to a move, given the gate that the move is. */
type UnderLock = Readonly<{ move: Move; partsOf: (moved: Gate) => readonly Part<never>[] }>

/** The parts of a move, in one statement, while everything is as it was when decided. */
async function moveUnderLock(
  db: Db,
  received: AnswerReceived,
  context: AttemptContext,
  { move, partsOf }: UnderLock,
): Promise<boolean> {
  const locks = asDecided(db, received, context)
  const moved = moveStatus(db, [move], { when: locks.same })
  const kept = callbackParts(db, received, context.transaction.id, { when: moved })
  const parts = [locks.unmoved, locks.same, moved, ...partsOf({ when: moved }), ...kept]
  const rows = await inTurn(db, context.attempt, () => composed(db, parts, selectIds(db, moved)))
  return rows.length > 0
}

/**
 * A refusal ends the payment only while its attempt is the one under way: starting the next route
 * does not change the version. A success pays whatever is under way.
 */
const asDecided = (db: Db, received: AnswerReceived, context: AttemptContext): DecisionLocks =>
  asDecidedAfter(db, received, context)({})

/** The same, after the relation `when` has locked what is locked before a transaction. */
const asDecidedAfter =
  (db: Db, received: AnswerReceived, { attempt, transaction: { id, version } }: AttemptContext) =>
  ({ when }: OptionalGate): DecisionLocks => {
    const { merchant_id } = attempt
    const unmoved = transactionAsDecided(db, { merchant_id, id, version }, { when })
    // A later query knows better than an old refusal, but no better than an old success.
    const as_read = { ...attempt, under_lease: expectedLease(received) }
    return { unmoved, same: attemptAsDecided(db, as_read, { when: unmoved }) }
  }

const expectedLease = ({ answer, under_lease }: AnswerReceived) =>
  answer.is === 'confirmed' ? undefined : under_lease

function successPosting({ attempt, transaction }: AttemptContext) {
  assert(transaction.flow_direction === 'INBOUND', 'payouts settle by their own postings')
  const { merchant_id, environment, country_code: country, currency } = attempt
  return {
    merchant_id,
    environment,
    gate_id: transaction.id,
    cause_kind: 'TRANSACTION' as const,
    cause_id: transaction.id,
    attempt_id: attempt.id,
    lines: payinSuccess(
      { merchant_id, environment, country, currency },
      attempt.gateway_id,
      attempt,
    ),
  }
}

/**
 * The transaction or settlement has ended without this attempt; the attempt's own end is still
 * written.
 */
async function endAttemptOnly(
  { db }: ApplyDeps,
  received: AnswerReceived,
  attempt: Attempt,
  decision: Extract<Decision, { is: 'end_attempt' }>,
): Promise<Outcome> {
  const end = endOf(attempt, {
    gate_id: attempt.id,
    status: 'FAILED',
    gateway_ended: true,
    external_reference: decision.external_reference,
    failure_code: decision.failure_code,
    gateway_detail: decision.detail,
    ask_after_s: null,
  })
  const same = attemptAsDecided(db, attempt)
  const ended = endAttempts(db, [end], { when: same })
  const parts = [same, ended, ...callbackParts(db, received, attempt.id, { when: same })]
  const rows = await retryOnDeadlock(() => composed(db, parts, selectIds(db, ended)))
  return rows.length > 0 ? 'moved' : 'stale'
}
