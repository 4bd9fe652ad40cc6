// What a `transaction.*` event says (decisions 6.7): made of the row as it stands after the move.

import { formatAmount } from '../money/format.ts'
import type { Transaction } from './transaction.ts'

type Told = Pick<
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

export function eventData(told: Told): object {
  return {
    id: told.id,
    reference: told.reference,
    type: told.transaction_type,
    flow_direction: told.flow_direction,
    status: told.status,
    amount: formatAmount(told.requested_amount),
    fee: formatAmount(told.client_fee),
    charged: formatAmount(told.debited_amount),
    net_amount: formatAmount(told.net_amount),
    fee_charge_mode: told.fee_charge_mode,
    currency: told.currency,
    country: told.country_code,
    network: told.network_code,
    msisdn: told.operation_msisdn,
    metadata: told.metadata,
    merchant_reference: told.merchant_reference,
    checkout_session: told.checkout_session,
    payment_link: told.payment_link,
    failure_code: told.failure_code,
    failure_message: told.failure_message,
    external_reference: told.external_reference,
    version: told.version,
  }
}
