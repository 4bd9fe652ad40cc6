// Names in a call that nothing read (contract 8.10): a misspelt field is reported, not swallowed. A
// call without unknown names pays only a check for each key that is visited anyway.

import type { TSchema } from 'typebox'
import { isObject, meantPart, namedFields } from './json-body.ts'

const names_max = 20
const length_max = 512
const name_length_max = 200

type SentBody = Readonly<{ schema: TSchema | undefined; sent: unknown; has_unknown: boolean }>
type SentQuery = Readonly<{ schema: TSchema | undefined; params: URLSearchParams }>

/**
 * The unknown names of a body and a query, and `more` that no schema can know, as the header
 * `Ignored-Fields` lists them; may be empty.
 */
export function ignoredFields(
  body: SentBody,
  query: SentQuery,
  more: readonly string[] = [],
): string {
  const names: string[] = []
  if (body.has_unknown) collect(body.schema ?? {}, body.sent, { at: '', names })
  const known = namedFields(query.schema ?? {})
  for (const name of query.params.keys()) {
    if (names.length >= names_max) break
    if (!Object.hasOwn(known, name) && !names.includes(name)) names.push(name)
  }
  names.push(...more.slice(0, names_max - names.length))
  return names.length === 0 ? '' : written(names)
}

type Found = Readonly<{ at: string; names: string[] }>

function collect(outer: unknown, value: unknown, { at, names }: Found): void {
  const schema = meantPart(outer, value)
  if (!isObject(schema) || names.length >= names_max) return
  if (Array.isArray(value)) {
    for (const [index, row] of value.entries()) {
      if (names.length >= names_max) return
      collect(schema['items'], row, { at: below(at, String(index)), names })
    }
    return
  }
  const fields = namedFields(schema)
  // An object of which the schema names no field is the caller's own (metadata).
  if (!isObject(value) || (at !== '' && Object.keys(fields).length === 0)) return
  for (const [name, inner] of Object.entries(value)) {
    if (names.length >= names_max) return
    if (Object.hasOwn(fields, name)) collect(fields[name], inner, { at: below(at, name), names })
    else names.push(below(at, name))
  }
}

const below = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`)

/** As many names as fit, each whole and in characters that a header may hold. */
function written(names: readonly string[]): string {
  let line = ''
  for (const name of names) {
    const next = line === '' ? encoded(name) : `${line}, ${encoded(name)}`
    if (next.length > length_max) return line === '' ? beginning(name) : line
    line = next
  }
  return line
}

/**
 * The start of a name that is too long by itself: whole characters, so that it can still be
 * decoded.
 */
function beginning(name: string): string {
  let line = ''
  for (const sign of name) {
    const next = line + encoded(sign)
    if (next.length > length_max) break
    line = next
  }
  return line
}

/** Halves of surrogate pairs cannot be encoded: they become U+FFFD, as in any UTF-8. */
const encoded = (name: string): string =>
  encodeURIComponent(Buffer.from(name.slice(0, name_length_max)).toString()).replace(
    /[!'()*~]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
