// A transaction as what an attempt is for: payments, top-ups and payouts. An answer is decided by
// the engine in attempts/; what the end of a transaction then writes is here, one statement each.

import { type AnswerReceived, callbackParts, evidenceOf } from '../attempts/answer-received.ts'
import { isOpen } from '../attempts/attempt.ts'
import { endOf } from '../attempts/attempt-end.ts'
import { queryDaily } from '../attempts/attempt-statements.ts'
import type { Ending, Requeueing } from '../attempts/decision.ts'
import type { Cause } from '../attempts/evidence.ts'
import { isOwnLimit } from '../attempts/exposure.ts'
import type { ApplyDeps, Decided, Outcome, Purpose } from '../attempts/purpose.ts'
import { attemptAsDecided, endAttempts } from '../attempts/statements.ts'
import { recordEvents } from '../events/statements.ts'
import type { NewIncident } from '../incidents/incident.ts'
import { openContradiction } from '../incidents/open-contradiction.ts'
import { openUnknown } from '../incidents/open-unknown.ts'
import { payinSuccess } from '../ledger/postings.ts'
import { inTurn } from '../platform/batch-calls.ts'
import type { Db } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, type Gate, type OptionalGate, type Part, selectIds } from '../platform/sql.ts'
import { closeUnended } from './close-unended.ts'
import { confirmPayment } from './confirm-payment.ts'
import { incidentEventsFor } from './incident-event.ts'
import { eventOf, moveOf } from './move.ts'
import {
  type DecisionLocks,
  failPaidByAnother,
  isPaidByAnother,
  moveWithSession,
  type WithSession,
  withSession,
} from './move-with-session.ts'
import { endPayoutHold } from './payout-hold.ts'
import { closePayout } from './resolutions/close-payout.ts'
import { giveBack } from './returns/return-payout.ts'
import { markFound } from './returns/statements.ts'
import { type Move, moveStatus, noteReferences, transactionAsDecided } from './statements.ts'
import {
  findTransactionContext,
  listTransactionContexts,
  type TransactionContext,
} from './store.ts'
import { insertWaitAgain } from './wait-statements.ts'

export const transactionPurpose: Purpose<WithSession> = {
  owns: ({ transaction_id }) => transaction_id !== null,
  find: async (db, key) => {
    const context = await findTransactionContext(db, key)
    return context && withSession(db, context)
  },
  findIn: async (tx, key) => (await listTransactionContexts(tx, [key]))[0],
  stateOf: ({ transaction, attempt, session }) => ({
    status: transaction.status,
    // What its people want back is not sent again.
    may_wait: transaction.flow_direction === 'OUTBOUND' && !attempt.is_wanted_back,
    ...(isPaidBy(transaction, attempt)
      ? { return_state: transaction.return_state }
      : { unpaid_by_this: true }),
    ...(session === undefined ? {} : { paid_by_another: isPaidByAnother(transaction, session) }),
  }),
  textsOf: ({ transaction }) => transaction,
  end: moveBoth,
  requeue: waitAgain,
  giveBack,
  contradict: async (deps, context, { decision, received }) => {
    const eventsOf = await incidentEventsFor(deps.db, context)
    const { attempt } = context
    const found = () => foundBack(deps.db, context)
    const others = (incident: Pick<NewIncident, 'id' | 'type'>) =>
      failPaidByAnother(deps.db, incident, context)
    const extraParts = decision.type === 'RETURNED' ? found : others
    return openContradiction(deps, received, { attempt, eventsOf, extraParts }, decision)
  },
  noteReference: (sql, { attempt: { merchant_id }, transaction }, external_reference) => {
    const { id, version } = transaction
    return noteReferences(sql, [{ merchant_id, id, version, external_reference }])
  },
  giveUp,
  closeByStaff: closePayout,
}

/** Not where it had failed, or another attempt had paid it, and this one was paid all the same. */
const isPaidBy = (
  { status, settled_attempt }: WithSession['transaction'],
  { id }: WithSession['attempt'],
): boolean => status === 'SUCCESS' && settled_attempt === id

/** Its operator says first that a payout came back: nobody can ask for it any more. */
function foundBack(db: Db, { transaction: { id }, attempt: { merchant_id } }: WithSession) {
  const found = markFound(db, { merchant_id, id })
  return { before: [found], when: found, after: () => [], events: [] }
}

/**
 * A payin becomes FAILED with an incident and is queried about once a day; a payout stays as it is
 * until two people close it.
 */
async function giveUp(deps: ApplyDeps, context: WithSession, cause: Cause): Promise<void> {
  const { attempt, transaction } = context
  const mayClose =
    transaction.status === 'PENDING' &&
    transaction.flow_direction === 'INBOUND' &&
    isOpen(attempt.status)
  if (mayClose) {
    await closeUnended(deps, context, {
      failure_code: 'UNKNOWN',
      reason: 'the asking time is over and the gateway has not ended it',
      triggered_by: cause.triggered_by,
      request_id: cause.request_id,
      ask_after_s: 24 * 3600,
      // What people have booked for it is known.
      incident: attempt.booked_by === null,
    })
    return
  }
  await openUnknown(deps, {
    attempt,
    purpose: transaction,
    eventsOf: await incidentEventsFor(deps.db, context),
  })
  await queryDaily(deps.db, attempt)
}

/** The move of the transaction and the end of its attempt, as rows. */
function moveAndEnd(
  { attempt, transaction }: TransactionContext,
  decision: Ending,
  received: AnswerReceived,
) {
  const paid = decision.is === 'confirm'
  const failure_code = paid ? '' : decision.failure_code
  const abandoned = !paid && decision.abandoned === true
  const refused = abandoned
    ? 'abandoned: nobody was given its page'
    : `gateway refused: ${failure_code}`
  const move = moveOf(transaction, attempt, {
    to_status: paid ? 'SUCCESS' : 'FAILED',
    external_reference: decision.external_reference || attempt.external_reference,
    failure_code,
    reason: paid ? 'gateway confirmed' : refused,
    triggered_by: received.triggered_by,
    evidence: evidenceOf(received),
    request_id: received.request_id,
  })
  const end = endOf(attempt, {
    gate_id: transaction.id,
    status: paid ? 'SUCCESS' : 'FAILED',
    gateway_ended: !abandoned,
    external_reference: decision.external_reference,
    operator_reference: paid ? (decision.operator_reference ?? null) : null,
    failure_code,
    gateway_detail: paid ? '' : decision.detail,
    ask_after_s: decision.ask_again_after_s ?? null,
  })
  return { paid, abandoned, move, end }
}

async function moveBoth(
  { db, wake }: ApplyDeps,
  context: WithSession,
  { decision, received }: Decided<Ending>,
): Promise<Outcome> {
  const { attempt, transaction, session } = context
  const { paid, abandoned, move, end } = moveAndEnd(context, decision, received)
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
    const moving = {
      move,
      end,
      event,
      posting,
      asDecided: asDecidedAfter(db, received, { ...context, unshown: abandoned }),
    }
    if (!(await moveWithSession(db, received, { ...context, session }, moving))) return 'stale'
    wake()
    return 'moved'
  }
  const moved = paid
    ? await confirmPayment(db, {
        move,
        end,
        posting: successPosting(context),
        event,
        callback: callback && { gate_id: transaction.id, ...callback },
      })
    : await moveUnderLock(
        db,
        received,
        { ...context, unshown: abandoned },
        {
          move,
          partsOf: (gate) => [endAttempts(db, [end], gate), recordEvents(db, [event], gate)],
        },
      )
  if (!moved) return 'stale'
  wake(paid ? event : undefined)
  return 'moved'
}

/**
 * One statement: the attempt ends and the payout waits, its hold as it was; nothing of it where the
 * payout or the attempt has moved meanwhile. No status changes, so there is no event.
 */
async function waitAgain(
  { db }: ApplyDeps,
  context: WithSession,
  { decision, received }: Decided<Requeueing>,
): Promise<Outcome> {
  const { attempt, transaction } = context
  const { merchant_id, environment } = attempt
  const transaction_id = transaction.id
  const end = endOf(attempt, {
    gate_id: attempt.id,
    status: 'FAILED',
    gateway_ended: true,
    external_reference: decision.external_reference,
    failure_code: decision.failure_code,
    gateway_detail: decision.detail,
    ask_after_s: null,
  })
  // A request that came since counts: what is wanted back is not sent again.
  const { unmoved, same } = asDecided(db, received, { ...context, unwanted: true })
  const ended = endAttempts(db, [end], { when: same })
  const reason = isOwnLimit(decision.detail) ? 'NO_ROUTE' : 'GATEWAY_FLOAT'
  const wait = { merchant_id, environment, transaction_id, reason } as const
  const waits = insertWaitAgain(db, wait, { when: ended })
  const kept = callbackParts(db, received, attempt.id, { when: ended })
  const parts = [unmoved, same, ended, waits, ...kept]
  const rows = await inTurn(db, attempt, () =>
    composed(homeOf(db, merchant_id), parts, selectIds(db, waits)),
  )
  return rows.length > 0 ? 'moved' : 'stale'
}

/** What belongs to a move, given the gate that the move is. */
type UnderLock = Readonly<{ move: Move; partsOf: (moved: Gate) => readonly Part<never>[] }>

/**
 * `unshown`: the page's address must have been given to nobody still. `unwanted`: its people must
 * not have asked for it back.
 */
type AsRead = TransactionContext & Readonly<{ unshown?: boolean; unwanted?: boolean }>

/** The parts of a move, in one statement, while everything is as it was when decided. */
async function moveUnderLock(
  db: Db,
  received: AnswerReceived,
  context: AsRead,
  { move, partsOf }: UnderLock,
): Promise<boolean> {
  const locks = asDecided(db, received, context)
  const moved = moveStatus(db, [move], { when: locks.same })
  const kept = callbackParts(db, received, context.transaction.id, { when: moved })
  const parts = [locks.unmoved, locks.same, moved, ...partsOf({ when: moved }), ...kept]
  const rows = await inTurn(db, context.attempt, () =>
    composed(homeOf(db, context.attempt.merchant_id), parts, selectIds(db, moved)),
  )
  return rows.length > 0
}

/**
 * A refusal ends the payment only while its attempt is the one under way: starting the next route
 * does not change the version. A success pays whatever is under way.
 */
const asDecided = (db: Db, received: AnswerReceived, context: AsRead): DecisionLocks =>
  asDecidedAfter(db, received, context)({})

/** The same, after the relation `when` has locked what is locked before a transaction. */
const asDecidedAfter =
  (
    db: Db,
    received: AnswerReceived,
    { attempt, transaction: { id, version }, unshown = false, unwanted = false }: AsRead,
  ) =>
  ({ when }: OptionalGate): DecisionLocks => {
    const { merchant_id } = attempt
    const unmoved = transactionAsDecided(db, { merchant_id, id, version }, { when })
    // A later query knows better than an old refusal, but no better than an old success.
    const untaken = received.answer.is !== 'confirmed' && attempt.acknowledged_at === null
    const under_lease = expectedLease(received)
    const as_read = { ...attempt, under_lease, unshown, unwanted, untaken }
    return { unmoved, same: attemptAsDecided(db, as_read, { when: unmoved }) }
  }

const expectedLease = ({ answer, under_lease }: AnswerReceived) =>
  answer.is === 'confirmed' ? undefined : under_lease

function successPosting({ attempt, transaction }: TransactionContext) {
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
