// Endpoints of the merchant (decisions 6.5): path, who may call, schema, one call, view.

import { type Static, Type } from 'typebox'
import { eventTypes } from '../events/event.ts'
import { orderings, uuidParam } from '../platform/http/filters.ts'
import { numberPageSchema, numberQuery } from '../platform/http/pages.ts'
import { created, type Input, noContent, ok, type Route } from '../platform/http/route.ts'
import { sortedPage } from '../platform/http/sorted-page.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { webhookErrors } from './errors.ts'
import {
  type ChangeDeps,
  changeWebhook,
  endWebhook,
  testWebhook,
} from './registrations/change-webhook.ts'
import { getWebhook, keyOf, searchWebhooks } from './registrations/get-webhook.ts'
import { type RegisterDeps, registerWebhook } from './registrations/register-webhook.ts'
import { confirmSecret, rotateSecret } from './registrations/rotate-secret.ts'
import { RegisteredSchema, RotatedSchema, viewWebhook, WebhookSchema } from './view.ts'
import { description_length_max, url_length_max, urlErrors } from './webhook.ts'

export type WebhookRouteDeps = RegisterDeps & ChangeDeps

const tag = 'Webhooks'

const url = Type.String({ minLength: 1, maxLength: url_length_max })
const description = Type.String({ maxLength: description_length_max })
const events = Type.Array(Type.Enum([...eventTypes]), { maxItems: 100 })

const RegisterBody = Type.Object({
  url,
  environment: Type.Optional(Type.Enum(['SANDBOX', 'LIVE'])),
  description: Type.Optional(description),
  payment_link: Type.Optional(Type.String({ format: 'uuid' })),
  events: Type.Optional(events),
})

const ChangeBody = Type.Object({
  url: Type.Optional(url),
  description: Type.Optional(description),
  is_active: Type.Optional(Type.Boolean()),
  events: Type.Optional(events),
})

const TestSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Of the delivery: the X-Webhook-Id sent.' }),
    webhook: Type.String({ format: 'uuid' }),
    event_type: Type.Enum(['webhook.test']),
    status: Type.Enum(['PENDING']),
  },
  { title: 'WebhookTest' },
)

const ordered = ['created_at', 'updated_at', 'url'] as const

const id = '01981f3a-0000-7000-8000-000000000001'
const example = {
  id,
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
const registered = {
  ...example,
  signing_secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
}

type Check = NonNullable<Route['check']>

// Whether https is a must depends on the caller too: the verb, which knows him, checks it again.
const checkAddress =
  (deps: WebhookRouteDeps): Check =>
  ({ url }) =>
    typeof url === 'string' && url !== '' ? urlErrors(url, 'SANDBOX', deps) : {}

export function webhookRoutes(deps: WebhookRouteDeps): Route[] {
  return [
    listRoute(deps),
    registerRoute(deps),
    ...routesOfOne(deps),
    testRoute(deps),
    rotateRoute(deps),
  ]
}

const listRoute = (deps: WebhookRouteDeps): Route => ({
  method: 'GET',
  path: '/merchant-webhooks/',
  access: 'any',
  query: Type.Object({
    ...numberQuery,
    search: Type.Optional(Type.String({ maxLength: 255, description: 'In url, description.' })),
    ordering: Type.Optional(Type.Enum(orderings(ordered))),
  }),
  summary: 'List webhooks',
  tag,
  responses: { 200: numberPageSchema(WebhookSchema) },
  example: { reply: { count: 1, next: null, previous: null, results: [example] } },
  handler: async (input) => {
    const rows = await searchWebhooks(deps.db, input.caller, input.query['search'])
    return ok(sortedPage(input, { rows, fields: ordered, view: viewWebhook }))
  },
})

const registerRoute = (deps: WebhookRouteDeps): Route => ({
  method: 'POST',
  path: '/merchant-webhooks/',
  access: 'any',
  permission: 'webhooks',
  second_factor: 'environment',
  body: RegisterBody,
  check: checkAddress(deps),
  summary: 'Register a webhook',
  description:
    'The answer alone holds `signing_secret`. No `events` means all of them. A session may name ' +
    'the other environment; a key registers for its own.',
  tag,
  responses: { 201: RegisteredSchema },
  errors: [transportErrors.permission_denied, webhookErrors.webhook_limit_reached],
  example: { body: { url: example.url, events: example.events }, reply: registered },
  handler: async ({ caller, body }: Input<Static<typeof RegisterBody>>) => {
    const { webhook, signing_secret } = await registerWebhook(deps, caller, body)
    return created({ ...viewWebhook(webhook), signing_secret })
  },
})

const ofOne = {
  path: '/merchant-webhooks/:id/',
  access: 'any',
  tag,
  errors: [transportErrors.permission_denied],
} as const

const routesOfOne = (deps: WebhookRouteDeps): Route[] => [
  {
    ...ofOne,
    method: 'GET',
    summary: 'Read a webhook',
    responses: { 200: WebhookSchema },
    example: { reply: example },
    handler: async (input) => {
      const key = keyOf(input.caller, uuidParam(input, 'id'))
      return ok(viewWebhook(await getWebhook(deps.db, key)))
    },
  },
  {
    ...ofOne,
    method: 'PATCH',
    permission: 'webhooks',
    second_factor: 'environment',
    body: ChangeBody,
    check: checkAddress(deps),
    summary: 'Change a webhook',
    description:
      'Switching it off exhausts what waits for it. Switching it on again forgets its failures; ' +
      'a replay sends what it missed.',
    responses: { 200: WebhookSchema },
    example: { body: { is_active: true }, reply: example },
    handler: async (input: Input<Static<typeof ChangeBody>>) => {
      const changes = { ...input.body, id: uuidParam(input, 'id') }
      return ok(viewWebhook(await changeWebhook(deps, input.caller, changes)))
    },
  },
  {
    ...ofOne,
    method: 'DELETE',
    permission: 'webhooks',
    second_factor: 'environment',
    summary: 'Delete a webhook',
    responses: { 204: null },
    example: {},
    handler: async (input) => {
      await endWebhook(deps, input.caller, uuidParam(input, 'id'))
      return noContent
    },
  },
]

const testRoute = (deps: WebhookRouteDeps): Route => ({
  ...ofOne,
  method: 'POST',
  path: '/merchant-webhooks/:id/test/',
  permission: 'webhooks',
  second_factor: 'environment',
  summary: 'Send a test event',
  responses: { 201: TestSchema },
  errors: [...ofOne.errors, webhookErrors.webhook_inactive],
  example: { reply: { id, webhook: id, event_type: 'webhook.test', status: 'PENDING' } },
  handler: async (input) => {
    const test = await testWebhook(deps, input.caller, uuidParam(input, 'id'))
    const said = { event_type: 'webhook.test', status: 'PENDING' }
    return created({ id: test.delivery_id, webhook: test.webhook.id, ...said })
  },
})

const RotateBody = Type.Object({
  confirm: Type.Optional(
    Type.Boolean({ description: 'True: the new secret is in use everywhere; end the overlap.' }),
  ),
})

const rotateRoute = (deps: WebhookRouteDeps): Route => ({
  ...ofOne,
  method: 'POST',
  path: '/merchant-webhooks/:id/rotate-secret/',
  permission: 'webhooks',
  second_factor: 'environment',
  body: RotateBody,
  summary: 'Give a webhook a new secret',
  description:
    'For 24 hours both sign: `X-Webhook-Signature` is by the old one, `X-Webhook-Signature-Next` ' +
    'by the new, `webhook-signature` holds both. `{"confirm": true}` ends that at once.',
  responses: { 200: RotatedSchema },
  errors: [...ofOne.errors, webhookErrors.no_rotation],
  example: {
    body: {},
    reply: { ...registered, overlap_until: '2026-11-22T08:00:00.000Z' },
  },
  handler: async (input: Input<Static<typeof RotateBody>>) => {
    const id = uuidParam(input, 'id')
    if (input.body.confirm === true) {
      return ok(viewWebhook(await confirmSecret(deps, input.caller, id)))
    }
    const { webhook, signing_secret } = await rotateSecret(deps, input.caller, id)
    return ok({ ...viewWebhook(webhook), signing_secret })
  },
})
