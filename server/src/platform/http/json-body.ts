// From the bytes of a body to a value that can be validated, stored and compared: parsing, the
// meaning of `null` (decisions 1.3), text that PostgreSQL can keep, and the canonical form (4.2).

import type { TSchema } from 'typebox'
import { type FieldErrors, refuse, type Text } from '../errors.ts'
import { transportErrors } from './transport-errors.ts'
import { unstorableText } from './validation-messages.ts'

type JsonObject = Record<string, unknown>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The JSON of the bytes; `undefined` when there are none. Throws `malformed_json`. */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    // The parser's own message quotes the body, which may hold a phone number or a code.
    throw refuse(transportErrors.malformed_json)
  }
}

const depth_max = 32

const deepText: Text = {
  en: `May not be nested deeper than ${depth_max} levels.`,
  fr: `Ne peut pas être imbriqué sur plus de ${depth_max} niveaux.`,
}

/** PostgreSQL keeps neither NUL nor a lone surrogate, in text and in jsonb alike. */
export const isStorable = (text: string): boolean =>
  !text.includes('\0') && !/\p{Surrogate}/u.test(text)

function wrongIn(value: unknown, depth: number): Text | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : unstorableText
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= depth_max) return deepText
  for (const [key, inner] of Object.entries(value)) {
    const wrong = isStorable(key) ? wrongIn(inner, depth + 1) : unstorableText
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/** What no schema says: text that cannot be stored, nesting that would exhaust the stack. */
export function storageErrors(body: unknown): FieldErrors {
  const entries = isObject(body) ? Object.entries(body) : [['body', body] as const]
  const fields: Record<string, Text[]> = {}
  for (const [field, value] of entries) {
    const name = isStorable(field) ? field : 'body'
    const wrong = name === field ? wrongIn(value, 1) : unstorableText
    if (wrong !== undefined) fields[name] = [wrong]
  }
  return fields
}

/** The fields that a schema names, those of its `allOf` parts included. */
function namedFields(schema: object): JsonObject {
  const { properties, allOf }: { properties?: unknown; allOf?: unknown } = schema
  const parts: unknown[] = Array.isArray(allOf) ? allOf : []
  const own = isObject(properties) ? properties : {}
  return Object.assign({}, ...parts.filter(isObject).map(namedFields), own)
}

function withoutNullsIn(schema: unknown, value: unknown): unknown {
  if (!isObject(schema)) return value
  if (Array.isArray(value)) {
    return value.map((row) => withoutNullsIn(schema['items'], row))
  }
  const fields = namedFields(schema)
  // An object of which the schema names no field is the caller's own (metadata): kept as it is.
  if (!isObject(value) || Object.keys(fields).length === 0) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [key, withoutNullsIn(fields[key], inner)]),
  )
}

/** Drops each `null` of an object whose fields the schema names: it means "absent". */
export const withoutNulls = (schema: TSchema, body: unknown): unknown =>
  withoutNullsIn(schema, body)

/** JSON with sorted keys and no white space: equal for equal bodies, however they were written. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(',')}}`
}
