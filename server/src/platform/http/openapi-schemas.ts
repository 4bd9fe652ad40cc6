// Schemas as OpenAPI shows them: a schema whose `title` is a name becomes a component of that name,
// so that generated clients have types; our own annotations are left out.

import { assert } from '../errors.ts'
import { isObject } from './json-body.ts'

export type Json = { [key: string]: unknown }

/** Annotations for our own checks, which nobody else can read. */
const ours: ReadonlySet<string> = new Set(['x-message', 'x-null-refused', 'x-empty-absent'])

/** Collects what the operations of one document share. */
export class Components {
  readonly schemas: Record<string, Json> = {}
  readonly responses: Record<string, Json> = {}
  readonly #names = new Map<string, string>()
  readonly #meanings: Readonly<Record<string, string>>

  /** `meanings`: what a field means, by its name, where its schema does not say it. */
  constructor(meanings: Readonly<Record<string, string>> = {}) {
    this.#meanings = meanings
  }

  /** Undefined for a name that has none. */
  meaningOf(name: string): string | undefined {
    return this.#meanings[name]
  }

  /** A reference to the response: equal ones, as most errors are, appear once in the document. */
  shareResponse(status: number, response: Json): Json {
    const text = JSON.stringify(response)
    const alike = Object.keys(this.responses).filter((name) => name.startsWith(`Error${status}`))
    const name = this.#names.get(text) ?? `Error${status}_${alike.length + 1}`
    this.#names.set(text, name)
    this.responses[name] = response
    return refTo('responses', name)
  }

  /** The schema as plain JSON, its named parts replaced by references. */
  publish(schema: unknown): Json {
    const shown = this.#show(JSON.parse(JSON.stringify(schema)))
    assert(isObject(shown), 'a schema is an object')
    return shown
  }

  #show(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((part) => this.#show(part))
    if (!isObject(value)) return value
    const entries = Object.entries(value).filter(([key]) => !ours.has(key))
    const shown = Object.fromEntries(
      entries.map(([key, part]) => {
        const isFields = key === 'properties' && isObject(part)
        return [key, isFields ? this.#showFields(part) : this.#show(part)]
      }),
    )
    return this.#named(typed(shown))
  }

  #showFields(fields: Json): Json {
    return Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        const shown = this.#show(field)
        const meaning = this.#meanings[name]
        if (!isObject(shown) || 'description' in shown || meaning === undefined)
          return [name, shown]
        return [name, { ...shown, description: meaning }]
      }),
    )
  }

  #named(shown: Json): Json {
    const { title } = shown
    // `type` distinguishes a schema from a record field that happens to be called "title".
    if (typeof title !== 'string' || !/^[A-Z][A-Za-z0-9]*$/.test(title)) return shown
    const known = this.schemas[title]
    assert(
      known === undefined || JSON.stringify(known) === JSON.stringify(shown),
      `two different schemas are called ${title}`,
    )
    this.schemas[title] = shown
    return { $ref: `#/components/schemas/${title}` }
  }
}

/** Generators of clients want the type beside the values. */
function typed(shown: Json): Json {
  const { enum: values } = shown
  if (!Array.isArray(values) || 'type' in shown) return shown
  const texts = values.filter((value) => value !== null)
  if (!texts.every((value) => typeof value === 'string')) return shown
  return { type: texts.length < values.length ? ['string', 'null'] : 'string', ...shown }
}

const status_meaning = 'The HTTP status, as in the status line.'

/** A schema that says by itself what it is, or is one that is known by name, stays as it is. */
const explained = (schema: Json, meaning: string): Json =>
  'description' in schema || '$ref' in schema ? schema : { ...schema, description: meaning }

/** The envelope around a payload's schema (contract 1.2). */
export const successSchema = (data: Json, status: number): Json => ({
  type: 'object',
  required: ['success', 'data', 'code'],
  properties: {
    success: { const: true, description: 'The call succeeded.' },
    data: explained(data, 'What was asked for.'),
    code: { const: status, description: status_meaning },
  },
})

export const errorSchema = (error: Json, status: number): Json => ({
  type: 'object',
  required: ['success', 'error', 'code'],
  properties: {
    success: { const: false, description: 'The call was refused, or failed.' },
    error: explained(error, 'Why, and what to do.'),
    code: { const: status, description: status_meaning },
  },
})

/** The two forms of an error (contract 1.3). */
export const errorSchemas: Readonly<Record<string, Json>> = {
  BusinessError: {
    title: 'BusinessError',
    type: 'object',
    required: ['message', 'code'],
    properties: {
      message: { type: 'string', description: 'Human-readable, in French or English.' },
      code: { type: 'string', description: 'Stable; base your logic on this.' },
      retryable: {
        const: true,
        description: 'Present when the same call may succeed later unchanged.',
      },
      accepted: {
        type: 'array',
        items: { type: 'string' },
        description: 'With `invalid_method`: the networks of the country that are accepted.',
      },
      nearest: { type: 'string', description: 'The one of `accepted` nearest to what was sent.' },
      field: {
        type: 'string',
        description: 'With `invalid_customer`: the field of the number, dotted where nested.',
      },
      example: {
        type: 'string',
        description: 'With `invalid_customer`: a number that could be there, E.164.',
      },
      transaction: {
        type: 'string',
        format: 'uuid',
        description:
          'With `no_route_available`: the `FAILED` transaction, where every operator route has ' +
          'refused it. Absent where nothing was made.',
      },
    },
  },
  ValidationError: {
    title: 'ValidationError',
    type: 'object',
    description: 'By field; nested fields are dotted, headers are named as such.',
    additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
  },
}

export const refTo = (kind: string, name: string): Json => ({
  $ref: `#/components/${kind}/${name}`,
})

// The headers of the interface, in and out (contract 1.2, 1.4, 4.1), once for all operations.

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
    type: 'string',
    enum: ['envelope=on', 'envelope=off'],
  }),
  Vary: header('`Prefer`, when a preference was applied; what else the answer goes by.', {
    type: 'string',
  }),
  'Idempotent-Replayed': header('`true` when this is the stored answer of an earlier call.', {
    const: 'true',
  }),
  'Content-Disposition': header('The name of the file: `attachment; filename="…"`.', {
    type: 'string',
  }),
  'Content-Language': header('The language it is written in.', { type: 'string' }),
  'Time-Zone': header('By whose clocks its times are written, `UTC` unless `locale=fr`.', {
    type: 'string',
  }),
  ETag: header('Of this answer; send it back in `If-None-Match`.', { type: 'string' }),
  'Ignored-Fields': header(
    'Names in the body or query that are not recognised, perhaps misspelt: at most 20, dotted ' +
      'when nested, percent-encoded.',
    { type: 'string', maxLength: 512 },
  ),
  'Set-Cookie': header(
    'The session’s cookie, where one was asked for or came with this call: new, or deleted.',
    { type: 'string' },
  ),
  'Clear-Site-Data': header('With a deleted session cookie: what the page kept is deleted too.', {
    const: '"cache", "storage"',
  }),
  'WWW-Authenticate': header('How to authenticate.', { const: 'Bearer' }),
}

/** An optional header of requests, as a parameter. */
export const inHeader = (
  name: string,
  description: string,
  schema: Json,
  example?: string,
): Json => ({
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
