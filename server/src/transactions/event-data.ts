// The data of a `transaction.*` event (contract 6.7), made from the row as it is after the move.

import type { FeedKey, NewEvent } from '../events/event.ts'
import { formatAmount, formatRate } from '../money/format.ts'
import { newId } from '../platform/ids.ts'
import type { Transaction } from './transaction.ts'
import { type Refundable, viewRefunded, viewReturned } from './view.ts'

/** What every event about a transaction shows of it. */
export type EventSource = Pick<
  Transaction,
  | 'id'
  | 'reference'
  | 'transaction_type'
  | 'flow_direction'
  | 'status'
  | 'version'
  | 'requested_amount'
  | 'client_fee'
  | 'debited_amount'
  | 'net_amount'
  | 'fee_charge_mode'
  | 'currency'
  | 'original_amount'
  | 'original_currency'
  | 'exchange_rate'
  | 'country_code'
  | 'network_code'
  | 'operation_msisdn'
  | 'metadata'
  | 'merchant_reference'
  | 'checkout_session'
  | 'payment_link'
  | 'failure_code'
  | 'failure_message'
  | 'external_reference'
>

/** What a payment's payer was given back in all, after a change of it; gated by `gate_id`. */
export const refundedEvent = (
  payment: Transaction,
  refund: string | null,
  gate_id = payment.id,
): NewEvent & FeedKey => ({
  merchant_id: payment.merchant_id,
  environment: payment.environment,
  gate_id,
  id: newId(),
  type: 'transaction.refunded',
  transaction_id: payment.id,
  subject_id: null,
  data: refundedData(payment, refund),
})

/** Of `transaction.refunded`: with what was given back in all, and by which refund. */
export const refundedData = (source: EventSource & Refundable, refund: string | null): object => ({
  ...eventData(source),
  ...viewRefunded(source),
  refund,
})

/** The money of a payout came back; its status stays. */
export const returnedEvent = (
  payout: Transaction,
  { amount, returned_at }: Readonly<{ amount: bigint; returned_at: Date }>,
): NewEvent & FeedKey => ({
  merchant_id: payout.merchant_id,
  environment: payout.environment,
  gate_id: payout.id,
  id: newId(),
  type: 'transaction.returned',
  transaction_id: payout.id,
  subject_id: null,
  data: returnedData({
    ...payout,
    version: payout.version + 1,
    returned_at,
    returned_amount: amount,
  }),
})

/** Of `transaction.returned`: with what is available again. */
export const returnedData = (
  source: EventSource & Pick<Transaction, 'returned_at' | 'returned_amount'>,
): object => ({ ...eventData(source), ...viewReturned(source) })

export function eventData(source: EventSource): object {
  return {
    id: source.id,
    reference: source.reference,
    type: source.transaction_type,
    flow_direction: source.flow_direction,
    status: source.status,
    amount: formatAmount(source.requested_amount),
    fee: formatAmount(source.client_fee),
    charged: formatAmount(source.debited_amount),
    net_amount: formatAmount(source.net_amount),
    fee_charge_mode: source.fee_charge_mode,
    currency: source.currency,
    country: source.country_code,
    network: source.network_code,
    msisdn: source.operation_msisdn,
    metadata: source.metadata,
    merchant_reference: source.merchant_reference,
    checkout_session: source.checkout_session,
    payment_link: source.payment_link,
    failure_code: source.failure_code,
    failure_message: source.failure_message,
    external_reference: source.external_reference,
    version: source.version,
    ...converted(source),
  }
}

/** What was asked for, where it was asked for in another currency: most events need not say it. */
const converted = ({
  original_amount,
  original_currency,
  exchange_rate,
}: Pick<EventSource, 'original_amount' | 'original_currency' | 'exchange_rate'>): object =>
  original_amount === null || exchange_rate === null
    ? {}
    : {
        original_amount: formatAmount(original_amount),
        original_currency,
        exchange_rate: formatRate(exchange_rate),
      }
