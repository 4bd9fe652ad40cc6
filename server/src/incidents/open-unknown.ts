// The incident of an attempt whose outcome never became known: it books nothing, because nothing is
// known, and people are notified of it once.

import { type Attempt, isOpen } from '../attempts/attempt.ts'
import type { PurposeState } from '../attempts/decision.ts'
import type { FeedKey, NewEvent } from '../events/event.ts'
import { recordEvents } from '../events/statements.ts'
import { type Db, retryOnDeadlock } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, selectIds } from '../platform/sql.ts'
import type { NewIncident } from './incident.ts'
import { openIncident } from './statements.ts'

export type UnknownOutcome = Readonly<{
  attempt: Attempt
  purpose: PurposeState
  /** The events for the merchant, if any. */
  eventsOf: (incident: NewIncident) => readonly (NewEvent & FeedKey)[]
  /** For a refund: the payment that it gives back. */
  payment_id?: string
}>

/** A payout is never closed for want of an answer: staff are notified once, and queries go on. */
export async function openUnknown(
  { db, wake }: { db: Db; wake: () => void },
  { attempt, purpose, eventsOf, payment_id }: UnknownOutcome,
): Promise<void> {
  if (!leavesUnknown(attempt, purpose)) return
  const incident = unknownOutcome(attempt, payment_id)
  const opened = openIncident(db, incident)
  const parts = [opened, recordEvents(db, eventsOf(incident), { when: opened })]
  const rows = await retryOnDeadlock(() =>
    composed(homeOf(db, attempt.merchant_id), parts, selectIds(db, opened)),
  )
  if (rows.length > 0) wake()
}

/**
 * What became of the attempt matters to people: its purpose waits for it, or has succeeded by
 * another attempt, so that this one may have moved the money a second time.
 */
const leavesUnknown = (attempt: Attempt, { status }: PurposeState): boolean =>
  status === 'PENDING' ||
  (status === 'SUCCESS' && isOpen(attempt.status) && attempt.booked_by === null)

/** An incident that books nothing: what became of the attempt is not known. */
export function unknownOutcome(attempt: Attempt, payment_id?: string) {
  return {
    merchant_id: attempt.merchant_id,
    environment: attempt.environment,
    id: newId(),
    type: 'OUTCOME_UNKNOWN' as const,
    attempt_id: attempt.id,
    transaction_id: payment_id ?? attempt.transaction_id,
    settlement_id: attempt.settlement_id,
    refund_id: attempt.refund_id,
    callback_id: null,
    gateway_id: attempt.gateway_id,
    country: attempt.country_code,
    currency: attempt.currency,
    amount: 0n,
    suspense_side: null,
    detail: {
      external_reference: attempt.external_reference,
      // Its operator had ended it, and was asked about what contradicts that, in vain.
      ...(isOpen(attempt.status) ? {} : { after_its_end: true }),
    },
  }
}
