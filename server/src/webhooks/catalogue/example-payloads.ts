// An example of what each event carries, made by the same views as the real ones, so that a field
// that comes or goes does so here too.

import { sessionExample } from '../../checkout/view.ts'
import type { EventType } from '../../events/event.ts'
import { settlementData } from '../../settlements/settlement-event.ts'
import {
  approvedExample,
  cancelledExample,
  failedExample,
  paidExample,
  settlementExample,
} from '../../settlements/view.ts'
import { eventData } from '../../transactions/event-data.ts'
import { completedExample, rejectedExample, transferExample } from '../../wallets/view.ts'

const payment = {
  id: '01981f3a-0000-7000-8000-000000007001',
  reference: 'TXN-20261121-7K2MPQ4RWX',
  transaction_type: 'PAIEMENT',
  flow_direction: 'INBOUND',
  status: 'SUCCESS',
  version: 2,
  requested_amount: 1_000_000n,
  client_fee: 32_500n,
  debited_amount: 1_032_500n,
  net_amount: 1_000_000n,
  fee_charge_mode: 'ADD_ON',
  currency: 'XOF',
  country_code: 'SN',
  network_code: 'wizall_sn',
  operation_msisdn: '+221771234567',
  metadata: { order: '1042' },
  merchant_reference: 'ORDER-1042',
  checkout_session: null,
  payment_link: null,
  failure_code: '',
  failure_message: '',
  external_reference: 'OP-5571203',
} as const

const { checkout_url: _, ...session } = sessionExample
const paid = {
  status: 'PAID',
  transaction: payment.id,
  paid_at: '2026-11-21T08:05:00.000Z',
  updated_at: '2026-11-21T08:05:00.000Z',
}

/** The example `data` of each event. */
export const examplePayloads: Readonly<Record<EventType, object>> = {
  'transaction.created': eventData({
    ...payment,
    status: 'PENDING',
    version: 1,
    external_reference: '',
  }),
  'transaction.success': eventData(payment),
  'transaction.failed': eventData({
    ...payment,
    status: 'FAILED',
    failure_code: 'INSUFFICIENT_FUNDS',
    failure_message: 'The payer has not enough money.',
  }),
  'transaction.cancelled': eventData({ ...payment, status: 'CANCELLED' }),
  'transaction.incident': {
    ...eventData(payment),
    incident: {
      id: '01981f3a-0000-7000-8000-000000009001',
      type: 'REVERSED_AFTER_SUCCESS',
      status: 'OPEN',
    },
  },
  'checkout_session.paid': { ...session, ...paid, version: 2 },
  'checkout_session.expired': { ...session, status: 'EXPIRED', version: 2 },
  'checkout_session.cancelled': { ...session, status: 'CANCELLED', version: 2 },
  'settlement.requested': settlementData(settlementExample, 1),
  'settlement.approved': settlementData(approvedExample, 2),
  'settlement.success': settlementData(paidExample, 4),
  'settlement.failed': settlementData(failedExample, 2),
  'settlement.cancelled': settlementData(cancelledExample, 2),
  'settlement.returned': settlementData(failedExample, 5),
  'wallet_transfer.requested': { ...transferExample, version: 1 },
  'wallet_transfer.completed': { ...completedExample, version: 2 },
  'wallet_transfer.rejected': { ...rejectedExample, version: 2 },
  'webhook.test': { webhook: '01981f3a-0000-7000-8000-000000000001' },
}
