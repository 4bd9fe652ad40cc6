// Endpoints of the merchant (contract 6.5): path, who may call, schema, one call, view.

import { type Static, Type } from 'typebox'
import { eventTypes } from '../events/event.ts'
import type { Text } from '../platform/errors.ts'
import { uuidParam } from '../platform/http/filters.ts'
import { sortedPage } from '../platform/http/lists.ts'
import {
  created,
  EnvironmentInput,
  environmentOf,
  type Input,
  ok,
  type Route,
} from '../platform/http/route.ts'
import {
  type Listed,
  numberList,
  orderingBy,
  reads,
  removes,
  routesWith,
  searchFilter,
} from '../platform/http/route-list.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { examplePayloads } from './catalogue-routes.ts'
import { webhookErrors } from './errors.ts'
import {
  type ChangeDeps,
  changeWebhook,
  endWebhook,
  testWebhook,
} from './registrations/change-webhook.ts'
import { getWebhook, webhookKeyOf } from './registrations/get-webhook.ts'
import { type RegisterDeps, registerWebhook } from './registrations/register-webhook.ts'
import {
  confirmSecret,
  rotateSecret,
  secret_length_max,
  secret_length_min,
  secretErrors,
} from './registrations/rotate-secret.ts'
import { listWebhooks } from './registrations/store.ts'
import { ReplaySchema, viewReplay } from './replays/replay.ts'
import { findReplay } from './replays/store.ts'
import {
  ChangedSchema,
  description_length_max,
  RegisteredSchema,
  RotatedSchema,
  registeredExample,
  TestSchema,
  url_length_max,
  urlErrors,
  viewWebhook,
  type Webhook,
  WebhookSchema,
  webhookExample,
} from './webhook.ts'

export type WebhookRouteDeps = RegisterDeps & ChangeDeps

const url = Type.String({ minLength: 1, maxLength: url_length_max })
const description = Type.String({ maxLength: description_length_max })
const secretForm = {
  minLength: secret_length_min,
  maxLength: secret_length_max,
  description:
    'Your own secret, printable characters. In LIVE a key needs scope BOTH and a whitelisted ' +
    'address.',
}
const signing_secret = Type.String(secretForm)
const events = Type.Array(Type.Enum([...eventTypes]), { maxItems: 100 })

const RegisterBody = Type.Object({
  url,
  environment: Type.Optional(EnvironmentInput),
  description: Type.Optional(description),
  payment_link: Type.Optional(Type.String({ format: 'uuid' })),
  events: Type.Optional(events),
  signing_secret: Type.Optional(signing_secret),
})

const ChangeBody = Type.Object({
  url: Type.Optional(url),
  description: Type.Optional(description),
  is_active: Type.Optional(Type.Boolean()),
  payment_link: Type.Optional(Type.Union([Type.String({ format: 'uuid' }), Type.Null()])),
  events: Type.Optional(events),
  // A secret cannot be taken away: whoever sends null is refused.
  signing_secret: Type.Optional(Type.String({ ...secretForm, 'x-null-refused': true })),
})

const sort_fields = ['created_at', 'updated_at', 'url'] as const

type Check = NonNullable<Route['check']>

// Whether https is required depends on the caller too: the verb, which knows the caller, checks it
// again.
const checkBody =
  (deps: WebhookRouteDeps): Check =>
  (body) => ({
    ...secretErrors(body),
    ...(typeof body['url'] === 'string' && body['url'] !== ''
      ? urlErrors(body['url'], 'SANDBOX', deps)
      : {}),
  })

export function webhookRoutes(deps: WebhookRouteDeps): Route[] {
  return routesWith({ tag: 'Webhooks', access: 'any' }, [
    listRoute(deps),
    registerRoute(deps),
    ...routesOfOne(deps),
    testRoute(deps),
    rotateRoute(deps),
  ])
}

const listRoute = (deps: WebhookRouteDeps): Listed => ({
  path: '/merchant-webhooks/',
  ...numberList(WebhookSchema, webhookExample, {
    search: searchFilter('Searches url and description.'),
    ordering: orderingBy(sort_fields),
  }),
  summary: 'List webhooks',
  handler: async (input) => {
    const rows = await listWebhooks(deps.db, input.caller)
    const words = (row: Webhook) => [row.url, row.description]
    return ok(sortedPage(input, { rows, fields: sort_fields, words, view: viewWebhook }))
  },
})

const secret_errors = [accessErrors.api_key_scope_forbidden, webhookErrors.ip_not_whitelisted]

const registerRoute = (deps: WebhookRouteDeps): Listed => ({
  method: 'POST',
  path: '/merchant-webhooks/',
  permission: 'webhooks',
  second_factor: 'environment',
  body: RegisterBody,
  check: checkBody(deps),
  summary: 'Create a webhook',
  description:
    '`signing_secret`, yours or a generated one, is only in this answer. Without `events` it ' +
    'receives all of them but `availability.changed`. A session may name the other environment; ' +
    'a key registers for its own.',
  responses: { 201: RegisteredSchema },
  errors: [webhookErrors.webhook_limit_reached, ...secret_errors],
  example: {
    body: { url: webhookExample.url, events: webhookExample.events },
    reply: registeredExample,
  },
  handler: async ({ caller, body }: Input<Static<typeof RegisterBody>>) => {
    const { environment, ...rest } = body
    const named = environment === undefined ? {} : { environment: environmentOf(environment) }
    const request = { ...rest, ...named }
    const { webhook, signing_secret } = await registerWebhook(deps, caller, request)
    return created({ ...viewWebhook(webhook), signing_secret })
  },
})

const WebhookDetailSchema = Type.Object(
  {
    ...WebhookSchema.properties,
    replay: Type.Union([ReplaySchema, Type.Null()], {
      description: 'The latest replay and how far it is; null where there has been none.',
    }),
  },
  { title: 'WebhookDetail' },
)

const ofOne = {
  path: '/merchant-webhooks/:id/',
} as const

const routesOfOne = (deps: WebhookRouteDeps): Listed[] => [
  {
    ...ofOne,
    summary: 'Retrieve a webhook',
    ...reads(WebhookDetailSchema, { ...webhookExample, replay: null }),
    handler: async (input) => {
      const key = webhookKeyOf(input.caller, uuidParam(input, 'id'))
      const webhook = await getWebhook(deps.db, key)
      const { merchant_id, id } = webhook
      const replay = await findReplay(deps.db, { merchant_id, webhook_id: id })
      return ok({ ...viewWebhook(webhook), replay: replay ? viewReplay(replay) : null })
    },
  },
  {
    ...ofOne,
    method: 'PATCH',
    permission: 'webhooks',
    second_factor: 'environment',
    body: ChangeBody,
    check: checkBody(deps),
    summary: 'Update a webhook',
    description:
      'Disabling it exhausts its pending deliveries. Enabling it again clears its failures; a ' +
      'replay sends what it missed. A new `signing_secret` replaces the old one at once, and is ' +
      'only in this answer.',
    responses: { 200: ChangedSchema },
    errors: [...secret_errors],
    example: { body: { is_active: true }, reply: webhookExample },
    handler: async (input: Input<Static<typeof ChangeBody>>) => {
      const { signing_secret } = input.body
      const changes = { ...input.body, id: uuidParam(input, 'id') }
      const changed = viewWebhook(await changeWebhook(deps, input.caller, changes))
      return ok(signing_secret === undefined ? changed : { ...changed, signing_secret })
    },
  },
  {
    ...ofOne,
    permission: 'webhooks',
    second_factor: 'environment',
    summary: 'Delete a webhook',
    ...removes((input) => endWebhook(deps, input.caller, uuidParam(input, 'id'))),
  },
]

const TestBody = Type.Object({
  event_type: Type.Optional(
    Type.Enum([...eventTypes], {
      description:
        'The event whose example the test carries, as in `/merchant-webhook-events/`. The event ' +
        'that is sent stays `webhook.test`.',
    }),
  ),
})

const testRoute = (deps: WebhookRouteDeps): Listed => ({
  ...ofOne,
  method: 'POST',
  path: '/merchant-webhooks/:id/test/',
  permission: 'webhooks',
  second_factor: 'environment',
  body: TestBody,
  summary: 'Send a test event',
  description:
    'A `webhook.test`, to this endpoint alone and whatever it is subscribed to. With ' +
    '`event_type` its `data` has the example of that event as `example`: nothing has happened, ' +
    'and no receiver takes it for what did.',
  responses: { 201: TestSchema },
  errors: [webhookErrors.webhook_inactive],
  example: {
    body: { event_type: 'transaction.success' },
    reply: {
      id: '01981f3a-0000-7000-8000-00000000e001',
      webhook_log: '01981f3a-0000-7000-8000-00000000e101',
      webhook: webhookExample.id,
      event_type: 'webhook.test',
      example_of: 'transaction.success',
      status: 'PENDING',
    },
  },
  handler: async (input: Input<Static<typeof TestBody>>) => {
    const { event_type: named } = input.body
    const example_of = named === undefined || named === 'webhook.test' ? null : named
    const example = example_of && { event_type: example_of, example: examplePayloads[example_of] }
    const test = await testWebhook(deps, input.caller, {
      id: uuidParam(input, 'id'),
      carries: example ?? {},
    })
    const answer = { event_type: 'webhook.test', example_of, status: 'PENDING' }
    const { event_id: id, delivery_id: webhook_log } = test
    return created({ id, webhook_log, webhook: test.webhook.id, ...answer })
  },
})

const RotateBody = Type.Object({
  confirm: Type.Optional(
    Type.Boolean({ description: 'True: the new secret is in use everywhere; end the overlap.' }),
  ),
  overlap_until: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'With `confirm`: the `overlap_until` that came with the secret you have in use. If ' +
        'another secret is pending by now, nothing is confirmed. If omitted, whichever is pending.',
    }),
  ),
  signing_secret: Type.Optional(signing_secret),
})

const notBoth: Text = {
  en: 'Send either "confirm" or a new secret.',
  fr: 'Envoyez soit « confirm », soit un nouveau secret.',
}

const confirmsNothing: Text = {
  en: 'Send it with "confirm": it names the secret that is confirmed.',
  fr: 'À envoyer avec « confirm » : il désigne le secret que l’on confirme.',
}

function checkRotation(body: Parameters<Check>[0]): ReturnType<Check> {
  if (body['confirm'] !== true) {
    const isNamed = body['overlap_until'] !== undefined
    return { ...secretErrors(body), ...(isNamed && { overlap_until: [confirmsNothing] }) }
  }
  return typeof body['signing_secret'] === 'string' ? { signing_secret: [notBoth] } : {}
}

const rotateRoute = (deps: WebhookRouteDeps): Listed => ({
  ...ofOne,
  method: 'POST',
  path: '/merchant-webhooks/:id/rotate-secret/',
  permission: 'webhooks',
  second_factor: 'environment',
  body: RotateBody,
  check: checkRotation,
  summary: 'Rotate the secret of a webhook',
  description:
    'For 24 hours both secrets sign: `X-Webhook-Signature` uses the old one, ' +
    '`X-Webhook-Signature-Next` the new one, `webhook-signature` holds both. `{"confirm": ' +
    'true}` ends that at once; with the `overlap_until` that you read, only if no other secret ' +
    'has replaced that one since.',
  responses: { 200: RotatedSchema },
  errors: [...secret_errors, webhookErrors.no_rotation, webhookErrors.rotation_replaced],
  example: {
    body: {},
    reply: { ...registeredExample, overlap_until: '2026-11-22T08:00:00.000Z' },
  },
  handler: async (input: Input<Static<typeof RotateBody>>) => {
    const id = uuidParam(input, 'id')
    const { confirm, overlap_until } = input.body
    if (confirm === true) {
      return ok(viewWebhook(await confirmSecret(deps, input.caller, { id, overlap_until })))
    }
    const request = { id, signing_secret: input.body.signing_secret }
    const { webhook, signing_secret } = await rotateSecret(deps, input.caller, request)
    return ok({ ...viewWebhook(webhook), signing_secret })
  },
})
