// An endpoint as JSON, field by field. The secret is not a field of the record: it is shown once,
// beside it, by the route that made it.

import { Type } from 'typebox'
import { eventTypes } from '../events/event.ts'
import type { Webhook } from './webhook.ts'

const nullable = <T extends ReturnType<typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()])

const moment = Type.String({ format: 'date-time' })
const uuid = Type.String({ format: 'uuid' })

const fields = {
  id: uuid,
  merchant: uuid,
  url: Type.String({ format: 'uri' }),
  description: Type.String(),
  environment: Type.Enum(['SANDBOX', 'LIVE']),
  is_active: Type.Boolean(),
  payment_link: nullable(uuid),
  events: Type.Array(Type.Enum([...eventTypes]), {
    description: 'The events it receives; an empty list means all.',
  }),
  failing_since: nullable(moment),
  switched_off_reason: Type.Enum(['', 'GONE', 'FAILING'], {
    description: 'Why we disabled it: it answered 410, or it failed for five days.',
  }),
  overlap_until: Type.Union([moment, Type.Null()], {
    description: 'During a rotation: until when the old secret signs too.',
  }),
  created_by_member: nullable(uuid),
  created_at: moment,
  updated_at: moment,
}

export const WebhookSchema = Type.Object(fields, { title: 'MerchantWebhook' })

export const RegisteredSchema = Type.Object(
  {
    ...fields,
    signing_secret: Type.String({ description: 'Shown only once: keep it to verify signatures.' }),
  },
  { title: 'RegisteredWebhook' },
)

export const ChangedSchema = Type.Object(
  {
    ...fields,
    signing_secret: Type.Optional(
      Type.String({
        description: 'The secret that was just set, shown only once; otherwise absent.',
      }),
    ),
  },
  { title: 'ChangedWebhook' },
)

export const RotatedSchema = Type.Object(
  {
    ...fields,
    signing_secret: Type.Optional(
      Type.String({
        description: 'The new secret, shown only once; absent when the rotation was confirmed.',
      }),
    ),
  },
  { title: 'RotatedWebhook' },
)

export function viewWebhook(webhook: Webhook) {
  return {
    id: webhook.id,
    merchant: webhook.merchant_id,
    url: webhook.url,
    description: webhook.description,
    environment: webhook.environment,
    is_active: webhook.is_active,
    payment_link: webhook.payment_link,
    events: eventTypes.filter((type) => webhook.events.includes(type)),
    failing_since: webhook.failing_since?.toISOString() ?? null,
    switched_off_reason: webhook.switched_off_reason,
    overlap_until: webhook.overlap_until?.toISOString() ?? null,
    created_by_member: webhook.created_by_member,
    created_at: webhook.created_at.toISOString(),
    updated_at: webhook.updated_at.toISOString(),
  }
}
