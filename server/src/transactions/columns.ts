// The columns of `transactions`, said once: what a statement inserts, selects and moves, and the
// type of a row, follow from here. What a caller sees of them is in schema.ts and view.ts.

import type { ReturnState } from '../attempts/decision.ts'
import type { TriggeredBy } from '../attempts/evidence.ts'
import type { FeeChargeMode } from '../money/fee-charge-mode.ts'
import {
  bigint,
  int,
  jsonb,
  omitColumns,
  orNull,
  pickColumns,
  text,
  timestamptz,
  uuid,
} from '../platform/columns.ts'
import type { Environment } from '../platform/http/route.ts'
import type { TransactionStatus, TransactionType } from './states.ts'

/** What a transaction is read with. Amounts in hundredths, `exchange_rate` × 10⁸. */
export const transactionRow = {
  merchant_id: uuid(),
  id: uuid(),
  environment: text<Environment>(),
  reference: text(),
  transaction_type: text<TransactionType>(),
  flow_direction: text<'INBOUND' | 'OUTBOUND'>(),
  status: text<TransactionStatus>(),
  /** 1 at birth, one more with each move of the status. */
  version: int(),
  settled_attempt: orNull(uuid()),
  customer_id: orNull(uuid()),
  customer_email: text(),
  customer_first_name: text(),
  customer_last_name: text(),
  customer_phone: text(),
  operation_msisdn: text(),
  country_id: uuid(),
  country_code: text(),
  network_id: orNull(uuid()),
  network_code: orNull(text<string>()),
  description: text(),
  metadata: jsonb<Readonly<Record<string, unknown>>>(),
  merchant_reference: text(),
  return_url: text(),
  requested_amount: bigint(),
  fee_charge_mode: text<FeeChargeMode>(),
  client_fee: bigint(),
  gateway_fee: bigint(),
  platform_fee: bigint(),
  debited_amount: bigint(),
  net_amount: bigint(),
  currency: text(),
  original_amount: orNull(bigint()),
  original_currency: orNull(text<string>()),
  exchange_rate: orNull(bigint()),
  pricing_rule: orNull(uuid()),
  merchant_pricing_rule: orNull(uuid()),
  current_gateway: orNull(uuid()),
  preferred_gateway: text(),
  external_reference: text(),
  failure_code: text(),
  failure_message: text(),
  /** Given back to the payer, or on its way to them; `refunded_amount` of it has arrived. */
  refund_reserved: bigint(),
  refunded_amount: bigint(),
  /** How far a payout is on its way back; what of it is the merchant's again. */
  return_state: orNull(text<ReturnState>()),
  returned_at: orNull(timestamptz()),
  returned_amount: orNull(bigint()),
  checkout_session: orNull(uuid()),
  payment_link: orNull(uuid()),
  ip_address: text(),
  /** Who called for it; both null where a payer did on a page. */
  api_key_id: orNull(uuid()),
  member_id: orNull(uuid()),
  created_at: timestamptz(),
  updated_at: timestamptz(),
}

/** What a decision about one of its attempts looks at. */
export const snapshotOfTransaction = pickColumns(transactionRow, [
  'id',
  'reference',
  'transaction_type',
  'flow_direction',
  'status',
  'version',
  'settled_attempt',
  'metadata',
  'merchant_reference',
  'checkout_session',
  'payment_link',
  'return_url',
  'description',
  'return_state',
])

/** What was asked for, where it was asked for in another currency; and the rate. */
export const convertedRow = pickColumns(transactionRow, [
  'original_amount',
  'original_currency',
  'exchange_rate',
])

/** What a new one is given. The database gives the rest its first value. */
export const newTransactionRow = {
  ...omitColumns(transactionRow, [
    'flow_direction',
    'status',
    'version',
    'settled_attempt',
    'customer_id',
    'external_reference',
    'failure_code',
    'failure_message',
    'refund_reserved',
    'refunded_amount',
    'return_state',
    'returned_at',
    'returned_amount',
    'created_at',
    'updated_at',
  ]),
  request_id: text(),
}

/** The figures that a transaction takes over from the attempt that counts. */
export const adoptedRow = {
  ...pickColumns(transactionRow, [
    'operation_msisdn',
    'requested_amount',
    'fee_charge_mode',
    'client_fee',
    'gateway_fee',
    'platform_fee',
    'debited_amount',
    'net_amount',
    'pricing_rule',
    'merchant_pricing_rule',
  ]),
  network_id: uuid(),
  network_code: text(),
  current_gateway: uuid(),
}

/** A decided move with its status log, as `moveStatus` takes it. */
export const moveRow = {
  ...adoptedRow,
  merchant_id: uuid(),
  environment: text<Environment>(),
  id: uuid(),
  /** The state this was decided from: if it is no longer so, nothing moves. */
  from_status: text<TransactionStatus>(),
  version: int(),
  to_status: text<TransactionStatus>(),
  settled_attempt: orNull(uuid()),
  external_reference: text(),
  failure_code: text(),
  failure_message: text(),
  log_id: uuid(),
  reason: text(),
  triggered_by: text<TriggeredBy>(),
  /** The member or the API key whose doing it is; null where it is nobody's of the merchant. */
  actor_id: orNull(uuid()),
  attempt_id: orNull(uuid()),
  evidence_kind: text(),
  evidence_id: orNull(uuid()),
  /** Base64, or null. */
  evidence_hash: orNull(text<string>()),
  evidence_said: text(),
  request_id: text(),
}
