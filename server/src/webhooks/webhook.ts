// An endpoint that a merchant has registered, and the rules on what may be registered.

import { Type } from 'typebox'
import { type EventType, eventTypes } from '../events/event.ts'
import {
  boolean,
  omitColumns,
  orNull,
  type RowOf,
  text,
  timestamptz,
  uuid,
} from '../platform/columns.ts'
import type { FieldErrors } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import type { AddressRules } from '../platform/outbound/addresses.ts'
import { checkUrl } from '../platform/outbound/guard.ts'

/** The columns of `webhooks` but its secrets, said once. */
export const webhookRow = {
  merchant_id: uuid(),
  id: uuid(),
  environment: text<Environment>(),
  url: text(),
  description: text(),
  is_active: boolean(),
  payment_link: orNull(uuid()),
  failing_since: orNull(timestamptz()),
  switched_off_reason: text<SwitchedOffReason>(),
  created_by_member: orNull(uuid()),
  created_at: timestamptz(),
  updated_at: timestamptz(),
}

export type Webhook = RowOf<typeof webhookRow> &
  Readonly<{
    /** The events it is subscribed to, in no order; none means all but those asked for by name. */
    events: readonly EventType[]
    /** Until when two secrets sign; null when one does. */
    overlap_until: Date | null
  }>

/** What one is registered with, beside its secret and its events. */
export const newWebhookRow = omitColumns(webhookRow, [
  'is_active',
  'failing_since',
  'switched_off_reason',
  'created_at',
  'updated_at',
])

/** Why we switched it off; empty when it is on or its owner did. */
export type SwitchedOffReason = '' | 'GONE' | 'FAILING'

/** Deliveries to one endpoint use one queue, which one process drains at a time. */
export type QueueKey = Readonly<{ merchant_id: string; webhook_id: string }>

export const webhooks_max = 20
/** Events of one replay, at most. */
export const replay_events_max = 100_000
/** How old they may be, in days. */
export const replay_days_max = 30
export const url_length_max = 2048
export const description_length_max = 255

/** Secrets are sealed for this row only. */
export const sealedFor = (webhook_id: string): string => `webhooks:${webhook_id}`

/** The errors of the address; empty when it may be called. */
export function urlErrors(url: string, environment: Environment, rules: AddressRules): FieldErrors {
  const check = checkUrl(url, { ...rules, environment })
  return check.is === 'refused' ? { url: [check.why] } : {}
}

// An endpoint as JSON, field by field. The secret is not a field of the record: it is shown once,
// beside it, by the route that made it.

const nullable = <T extends ReturnType<typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()])

const moment = Type.String({ format: 'date-time' })
const idText = Type.String({ format: 'uuid' })

const fields = {
  id: idText,
  merchant: idText,
  url: Type.String({ format: 'uri' }),
  description: Type.String(),
  environment: Type.Enum(['SANDBOX', 'LIVE']),
  is_active: Type.Boolean(),
  payment_link: nullable(idText),
  events: Type.Array(Type.Enum([...eventTypes]), {
    description:
      'The events it receives; an empty list means all but `availability.changed`, which must be ' +
      'named.',
  }),
  failing_since: nullable(moment),
  switched_off_reason: Type.Enum(['', 'GONE', 'FAILING'], {
    description: 'Why we disabled it: it answered 410, or it failed for five days.',
  }),
  overlap_until: Type.Union([moment, Type.Null()], {
    description: 'During a rotation: until when the old secret signs too.',
  }),
  created_by_member: nullable(idText),
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

export const TestSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The id of the event: the X-Webhook-Id sent.' }),
    webhook_log: Type.String({
      format: 'uuid',
      description: 'Its entry in `/webhook-logs/`.',
    }),
    webhook: Type.String({ format: 'uuid' }),
    event_type: Type.Enum(['webhook.test']),
    example_of: Type.Union([Type.Enum([...eventTypes]), Type.Null()], {
      description: 'The event whose example it carries; null: none.',
    }),
    status: Type.Enum(['PENDING']),
  },
  { title: 'WebhookTest' },
)

export const webhookExample = {
  id: '01981f3a-0000-7000-8000-000000000001',
  merchant: '01981f3a-0000-7000-8000-000000000002',
  url: 'https://shop.example.com/hooks/pirogue',
  description: 'Orders',
  environment: 'SANDBOX',
  is_active: true,
  payment_link: null,
  events: ['transaction.success'],
  failing_since: null,
  switched_off_reason: '',
  overlap_until: null,
  created_by_member: null,
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:00.000Z',
}

export const registeredExample = {
  ...webhookExample,
  signing_secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
}
