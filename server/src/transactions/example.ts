// The transaction in the documentation, with its history. A test holds it to the schemas.

import type { Static } from 'typebox'
import { attemptExample } from '../attempts/schema.ts'
import type {
  EvidenceSchema,
  ListedTransactionSchema,
  StatusLogSchema,
  TransactionDetailSchema,
  TransactionSchema,
} from './schema.ts'

export const transactionExample: Static<typeof TransactionSchema> = {
  id: attemptExample.transaction,
  reference: 'TXN-20261121-7K2MPQ4RWX',
  merchant: '01981f3a-0000-7000-8000-00000000a001',
  customer: '01981f3a-0000-7000-8000-00000000c701',
  country: '01981f3a-0000-7000-8000-00000000c001',
  country_code: 'SN',
  network: attemptExample.network,
  network_code: attemptExample.network_code,
  transaction_type: 'PAIEMENT',
  flow_direction: 'INBOUND',
  description: 'Order 1042',
  requested_amount: '10000.00',
  fee_charge_mode: 'ADD_ON',
  client_fee: '325.00',
  gateway_fee: '150.00',
  platform_fee: '175.00',
  pricing_rule: '01981f3a-0000-7000-8000-00000000b701',
  merchant_pricing_rule: null,
  debited_amount: '10325.00',
  net_amount: '10000.00',
  currency: 'XOF',
  amounts: {
    requested: '10000.00',
    fee: '325.00',
    charged: '10325.00',
    net: '10000.00',
    currency: 'XOF',
    fee_charge_mode: 'ADD_ON',
  },
  original_amount: null,
  original_currency: null,
  exchange_rate: null,
  status: 'SUCCESS',
  version: 2,
  failure_code: '',
  failure_message: '',
  current_gateway: attemptExample.gateway,
  external_reference: attemptExample.external_reference,
  operation_msisdn: attemptExample.operation_msisdn,
  metadata: { order: '1042' },
  merchant_reference: 'ORDER-1042',
  checkout_session: null,
  payment_link: null,
  refunded_amount: '0.00',
  refundable_amount: '10325.00',
  refund_status: 'NONE',
  returned_amount: '0.00',
  returned_at: null,
  incident: null,
  approval: null,
  waiting_reason: null,
  outcome_unknown: false,
  via: 'KEY',
  api_key: '01981f3a-0000-7000-8000-00000000e001',
  created_by_member: null,
  environment: 'SANDBOX',
  ip_address: '203.0.113.7',
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:04.000Z',
}

export const listedTransactionExample: Static<typeof ListedTransactionSchema> = {
  ...transactionExample,
  customer_name: 'Awa Diop',
  created_by_name: '',
}

export const statusLogExample: Static<typeof StatusLogSchema> = {
  id: '01981f3a-0000-7000-8000-00000000d701',
  transaction: transactionExample.id,
  from_status: 'PENDING',
  to_status: 'SUCCESS',
  reason: 'gateway confirmed',
  triggered_by: 'CALLBACK',
  created_at: '2026-11-21T08:00:04.000Z',
}

export const transactionDetailExample: Static<typeof TransactionDetailSchema> = {
  ...transactionExample,
  instructions: '',
  next_action: 'NONE',
  checkout_url: '',
  may_approve: false,
  may_not_approve: null,
  may_retry: false,
  approval_ends_at: null,
  approval_after: null,
  customer_name: 'Awa Diop',
  created_by_name: '',
  attempts: [attemptExample],
  status_logs: [statusLogExample],
}

export const evidenceExample: Static<typeof EvidenceSchema> = {
  transaction: transactionExample.id,
  evidence: [
    {
      status_log: statusLogExample.id,
      from_status: 'PENDING',
      to_status: 'SUCCESS',
      triggered_by: 'CALLBACK',
      attempt: attemptExample.id,
      evidence_kind: 'CALLBACK',
      said: 'confirmed',
      hash: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
      callback: '01981f3a-0000-7000-8000-00000000e701',
      at: '2026-11-21T08:00:04.000Z',
    },
  ],
}
