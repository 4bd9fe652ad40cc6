// Which events an endpoint is subscribed to, as records (contract 6.5). An endpoint without any
// receives all.

import { type Static, Type } from 'typebox'
import { eventTypes } from '../../events/event.ts'
import type { Db } from '../../platform/db.ts'
import { enumFilter, orderings, uuidFilter, uuidParam } from '../../platform/http/filters.ts'
import { numberPageSchema, numberQuery } from '../../platform/http/pages.ts'
import { created, type Input, noContent, ok, type Route } from '../../platform/http/route.ts'
import { sortedPage } from '../../platform/http/sorted-page.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { webhookErrors } from '../errors.ts'
import { listSubscriptions, type Subscription } from './store.ts'
import { getSubscription, subscribe, unsubscribe } from './subscribe.ts'

type Deps = Readonly<{ db: Db }>

const uuid = Type.String({ format: 'uuid' })
const event_type = Type.Enum([...eventTypes])

const SubscriptionSchema = Type.Object(
  { id: uuid, webhook: uuid, event_type, created_at: Type.String({ format: 'date-time' }) },
  { title: 'WebhookSubscription' },
)
const Body = Type.Object({ webhook: uuid, event_type })

const viewSubscription = (row: Subscription): Static<typeof SubscriptionSchema> => ({
  id: row.id,
  webhook: row.webhook_id,
  event_type: row.event_type,
  created_at: row.created_at.toISOString(),
})

const example: Static<typeof SubscriptionSchema> = {
  id: '01981f3a-0000-7000-8000-00000000e301',
  webhook: '01981f3a-0000-7000-8000-000000000001',
  event_type: 'transaction.success',
  created_at: '2026-11-21T08:00:00.000Z',
}

const sort_fields = ['created_at', 'event_type'] as const
const tag = 'Webhooks'
const path = '/merchant-webhook-subscriptions/'
const acts = { access: 'any', permission: 'webhooks', second_factor: 'environment', tag } as const
const ofOne = {
  path: `${path}:id/`,
  errors: [accessErrors.permission_denied],
} as const

export const subscriptionRoutes = (deps: Deps): Route[] => [
  listRoute(deps),
  {
    ...acts,
    method: 'POST',
    path,
    body: Body,
    summary: 'Subscribe a webhook to an event',
    description:
      'A webhook without subscriptions receives all events: its first subscription narrows that ' +
      'down.',
    responses: { 201: SubscriptionSchema },
    errors: [webhookErrors.already_subscribed],
    example: {
      body: { webhook: example.webhook, event_type: example.event_type },
      reply: example,
    },
    handler: async ({ caller, body }: Input<Static<typeof Body>>) =>
      created(viewSubscription(await subscribe(deps.db, caller, body))),
  },
  {
    ...ofOne,
    method: 'GET',
    access: 'any',
    tag,
    summary: 'Retrieve a subscription',
    responses: { 200: SubscriptionSchema },
    example: { reply: example },
    handler: async (input) =>
      ok(viewSubscription(await getSubscription(deps.db, input.caller, uuidParam(input, 'id')))),
  },
  {
    ...acts,
    ...ofOne,
    method: 'DELETE',
    summary: 'Delete a subscription',
    description: 'Without its last subscription, a webhook receives all events again.',
    responses: { 204: null },
    example: {},
    handler: async (input) => {
      await unsubscribe(deps.db, input.caller, uuidParam(input, 'id'))
      return noContent
    },
  },
]

const listRoute = ({ db }: Deps): Route => ({
  method: 'GET',
  path,
  access: 'any',
  query: Type.Object({
    ...numberQuery,
    webhook: Type.Optional(uuid),
    event_type: Type.Optional(event_type),
    search: Type.Optional(Type.String({ maxLength: 100, description: 'Searches event_type.' })),
    ordering: Type.Optional(Type.Enum(orderings(sort_fields))),
  }),
  summary: 'List subscriptions',
  tag,
  responses: { 200: numberPageSchema(SubscriptionSchema) },
  example: { reply: { count: 1, next: null, previous: null, results: [example] } },
  handler: async (input) => {
    const webhook = uuidFilter(input.query, 'webhook')
    const type = enumFilter(input.query, 'event_type', eventTypes)
    const all = await listSubscriptions(db, input.caller)
    const rows = all.filter(
      (row) =>
        (webhook === undefined || row.webhook_id === webhook) &&
        (type === undefined || row.event_type === type),
    )
    const words = (row: Subscription) => [row.event_type]
    return ok(sortedPage(input, { rows, fields: sort_fields, words, view: viewSubscription }))
  },
})
