// An event of the feed, as merchants and their webhooks see it.

import { type Static, Type } from 'typebox'
import { cursorPageSchema } from '../platform/http/pages.ts'
import type { Environment } from '../platform/http/route.ts'
import { eventTypes, type NumberedEvent } from './event.ts'

const EventSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Also the X-Webhook-Id of its deliveries.' }),
    event: Type.Enum([...eventTypes]),
    created_at: Type.String({ format: 'date-time' }),
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    sequence: Type.Integer({
      minimum: 1,
      description: 'Its position in your feed for this environment: no gaps, in commit order.',
    }),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'By event; its fields are in the `webhooks` section of this document.',
    }),
  },
  { title: 'Event' },
)

export const EventPageSchema = Type.Object({
  ...cursorPageSchema(EventSchema).properties,
  follow: Type.String({
    format: 'uri',
    description: 'Call this later for whatever has happened since; set even when `next` is null.',
  }),
})

export const eventExample: Static<typeof EventSchema> = {
  id: '01981f3a-0000-7000-8000-00000000e001',
  event: 'transaction.success',
  created_at: '2026-11-21T09:30:00.000Z',
  environment: 'SANDBOX',
  sequence: 41,
  data: { reference: 'TXN-20261121-7K2MPQ4RWX', status: 'SUCCESS', version: 2 },
}

export const viewEvent =
  (environment: Environment) =>
  ({ id, seq, type, created_at, data }: NumberedEvent): Static<typeof EventSchema> => ({
    id,
    event: type,
    created_at: created_at.toISOString(),
    environment,
    sequence: Number(seq),
    data: { ...data },
  })
