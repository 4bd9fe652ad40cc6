// The event of an incident: the transaction in its current state, and what contradicts it.

import { newId } from '../platform/ids.ts'
import { eventData } from './event-data.ts'
import { adoptedFrom } from './move.ts'
import type { TransactionContext } from './store.ts'

type OpenedIncident = Readonly<{ id: string; type: string }>
/** Where the same statement fails the transaction. */
type Failure = Readonly<{ failure_code: string; failure_message: string }>

const noFailure: Failure = { failure_code: '', failure_message: '' }

/** `gate_id`: the id, in the gate relation of the statement, that lets the event through. */
export function incidentEvent(
  gate_id: string,
  incident: OpenedIncident,
  { attempt, transaction }: TransactionContext,
  { failure_code, failure_message }: Failure = noFailure,
) {
  return {
    merchant_id: attempt.merchant_id,
    environment: attempt.environment,
    gate_id,
    id: newId(),
    type: 'transaction.incident' as const,
    transaction_id: transaction.id,
    subject_id: incident.id,
    data: {
      ...eventData({
        ...transaction,
        ...adoptedFrom(attempt),
        fee_charge_mode: attempt.fee_charge_mode,
        currency: attempt.currency,
        country_code: attempt.country_code,
        failure_code,
        failure_message,
        external_reference: attempt.external_reference,
      }),
      incident: { id: incident.id, type: incident.type, status: 'OPEN' },
    },
  }
}
