// A payment of a checkout session: session and link move in the statement that moves the
// transaction (money 4), under their locks, which are taken first. Payments without a session are
// not concerned.

import { type AnswerReceived, callbackParts } from '../attempts/answer-received.ts'
import type { AttemptEnd } from '../attempts/statements.ts'
import { endAttempts } from '../attempts/statements.ts'
import type { FeedKey, NewEvent } from '../events/event.ts'
import { recordEvents } from '../events/statements.ts'
import type { NewIncident } from '../incidents/incident.ts'
import type { ExtraParts } from '../incidents/open-contradiction.ts'
import { type Posting, postEntries } from '../ledger/statements.ts'
import { findNow, findSession } from '../orders/order-statements.ts'
import type { Session } from '../orders/session.ts'
import { sessionEvent } from '../orders/session-event.ts'
import {
  freeTarget,
  lockTarget,
  payTarget,
  type TargetIds,
  targetOf,
} from '../orders/statements.ts'
import { inTurn } from '../platform/batch-calls.ts'
import type { Db } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, type Gate, type Part, selectIds } from '../platform/sql.ts'
import { eventOf, moveOf } from './move.ts'
import { type Move, moveStatus, transactionAsDecided } from './statements.ts'
import type { TransactionContext, TransactionSnapshot } from './store.ts'

/** The session as it was when the transaction was read, and the database's time then. */
export type SessionSeen = Readonly<{ row: Session; now: Date }>

export type WithSession = TransactionContext & Readonly<{ session?: SessionSeen }>

export async function withSession(db: Db, context: TransactionContext): Promise<WithSession> {
  const target = targetIn(context)
  if (target === undefined) return context
  const { merchant_id, checkout_session: id } = target
  const [row, now] = await Promise.all([findSession(db, { merchant_id, id }), findNow(db)])
  assert(row !== undefined, `session ${id} is gone`)
  return { ...context, session: { row, now } }
}

const targetIn = ({ attempt, transaction }: TransactionContext): TargetIds | undefined =>
  targetOf({ ...transaction, merchant_id: attempt.merchant_id })

/** A success for a session already paid by another is a second capture (money 2). */
export const isPaidByAnother = (
  { id }: Pick<TransactionSnapshot, 'id'>,
  { row }: SessionSeen,
): boolean => row.paid_by !== null && row.paid_by !== id

export type SessionMove = Readonly<{
  move: Move
  end: AttemptEnd
  event: NewEvent & FeedKey
  /** The posting of a success; a failure books nothing. */
  posting: Posting | undefined
  /** Locks transaction and attempt as they were when decided, after the relation it is given. */
  asDecided: (locked: Gate) => DecisionLocks
}>

/** The transaction, and then its attempt, as they were when decided. */
export type DecisionLocks = Readonly<{ unmoved: Part; same: Part }>

/** False when one of them is no longer as it was when decided. */
export async function moveWithSession(
  db: Db,
  received: AnswerReceived,
  context: TransactionContext & Readonly<{ session: SessionSeen }>,
  moving: SessionMove,
): Promise<boolean> {
  const target = targetIn(context)
  assert(target !== undefined, 'a payment of a session')
  const { moved, all } =
    moving.posting === undefined
      ? freeParts(db, target, moving)
      : payParts(db, target, { ...moving, posting: moving.posting, context })
  const parts = [...all, ...callbackParts(db, received, context.transaction.id, { when: moved })]
  const rows = await inTurn(db, context.attempt, () =>
    composed(homeOf(db, context.attempt.merchant_id), parts, selectIds(db, moved)),
  )
  return rows.length > 0
}

/** The move, and all parts of its statement in their order. */
type MoveParts = Readonly<{ moved: Part; all: readonly Part<never>[] }>

function freeParts(
  db: Db,
  target: TargetIds,
  { move, end, event, asDecided }: SessionMove,
): MoveParts {
  const locked = lockTarget(db, target)
  const { unmoved, same } = asDecided({ when: locked })
  const moved = moveStatus(db, [move], { when: same })
  const gate = { when: moved }
  const ended = endAttempts(db, [end], gate)
  const freed = freeTarget(db, target, gate)
  return {
    moved,
    all: [locked, unmoved, same, moved, ended, freed, recordEvents(db, [event], gate)],
  }
}

type PaidMove = Pick<SessionMove, 'move' | 'end' | 'event'> &
  Readonly<{ posting: Posting; context: TransactionContext & Readonly<{ session: SessionSeen }> }>

function payParts(
  db: Db,
  target: TargetIds,
  { move, end, event, posting, context }: PaidMove,
): MoveParts {
  const { session } = context
  const after = paidBy(target.transaction_id, session)
  const had_slot = context.transaction.status === 'PENDING'
  const locked = lockTarget(db, target, { version: session.row.version })
  const moved = moveStatus(db, [move], { when: locked })
  const gate = { when: moved }
  const paid = sessionEvent('checkout_session.paid', after, { gate_id: target.transaction_id })
  const all = [
    locked,
    moved,
    endAttempts(db, [end], gate),
    postEntries(db, [posting], gate),
    payTarget(db, target, { after, had_slot }, gate),
    recordEvents(db, [event, paid], gate),
  ]
  return { moved, all }
}

/** From any state: a success after expiry or cancellation still pays it (contract 6.1). */
function paidBy(transaction_id: string, { row, now }: SessionSeen): Session {
  const isThis = row.pending_payment === transaction_id
  return {
    ...row,
    status: 'PAID',
    version: row.version + 1,
    transaction_id,
    paid_by: transaction_id,
    pending_payment: isThis ? null : row.pending_payment,
    paid_at: now,
    updated_at: now,
  }
}

/**
 * When another payment has meanwhile paid the session of a payment under way, that payment ends
 * with an incident at its own success: what was paid twice waits in suspense, and nothing stays
 * PENDING for ever.
 */
export function failPaidByAnother(
  db: Db,
  incident: Pick<NewIncident, 'id' | 'type'>,
  context: WithSession,
): ExtraParts | undefined {
  const { attempt, transaction, session } = context
  const target = targetIn(context)
  if (target === undefined || session === undefined) return undefined
  if (incident.type !== 'DUPLICATE_CAPTURE' || transaction.status !== 'PENDING') return undefined
  // It was paid more than once itself: what is left of that is confirmed next.
  if (!isPaidByAnother(transaction, session)) return undefined
  const move = moveOf(transaction, attempt, {
    to_status: 'FAILED',
    external_reference: attempt.external_reference,
    failure_code: 'UNKNOWN',
    reason: 'another payment has paid the session',
    triggered_by: 'SYSTEM',
    evidence: { kind: 'RULE', id: null, hash: null, said: 'the session was paid already' },
    request_id: '',
  })
  const locked = lockTarget(db, target)
  const { id, version } = transaction
  const key = { merchant_id: attempt.merchant_id, id, version }
  const unmoved = transactionAsDecided(db, key, { when: locked })
  return {
    before: [locked, unmoved],
    when: unmoved,
    after: (opened) => {
      const moved = moveStatus(db, [move], opened)
      return [moved, freeTarget(db, target, { when: moved })]
    },
    events: [{ ...eventOf(transaction, attempt, move), gate_id: incident.id }],
  }
}
