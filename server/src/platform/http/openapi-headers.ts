// The headers of the interface, in and out (contract 1.2, 1.4, 4.1), once for all operations.

import type { Json } from './openapi-schemas.ts'

const header = (description: string, schema: Json): Json => ({ description, schema })
const count: Json = { type: 'integer', minimum: 0 }

export const responseHeaders: Readonly<Record<string, Json>> = {
  'X-Request-Id': header('Identifies this request; quote it to support.', { type: 'string' }),
  'RateLimit-Limit': header('Requests the account may make per minute.', count),
  'RateLimit-Remaining': header('Requests left in this minute.', count),
  'RateLimit-Reset': header('Seconds until the minute ends.', count),
  'Retry-After': header('Seconds to wait before the same call is made again.', {
    type: 'integer',
    minimum: 1,
  }),
  'Preference-Applied': header('The envelope preference that was applied.', {
    enum: ['envelope=on', 'envelope=off'],
  }),
  Vary: header('`Prefer`, when a preference was applied.', { type: 'string' }),
  'Idempotent-Replayed': header('`true` when this is the stored answer of an earlier call.', {
    const: 'true',
  }),
  'Ignored-Fields': header(
    'Names in the body or query that are not recognised, perhaps misspelt: at most 20, dotted ' +
      'when nested, percent-encoded.',
    { type: 'string', maxLength: 512 },
  ),
  'WWW-Authenticate': header('How to authenticate.', { const: 'Bearer' }),
}

const inHeader = (name: string, description: string, schema: Json, example?: string): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
  ...(example === undefined ? {} : { example }),
})

export const headerParameters: Readonly<Record<string, Json>> = {
  Prefer: inHeader(
    'Prefer',
    '`envelope=off` for bare payloads and bare errors, `envelope=on` for the envelope.',
    { type: 'string' },
    'envelope=off',
  ),
  AcceptLanguage: inHeader(
    'Accept-Language',
    'Language of messages: `fr` or `en`.',
    { type: 'string' },
    'fr',
  ),
  RequestId: inHeader('X-Request-Id', 'Your own id for this request; returned as is.', {
    type: 'string',
    pattern: '^[A-Za-z0-9._-]{1,128}$',
  }),
  IdempotencyKey: inHeader(
    'Idempotency-Key',
    'One key per operation, reused when you retry it: the first answer is returned again and ' +
      'no money moves twice. Kept for 30 days.',
    { type: 'string', minLength: 1, maxLength: 255 },
    'order-1042-attempt-1',
  ),
}
