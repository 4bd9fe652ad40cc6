// The deliveries that a receiver gets, for the `webhooks` section of OpenAPI (contract 8.21): each
// event with the type of its data and an example made by the very views.

import { type TSchema, Type } from 'typebox'
import { SessionSchema } from '../../checkout/view.ts'
import { type EventType, eventCatalogue, eventTypes } from '../../events/event.ts'
import type { Components, Json } from '../../platform/http/openapi-schemas.ts'
import { RefundEventSchema } from '../../refunds/view.ts'
import { SettlementView } from '../../settlements/view.ts'
import {
  IncidentEventSchema,
  RefundedEventSchema,
  ReturnedEventSchema,
  TransactionEventSchema,
} from '../../transactions/event-schema.ts'
import { TransferView } from '../../wallets/view.ts'
import { ChangeEventSchema } from '../availability/change.ts'
import { examplePayloads } from '../catalogue-routes.ts'
import { type PublishedWebhook, webhooksOf } from './openapi-webhooks.ts'

const version = Type.Integer({
  minimum: 1,
  description: 'Ignore an event whose version is smaller than one you have seen.',
})

const { checkout_url: _, ...session } = SessionSchema.properties
const SessionData = Type.Object({ ...session, version }, { title: 'CheckoutSessionEventData' })
const SettlementData = Type.Object(
  {
    ...SettlementView.properties,
    amount: Type.String({ description: 'The same as `requested_amount`.' }),
    version,
  },
  { title: 'SettlementEventData' },
)
const TransferData = Type.Object(
  {
    ...TransferView.properties,
    amount: Type.String({ description: 'The same as `from_amount`.' }),
    currency: Type.String({ description: 'The same as `from_currency`.' }),
    version,
  },
  { title: 'WalletTransferEventData' },
)
const TestData = Type.Object(
  {
    webhook: Type.String({ format: 'uuid' }),
    event_type: Type.Optional(
      Type.Enum([...eventTypes], { description: 'The event whose example it carries, if any.' }),
    ),
    example: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'What `data` of that event looks like; nothing of it has happened.',
      }),
    ),
  },
  { title: 'WebhookTestEventData' },
)

/** The schema of an event's `data`. */
function dataSchemaOf(type: EventType): TSchema {
  if (type === 'transaction.incident') return IncidentEventSchema
  if (type === 'transaction.refunded') return RefundedEventSchema
  if (type === 'transaction.returned') return ReturnedEventSchema
  if (type === 'availability.changed') return ChangeEventSchema
  if (type === 'webhook.test') return TestData
  const [record] = type.split('.')
  if (record === 'checkout_session') return SessionData
  if (record === 'settlement') return SettlementData
  if (record === 'refund') return RefundEventSchema
  return record === 'wallet_transfer' ? TransferData : TransactionEventSchema
}

/** Every event, in the order of the catalogue, as OpenAPI writes it. */
export const publishEvents = (components: Components): Record<string, Json> =>
  webhooksOf(publishedEvents(), components)

const publishedEvents = (): PublishedWebhook[] =>
  eventTypes.map((type) => ({
    name: type,
    summary: eventCatalogue[type].en,
    payload: Type.Object({
      id: Type.String({
        format: 'uuid',
        description: 'The event’s id: drop one that you have seen.',
      }),
      event: Type.Literal(type),
      created_at: Type.String({ format: 'date-time' }),
      environment: Type.Enum(['SANDBOX', 'LIVE']),
      data: dataSchemaOf(type),
    }),
    example: {
      id: '01981f3a-0000-7000-8000-00000000e001',
      event: type,
      created_at: '2026-11-21T09:30:00.000Z',
      environment: 'SANDBOX',
      data: examplePayloads[type],
    },
  }))
