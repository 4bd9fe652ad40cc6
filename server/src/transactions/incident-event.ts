// The event of an incident: the transaction in its current state, and what contradicts it.

import type { FeedKey, NewEvent } from '../events/event.ts'
import type { Db } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { type EventSource, eventData } from './event-data.ts'
import { findTransaction, type TransactionContext } from './store.ts'

type OpenedIncident = Readonly<{ id: string; type: string }>

/**
 * `gate_id`: the id, in the gate relation of the statement, that lets the event through.
 * `transaction`: as it is, or as the same statement leaves it; its figures need not be those of the
 * attempt that the incident is about.
 */
export const incidentEvent = (
  gate_id: string,
  incident: OpenedIncident,
  transaction: EventSource & FeedKey,
): NewEvent & FeedKey => ({
  merchant_id: transaction.merchant_id,
  environment: transaction.environment,
  gate_id,
  id: newId(),
  type: 'transaction.incident',
  transaction_id: transaction.id,
  subject_id: incident.id,
  data: {
    ...eventData(transaction),
    incident: { id: incident.id, type: incident.type, status: 'OPEN' },
  },
})

/**
 * The events of an incident beside which its transaction stays as it is. It is read for them: what
 * an attempt is decided from has none of its figures.
 */
export async function incidentEventsFor(
  db: Db,
  { attempt: { merchant_id }, transaction: { id } }: TransactionContext,
): Promise<(incident: OpenedIncident) => readonly (NewEvent & FeedKey)[]> {
  const transaction = await findTransaction(db, { merchant_id, id })
  assert(transaction !== undefined, 'a transaction does not go away')
  return (incident) => [incidentEvent(incident.id, incident, transaction)]
}
