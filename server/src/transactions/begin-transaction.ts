// What a transaction begins with: the attempt on the first of its routes, and the event that
// announces it.

import type { AttemptPlan } from '../attempts/attempt.ts'
import type { SendDeps } from '../attempts/send-attempt.ts'
import type { NewAttempt } from '../attempts/statements.ts'
import { leaseSeconds } from '../attempts/try-routes.ts'
import type { FeedKey, NewEvent } from '../events/event.ts'
import { firstAskS } from '../gateways/callback-times.ts'
import { eventData } from './event-data.ts'
import type { NewTransaction } from './statements.ts'
import type { Transaction } from './transaction.ts'

export const firstAttempt = (
  deps: SendDeps,
  { merchant_id, environment, id }: Pick<Transaction, 'merchant_id' | 'environment' | 'id'>,
  plan: AttemptPlan,
): NewAttempt => {
  const first_query_s = firstAskS(deps.gateways, plan)
  return {
    merchant_id,
    environment,
    transaction_id: id,
    priority: 1,
    plan,
    lease_s: leaseSeconds(deps, plan.gateway_code),
    ...(first_query_s === undefined ? {} : { first_query_s }),
  }
}

// The event of a transaction that is being made; its data are the row as it is inserted.

/**
 * Gated by the transaction's own id, and found by it: there is one of each, so the index of an
 * event's subject need not have it (migration 0283).
 */
export function createdEvent(row: NewTransaction): NewEvent & FeedKey {
  const inbound = row.transaction_type === 'PAIEMENT' || row.transaction_type === 'RECHARGE'
  return {
    merchant_id: row.merchant_id,
    environment: row.environment,
    gate_id: row.id,
    id: row.id,
    type: 'transaction.created',
    transaction_id: row.id,
    subject_id: null,
    data: eventData({
      flow_direction: inbound ? 'INBOUND' : 'OUTBOUND',
      ...row,
      status: 'PENDING',
      version: 1,
      failure_code: '',
      failure_message: '',
      external_reference: '',
    }),
  }
}
