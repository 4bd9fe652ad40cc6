// The event of a settlement (contract 6.7): the very record that the API shows, as the move leaves
// it.

import type { FeedKey, NewEvent } from '../events/event.ts'
import { newId } from '../platform/ids.ts'
import type { Settlement } from './settlement.ts'
import { type SettlementView, viewSettlement } from './view.ts'

export type SettlementEventType =
  | 'settlement.requested'
  | 'settlement.approved'
  | 'settlement.success'
  | 'settlement.failed'
  | 'settlement.cancelled'
  | 'settlement.returned'

/** Gated by the settlement's own id. */
export const settlementEvent = (
  type: SettlementEventType,
  settlement: Settlement,
): NewEvent & FeedKey => ({
  merchant_id: settlement.merchant_id,
  environment: settlement.environment,
  gate_id: settlement.id,
  id: newId(),
  type,
  transaction_id: null,
  subject_id: settlement.id,
  data: settlementData(viewSettlement(settlement, 'en'), settlement.version),
})

/** `amount` as in every other event: the requested one. */
export const settlementData = (view: SettlementView, version: number) => ({
  ...view,
  amount: view.requested_amount,
  version,
})
