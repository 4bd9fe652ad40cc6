// Which events there are, what they mean and what they carry (contract 6.5).

import { type Static, Type } from 'typebox'
import { sessionExample } from '../checkout/view.ts'
import { type EventType, eventCatalogue, eventTypes } from '../events/event.ts'
import type { Locale } from '../platform/errors.ts'
import { sortedPage } from '../platform/http/lists.ts'
import { ok, type Route } from '../platform/http/route.ts'
import { numberList, orderingBy, searchFilter } from '../platform/http/route-list.ts'
import { refundExample } from '../refunds/view.ts'
import {
  approvedExample,
  cancelledExample,
  failedExample,
  paidExample,
  returnedExample,
  settlementData,
  settlementExample,
} from '../settlements/view.ts'
import { eventData, refundedData, returnedData } from '../transactions/event-data.ts'
import {
  completedExample,
  rejectedExample,
  transferData,
  transferExample,
} from '../wallets/view.ts'
import { changeExample } from './availability/change.ts'

// An example of what each event carries, made by the same views as the real ones, so that a field
// that comes or goes does so here too.

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
  original_amount: null,
  original_currency: null,
  exchange_rate: null,
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

const { attempts: __, ...shown } = refundExample
const refund = { ...shown, payment_link: null }
const ended = { version: 2, ended_at: '2026-11-21T10:00:04.000Z' }
const returned = { version: 3, returned_at: '2026-11-22T09:00:00.000Z' }
const partly = { ...payment, version: 3, refund_reserved: 400_000n, refunded_amount: 400_000n }

const back = {
  ...payment,
  transaction_type: 'RETRAIT' as const,
  flow_direction: 'OUTBOUND' as const,
  version: 3,
  returned_at: new Date('2026-11-22T09:00:00.000Z'),
  returned_amount: payment.net_amount,
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
  'transaction.refunded': refundedData(partly, refund.id),
  'transaction.returned': returnedData(back),
  'refund.created': refund,
  'refund.success': { ...refund, ...ended, status: 'SUCCESS' },
  'refund.failed': { ...refund, ...ended, status: 'FAILED', failure_code: 'GATEWAY_REFUSED' },
  'refund.cancelled': { ...refund, ...ended, status: 'CANCELLED' },
  'refund.returned': { ...refund, ...ended, ...returned, status: 'SUCCESS' },
  'checkout_session.paid': { ...session, ...paid, version: 2 },
  'checkout_session.expired': { ...session, status: 'EXPIRED', version: 2 },
  'checkout_session.cancelled': { ...session, status: 'CANCELLED', version: 2 },
  'settlement.requested': settlementData(settlementExample, 1),
  'settlement.approved': settlementData(approvedExample, 2),
  'settlement.success': settlementData(paidExample, 4),
  'settlement.failed': settlementData(failedExample, 2),
  'settlement.cancelled': settlementData(cancelledExample, 2),
  'settlement.returned': settlementData(returnedExample, 5),
  'wallet_transfer.requested': transferData(transferExample, 1),
  'wallet_transfer.completed': transferData(completedExample, 2),
  'wallet_transfer.rejected': transferData(rejectedExample, 2),
  'availability.changed': changeExample,
  'webhook.test': { webhook: '01981f3a-0000-7000-8000-000000000001' },
}

const EventTypeSchema = Type.Object(
  {
    event_type: Type.Enum([...eventTypes]),
    description: Type.String({ description: 'In the language of the request.' }),
    descriptions: Type.Object({ en: Type.String(), fr: Type.String() }),
    example: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The fields that `data` may contain.',
    }),
  },
  { title: 'WebhookEventType' },
)

const viewEventType =
  (locale: Locale) =>
  ({ event_type }: { event_type: keyof typeof eventCatalogue }): Static<typeof EventTypeSchema> => {
    const { en, fr } = eventCatalogue[event_type]
    const description = eventCatalogue[event_type][locale]
    const example = { ...examplePayloads[event_type] }
    return { event_type, description, descriptions: { en, fr }, example }
  }

const rows = eventTypes.map((event_type) => ({ event_type }))

const fields = ['event_type'] as const
const words = ({ event_type }: { event_type: EventType }) => {
  const { en, fr } = eventCatalogue[event_type]
  return [event_type, en, fr]
}

export const eventCatalogueRoutes = (): Route[] => [
  {
    path: '/merchant-webhook-events/',
    access: 'any',
    suspended: 'refused',
    ...numberList(EventTypeSchema, undefined, {
      search: searchFilter('Searches the type and what it means.'),
      ordering: orderingBy(fields),
    }),
    summary: 'List webhook events',
    tag: 'Webhooks',
    example: {
      reply: {
        count: rows.length,
        next: null,
        previous: null,
        results: rows.slice(1, 2).map(viewEventType('en')),
      },
    },
    handler: async (input) =>
      ok(sortedPage(input, { rows, fields, words, view: viewEventType(input.locale) })),
  },
]
