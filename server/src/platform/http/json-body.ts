// From the bytes of a body to a value that can be validated, stored and compared: parsing, the
// meaning of `null` (contract 1.3), text and numbers that can be kept as they were sent, and the
// canonical form (contract 4.2).

import type { TSchema } from 'typebox'
import { type FieldErrors, refuse, type Text } from '../errors.ts'
import { transportErrors } from './transport-errors.ts'
import { inexactText, unstorableText } from './validation-messages.ts'

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
  en: `Must not be nested more than ${depth_max} levels deep.`,
  fr: `Ne peut pas être imbriqué sur plus de ${depth_max} niveaux.`,
}

/** PostgreSQL keeps neither NUL nor a lone surrogate, in text and in jsonb alike. */
export const isStorable = (text: string): boolean =>
  !text.includes('\0') && !/\p{Surrogate}/u.test(text)

const fieldsOf = (body: unknown) =>
  isObject(body) ? Object.entries(body) : [['body', body] as const]

function isDeep(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth >= depth_max || Object.values(value).some((inner) => isDeep(inner, depth + 1))
}

/** Many times what the longest body that is right holds: numbers, texts, lists and objects. */
const values_max = 10_000

const manyText: Text = {
  en: `The body must not hold more than ${values_max} values.`,
  fr: `Le corps ne peut contenir plus de ${values_max} valeurs.`,
}

/** A megabyte holds half a million values, and every later walk would look at each of them. */
function hasTooMany(body: unknown): boolean {
  const open: unknown[] = [body]
  let seen = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const inner: readonly unknown[] = Array.isArray(next) ? next : Object.values(next)
    seen += inner.length
    if (seen > values_max) return true
    open.push(...inner)
  }
  return false
}

/**
 * A body that no later walk could bear: with too many values, or nested so deep that it would
 * exhaust the stack. Checked before everything else.
 */
export function shapeErrors(body: unknown): FieldErrors {
  if (hasTooMany(body)) return { body: [manyText] }
  const deep = fieldsOf(body).filter(([, value]) => isDeep(value, 1))
  return Object.fromEntries(
    deep.map(([field]) => [isStorable(field) ? field : 'body', [deepText]] as const),
  )
}

// Our answer to a hostile body stays short, however many and however long its keys are.
const fields_reported_max = 100
const field_length_max = 200

/** The first hundred: whoever has so many wrong fields corrects those, and asks again. */
export function fewErrors(fields: FieldErrors): FieldErrors {
  const all = Object.entries(fields)
  return all.length <= fields_reported_max
    ? fields
    : Object.fromEntries(all.slice(0, fields_reported_max))
}

/**
 * Text that cannot be stored, by its dotted field; in a list or in a key it is reported on the
 * field that contains it. The body must have passed `shapeErrors`.
 */
export const storageErrors = (body: unknown): FieldErrors =>
  faultyFields(body, unstorableText, (value) => typeof value === 'string' && !isStorable(value))

/**
 * Numbers that parsing may have changed, so that others would be kept and shown than were sent:
 * whole ones beyond 2^53, and those too large for a double. By the same fields as `storageErrors`.
 */
export const inexactErrors = (body: unknown): FieldErrors =>
  faultyFields(body, inexactText, (value) => typeof value === 'number' && !isExact(value))

const isExact = (value: number): boolean =>
  Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)

function faultyFields(
  body: unknown,
  text: Text,
  isFaulty: (value: unknown) => boolean,
): FieldErrors {
  const found = new Set<string>()
  const visit = (value: unknown, field: string): void => {
    if (found.size >= fields_reported_max) return
    if (isFaulty(value)) found.add(field)
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (isStorable(key)) visit(inner, fieldBelow(value, field, key))
      else if (isFaulty(key)) found.add(field)
    }
  }
  visit(body, '')
  return Object.fromEntries([...found].map((field) => [field || 'body', [text]]))
}

function fieldBelow(parent: object, field: string, key: string): string {
  const below = field === '' ? key : `${field}.${key}`
  return Array.isArray(parent) || below.length > field_length_max ? field : below
}

/** The fields that a schema names, those of its `allOf` parts included. */
export function namedFields(schema: object): JsonObject {
  const { properties, allOf }: { properties?: unknown; allOf?: unknown } = schema
  const parts: unknown[] = Array.isArray(allOf) ? allOf : []
  const own = isObject(properties) ? properties : {}
  return Object.assign({}, ...parts.filter(isObject).map(namedFields), own)
}

/**
 * Whether `null` says something here: the schema takes it, such as an end date that is removed, or
 * it must not be passed over in silence (`x-null-refused`, for what concerns security).
 */
function keepsNull(schema: unknown): boolean {
  if (!isObject(schema)) return false
  const { type, anyOf } = schema
  if (schema['x-null-refused'] === true) return true
  return type === 'null' || (Array.isArray(anyOf) && anyOf.some(keepsNull))
}

/** Whether the field counts as left out: `null`, and `''` where the schema says so. */
function isAbsent(value: unknown, schema: unknown): boolean {
  if (value === null) return !keepsNull(schema)
  return value === '' && isObject(schema) && schema['x-empty-absent'] === true
}

/** The one part of a union that can be meant for a list or an object: `[…] or null`. */
export function meantPart(schema: unknown, value: unknown): unknown {
  if (!isObject(schema) || !Array.isArray(schema['anyOf'])) return schema
  const type = Array.isArray(value) ? 'array' : 'object'
  const parts = schema['anyOf'].filter((part) => isObject(part) && part['type'] === type)
  return parts.length === 1 ? parts[0] : schema
}

/** Set during the walk: the body has a field that no schema names. */
type Noted = { has_unknown: boolean }

/**
 * One item more than a list may have is enough to refuse it; what stands behind is not looked at,
 * because each item would be judged and reported.
 */
function withinBound({ maxItems }: JsonObject, list: readonly unknown[]): readonly unknown[] {
  return typeof maxItems === 'number' && list.length > maxItems ? list.slice(0, maxItems + 1) : list
}

function withoutNullsIn(schema_sent: unknown, value: unknown, noted: Noted): unknown {
  if (typeof value !== 'object' || value === null) return value
  const schema = meantPart(schema_sent, value)
  if (!isObject(schema)) return value
  if (Array.isArray(value)) {
    return withinBound(schema, value).map((row) => withoutNullsIn(schema['items'], row, noted))
  }
  const fields = namedFields(schema)
  // An object of which the schema names no field is the caller's own (metadata): kept as it is.
  if (!isObject(value) || Object.keys(fields).length === 0) return value
  const kept: JsonObject = {}
  for (const [key, inner] of Object.entries(value)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (field === undefined) noted.has_unknown = true
    if (isAbsent(inner, field)) continue
    setOwn(kept, key, withoutNullsIn(field, inner, noted))
  }
  return kept
}

/** Also for `__proto__`, which an assignment would not make a field of. */
function setOwn(object: JsonObject, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true })
}

/**
 * Drops the fields that no schema names (contract 1.3: they are ignored), so that a handler that
 * passes its body on passes on nothing unchecked.
 */
export function namedOnly(schema_sent: unknown, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const schema = meantPart(schema_sent, value)
  if (!isObject(schema)) return value
  if (Array.isArray(value)) return value.map((row) => namedOnly(schema['items'], row))
  const fields = namedFields(schema)
  const named = Object.keys(fields)
  // An object of which the schema names no field is the caller's own (metadata): kept as it is.
  if (!isObject(value) || named.length === 0) return value
  return Object.fromEntries(
    named
      .filter((key) => Object.hasOwn(value, key))
      .map((key) => [key, namedOnly(fields[key], value[key])]),
  )
}

/**
 * Drops each `null` of an object whose fields the schema names: it means "absent" (contract 1.3),
 * unless the field's own schema takes it. Notes whether there is a field that it does not name. A
 * list that is too long keeps one item more than it may have.
 */
export function withoutNulls(
  schema: TSchema,
  sent: unknown,
): Readonly<{ body: unknown; has_unknown: boolean }> {
  const noted = { has_unknown: false }
  const body = withoutNullsIn(schema, sent, noted)
  // A schema that names no field leaves the whole object to the route.
  return { body, has_unknown: noted.has_unknown }
}

/** JSON with sorted keys and no white space: equal for equal bodies, however they were written. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(',')}}`
}
