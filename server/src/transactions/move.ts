// Assembles a decided move: the row's new figures, the log with its evidence, the event.

import type { Attempt } from '../attempts/attempt.ts'
import type { Evidence, TriggeredBy } from '../attempts/evidence.ts'
import { failureText } from '../attempts/failure-texts.ts'
import { valuesOf } from '../platform/columns.ts'
import { assert } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { adoptedRow } from './columns.ts'
import { type EventSource, eventData } from './event-data.ts'
import type { AdoptedFigures, Move } from './statements.ts'
import { statesOf, type TransactionStatus } from './states.ts'
import type { TransactionSnapshot } from './store.ts'

/** The figures that a transaction shows while, or because, this attempt is the one that counts. */
export function adoptedFrom(
  attempt: Omit<AdoptedFigures, 'current_gateway'> & { gateway_id: string },
): AdoptedFigures {
  return valuesOf(adoptedRow, { current_gateway: attempt.gateway_id, ...attempt })
}

export type MoveFacts = Readonly<{
  to_status: TransactionStatus
  external_reference: string
  failure_code: string
  reason: string
  triggered_by: TriggeredBy
  evidence: Evidence
  request_id: string
}>

/** The move of `transaction` because of `attempt`, whose figures it takes over. */
export function moveOf(transaction: TransactionSnapshot, attempt: Attempt, facts: MoveFacts): Move {
  assert(
    statesOf[transaction.transaction_type].allows(transaction.status, facts.to_status),
    `${transaction.transaction_type} ${transaction.status} to ${facts.to_status}`,
  )
  return {
    id: transaction.id,
    ...adoptedFrom(attempt),
    merchant_id: attempt.merchant_id,
    environment: attempt.environment,
    transaction_type: transaction.transaction_type,
    from_status: transaction.status,
    version: transaction.version,
    to_status: facts.to_status,
    settled_attempt: facts.to_status === 'SUCCESS' ? attempt.id : null,
    external_reference: facts.external_reference,
    failure_code: facts.failure_code,
    failure_message: failureText(facts.failure_code, 'en'),
    log_id: newId(),
    reason: facts.reason,
    triggered_by: facts.triggered_by,
    actor_id: null,
    attempt_id: attempt.id,
    evidence_kind: facts.evidence.kind,
    evidence_id: facts.evidence.id,
    evidence_hash: facts.evidence.hash?.toString('base64') ?? null,
    evidence_said: facts.evidence.said,
    request_id: facts.request_id,
  }
}

/** The event of a move; its data are the row as the move leaves it. */
export function eventOf(transaction: TransactionSnapshot, attempt: Attempt, move: Move) {
  const type = {
    SUCCESS: 'transaction.success',
    FAILED: 'transaction.failed',
    CANCELLED: 'transaction.cancelled',
    PENDING: 'transaction.created',
  } as const
  return {
    merchant_id: attempt.merchant_id,
    environment: attempt.environment,
    gate_id: transaction.id,
    id: newId(),
    type: type[move.to_status],
    transaction_id: transaction.id,
    subject_id: null,
    data: eventData(asMoved(transaction, attempt, move)),
  }
}

/** What an event shows of the row as the move leaves it. */
export const asMoved = (
  transaction: TransactionSnapshot,
  attempt: Attempt,
  move: Move,
): EventSource =>
  // Not by spreading (0154): no name of these is surely absent in the row.
  Object.assign({}, transaction, adoptedFrom(attempt), {
    fee_charge_mode: attempt.fee_charge_mode,
    currency: attempt.currency,
    country_code: attempt.country_code,
    status: move.to_status,
    version: transaction.version + 1,
    failure_code: move.failure_code,
    failure_message: move.failure_message,
    external_reference: move.external_reference,
  })
