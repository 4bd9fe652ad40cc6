// Schemas as OpenAPI shows them: a schema whose `title` is a name becomes a component of that name,
// so that generated clients have types; our own annotations are left out.

import { assert } from '../errors.ts'
import { isObject } from './json-body.ts'

export type Json = { [key: string]: unknown }

/** Annotations for our own checks, which nobody else can read. */
const ours: ReadonlySet<string> = new Set(['x-message', 'x-null-refused'])

/** Collects what the operations of one document share. */
export class Components {
  readonly schemas: Record<string, Json> = {}
  readonly responses: Record<string, Json> = {}
  readonly #names = new Map<string, string>()

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
    const shown = Object.fromEntries(entries.map(([key, part]) => [key, this.#show(part)]))
    return this.#named(shown)
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

/** The envelope around a payload's schema (contract 1.2). */
export const successSchema = (data: Json, status: number): Json => ({
  type: 'object',
  required: ['success', 'data', 'code'],
  properties: { success: { const: true }, data, code: { const: status } },
})

export const errorSchema = (error: Json, status: number): Json => ({
  type: 'object',
  required: ['success', 'error', 'code'],
  properties: { success: { const: false }, error, code: { const: status } },
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
        description: 'With `invalid_method`: the networks of the country that would do.',
      },
      nearest: { type: 'string', description: 'The one of `accepted` nearest to what was sent.' },
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
