// How a transfer between two countries is recorded once it has arrived: a transaction TRANSFERT,
// inserted as SUCCESS, its fee inside the amount (money 3). No network, no gateway, no attempt.

import type { FeedKey, NewEvent } from '../events/event.ts'
import { newId } from '../platform/ids.ts'
import { eventData } from './event-data.ts'
import type { Transaction } from './transaction.ts'

export type Transferred = Pick<
  Transaction,
  | 'merchant_id'
  | 'id'
  | 'environment'
  | 'reference'
  | 'country_code'
  | 'currency'
  | 'description'
  | 'ip_address'
> &
  Readonly<{
    /** What left, and the part of it that is the fee. */
    amount: bigint
    fee: bigint
    request_id: string
    api_key_id: string | null
    member_id: string | null
  }>

/** The whole fee is the platform's: no gateway had a part in it. */
export const figuresOf = ({ amount, fee }: Transferred) => ({
  fee_charge_mode: 'DEDUCTED' as const,
  requested_amount: amount,
  client_fee: fee,
  gateway_fee: 0n,
  platform_fee: fee,
  debited_amount: amount,
  net_amount: amount - fee,
})

/** Gated by the transaction's own id. */
export function transferredEvent(row: Transferred): NewEvent & FeedKey {
  return {
    merchant_id: row.merchant_id,
    environment: row.environment,
    gate_id: row.id,
    id: newId(),
    type: 'transaction.success',
    transaction_id: row.id,
    subject_id: null,
    data: eventData({
      ...figuresOf(row),
      id: row.id,
      reference: row.reference,
      transaction_type: 'TRANSFERT',
      flow_direction: 'OUTBOUND',
      status: 'SUCCESS',
      version: 1,
      currency: row.currency,
      original_amount: null,
      original_currency: null,
      exchange_rate: null,
      country_code: row.country_code,
      network_code: null,
      operation_msisdn: '',
      metadata: {},
      merchant_reference: '',
      checkout_session: null,
      payment_link: null,
      failure_code: '',
      failure_message: '',
      external_reference: '',
    }),
  }
}
