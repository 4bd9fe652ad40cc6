// The event of a transaction that is being made; its data are the row as it is inserted.

import type { FeedKey, NewEvent } from '../events/event.ts'
import { newId } from '../platform/ids.ts'
import { eventData } from './event-data.ts'
import type { NewTransaction } from './statements.ts'

/** Gated by the transaction's own id. */
export function createdEvent(row: NewTransaction): NewEvent & FeedKey {
  const inbound = row.transaction_type === 'PAIEMENT' || row.transaction_type === 'RECHARGE'
  return {
    merchant_id: row.merchant_id,
    environment: row.environment,
    gate_id: row.id,
    id: newId(),
    type: 'transaction.created',
    transaction_id: row.id,
    subject_id: null,
    data: eventData({
      ...row,
      flow_direction: inbound ? 'INBOUND' : 'OUTBOUND',
      status: 'PENDING',
      version: 1,
      failure_code: '',
      failure_message: '',
      external_reference: '',
    }),
  }
}
