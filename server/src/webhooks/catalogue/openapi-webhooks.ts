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

const signed = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

const parameters: readonly Json[] = [
  signed('X-Webhook-Id', 'The event’s id: the same at every try, resend and replay.'),
  signed('X-Webhook-Event', 'The event’s name.'),
  signed('X-Webhook-Timestamp', 'Unix seconds of this try.'),
  signed(
    'X-Webhook-Signature',
    'Lower-case hex of HMAC-SHA256 over `{timestamp}.` and the raw body, keyed with the secret.',
  ),
  signed('webhook-id', 'Standard Webhooks: as X-Webhook-Id.'),
  signed('webhook-timestamp', 'Standard Webhooks: as X-Webhook-Timestamp.'),
  signed('webhook-signature', 'Standard Webhooks: `v1,` and a base64 signature.'),
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
