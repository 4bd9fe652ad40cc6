// The `webhooks` section of OpenAPI 3.1: what we send to an address of the merchant, and what its
// answer means to us.

import type { TSchema } from 'typebox'
import type { Components, Json } from '../../platform/http/openapi-schemas.ts'

/** One kind of request that a receiver gets. */
export type PublishedWebhook = Readonly<{
  /** The event: `transaction.success`. */
  name: string
  summary: string
  /** The whole body. */
  payload: TSchema
  example: unknown
}>

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

const parameters: readonly Json[] = [
  header('X-Webhook-Id', 'The event’s id: the same at every try, resend and replay.'),
  header('X-Webhook-Event', 'The event’s name.'),
  header('X-Webhook-Timestamp', 'Unix seconds of this try.'),
  header(
    'X-Webhook-Signature',
    'Lower-case hex of HMAC-SHA256 over `{timestamp}.` and the raw body, keyed with the secret; ' +
      'while a secret is replaced, with the old one.',
  ),
  {
    ...header(
      'X-Webhook-Signature-Next',
      'The same, keyed with the new secret. Sent only while a secret is replaced.',
    ),
    required: false,
  },
  {
    ...header(
      'X-Webhook-Sequence',
      'The event’s `sequence` in `GET /events/`. A hint: it is not signed.',
    ),
    schema: { type: 'integer', minimum: 1 },
  },
  header('webhook-id', 'Standard Webhooks: as X-Webhook-Id.'),
  header('webhook-timestamp', 'Standard Webhooks: as X-Webhook-Timestamp.'),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and a base64 signature. While a secret is replaced there are two ' +
      'with a space between, the old secret’s first.',
  ),
]

/** By the event's name, as OpenAPI writes path items. */
export const webhooksOf = (
  webhooks: readonly PublishedWebhook[],
  components: Components,
): Record<string, Json> =>
  Object.fromEntries(
    webhooks.map(({ name, summary, payload, example }) => [
      name,
      {
        post: {
          operationId: `webhook_${name.replaceAll('.', '_')}`,
          tags: ['Webhooks'],
          summary,
          security: [],
          parameters,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: components.publish(payload), example } },
          },
          responses: {
            '2XX': { description: 'Within 15 seconds: it has arrived.' },
            '410': { description: 'Gone: the endpoint is switched off.' },
            default: { description: 'Anything else, or nothing: it is sent again later.' },
          },
        },
      },
    ]),
  )
