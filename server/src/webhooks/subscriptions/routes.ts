// Which events an endpoint is subscribed to, as records (contract 6.5). An endpoint without any
// receives all.

import { type Static, Type } from 'typebox'
import { eventTypes } from '../../events/event.ts'
import type { Db } from '../../platform/db.ts'
import { enumFilter, uuidFilter, uuidParam } from '../../platform/http/filters.ts'
import { sortedPage } from '../../platform/http/lists.ts'
import { created, type Input, ok, type Route } from '../../platform/http/route.ts'
import {
  type Listed,
  numberList,
  orderingBy,
  reads,
  removes,
  routesWith,
  searchFilter,
} from '../../platform/http/route-list.ts'
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
const path = '/merchant-webhook-subscriptions/'
const acts = { permission: 'webhooks', second_factor: 'environment' } as const
const ofOne = {
  path: `${path}:id/`,
} as const

export const subscriptionRoutes = (deps: Deps): Route[] =>
  routesWith({ tag: 'Webhooks', access: 'any' }, [
    listRoute(deps),
    {
      ...acts,
      method: 'POST',
      path,
      body: Body,
      summary: 'Subscribe a webhook to an event',
      description:
        'A webhook without subscriptions receives all events but `availability.changed`: its ' +
        'first subscription narrows that down to what it names.',
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
      summary: 'Retrieve a subscription',
      ...reads(SubscriptionSchema, example),
      handler: async (input) =>
        ok(viewSubscription(await getSubscription(deps.db, input.caller, uuidParam(input, 'id')))),
    },
    {
      ...acts,
      ...ofOne,
      summary: 'Delete a subscription',
      description: 'Without its last subscription, a webhook receives all events again.',
      ...removes((input) => unsubscribe(deps.db, input.caller, uuidParam(input, 'id'))),
    },
  ])

const listRoute = ({ db }: Deps): Listed => ({
  path,
  ...numberList(SubscriptionSchema, example, {
    webhook: Type.Optional(uuid),
    event_type: Type.Optional(event_type),
    search: searchFilter('Searches event_type.', 100),
    ordering: orderingBy(sort_fields),
  }),
  summary: 'List subscriptions',
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
