// The data of a `transaction.*` event (contract 6.7), made from the row as it is after the move.

import { formatAmount } from '../money/format.ts'
import type { Transaction } from './transaction.ts'

type EventSource = Pick<
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
  }
}
