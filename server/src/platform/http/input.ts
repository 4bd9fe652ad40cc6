// From a request to what a handler gets. A handler sees only what its schemas have passed; path and
// query are text that can be stored, and the URL is built on an origin of our own, never on `Host`.

import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { type FieldErrors, Invalid, refuse } from '../errors.ts'
import { whyNoCookie } from './browser-session.ts'
import { homeOf, sideOf } from './dashboard-host.ts'
import type { Facts, HttpSettings } from './facts.ts'
import { keyErrors } from './headers.ts'
import {
  canonicalJson,
  fewErrors,
  inexactErrors,
  isObject,
  isStorable,
  meantPart,
  namedFields,
  namedOnly,
  shapeErrors,
  storageErrors,
  withoutNulls,
} from './json-body.ts'
import { type Input, notOnce, type ServedRoute } from './route.ts'
import { transportErrors } from './transport-errors.ts'
import { type Check, compileBody, compileQuery } from './validation.ts'
import { unstorableText } from './validation-messages.ts'

export const api_prefix = '/api/v1'

/** A route with its schemas compiled. */
export type PreparedRoute = Readonly<{ route: ServedRoute; body?: Check; query?: Check }>

export function prepareRoute(route: ServedRoute): PreparedRoute {
  return {
    route,
    ...(route.body === undefined ? {} : { body: compileBody(route.body) }),
    ...(route.query === undefined ? {} : { query: compileQuery(route.query) }),
  }
}

function readParams(request: FastifyRequest): Record<string, string> {
  // The router makes an object of decoded strings, which its type cannot express.
  const params = request.params as Record<string, string>
  if (!Object.values(params).every(isStorable)) throw refuse(transportErrors.not_found)
  return params
}

/** This request's address on our own origin that it came to, its path ending in `/`. */
function readUrl({ request, facts, settings }: Omit<Read, 'reportIgnored'>): URL {
  const address = facts.ticket?.target ?? request.url
  const [path = '/'] = address.split('?')
  const search = address.slice(path.length)
  const isAtHome = sideOf(request.headers, settings) === 'dashboard'
  const origin = isAtHome ? homeOf(settings) : settings.public_url.replace(/\/+$/, '')
  return new URL(`${origin}${path.replace(/\/*$/, '/')}${search}`)
}

/** The last value of each parameter; an empty one is absent. */
const readQuery = (url: URL): Record<string, string> =>
  Object.fromEntries([...url.searchParams].filter(([, value]) => value !== ''))

function queryErrors(prepared: PreparedRoute, query: Record<string, string>): FieldErrors {
  const unstorable = Object.entries(query)
    .filter(([, value]) => !isStorable(value))
    .map(([name]) => [name, [unstorableText]])
  const more = prepared.route.check_query?.(query)
  return { ...more, ...prepared.query?.(query), ...Object.fromEntries(unstorable) }
}

type BodyRead = Readonly<{ body: unknown; wrong: FieldErrors; has_unknown: boolean }>

function readBody(prepared: PreparedRoute, sent: unknown): BodyRead {
  const { route, body: check } = prepared
  if (route.upload !== undefined) return { body: sent, wrong: {}, has_unknown: false }
  const shape = shapeErrors(sent)
  // Its shape is checked first, because what follows walks the body without a limit of its own.
  if (Object.keys(shape).length > 0) return { body: sent, wrong: shape, has_unknown: false }
  const unstorable = storageErrors(sent)
  if (route.body === undefined || check === undefined) {
    const has_unknown = isObject(sent) && Object.keys(sent).length > 0
    return { body: sent, wrong: unstorable, has_unknown }
  }
  const { body, has_unknown } = withoutNulls(route.body, sent ?? {})
  const kept = namedOnly(route.body, body)
  const more = isObject(body) ? route.check?.(body) : undefined
  // Where several report a field, the schema's sentence is the plainer one. What is not kept may
  // hold any number: unknown fields do no harm.
  const wrong = { ...inexactErrors(kept), ...more, ...check(body), ...unstorable }
  return { body: kept, wrong, has_unknown }
}

/**
 * A caller or person that the route does not have cannot be read there: a bug, found at the first
 * call.
 */
function withNobodyElse<T extends object>(
  input: T,
  { caller, person }: Facts,
): T & Pick<Input, 'caller' | 'person'> {
  for (const [name, known] of Object.entries({ caller, person })) {
    Object.defineProperty(input, name, {
      enumerable: known !== undefined,
      get() {
        if (known === undefined) throw new Error(`bug: this route has no ${name}`)
        return known
      },
    })
  }
  return input as T & Pick<Input, 'caller' | 'person'> // the properties just defined
}

/** The request, and the callback for names in it that nothing reads. */
export type Read = Readonly<{
  request: FastifyRequest
  facts: Facts
  settings: HttpSettings
  reportIgnored: (names: string) => void
}>

const noBody = { schema: undefined, sent: undefined, has_unknown: false }

/** Checks the query alone, and before anything can refuse: the query is read for every caller. */
export function reportIgnoredQuery(
  { route }: PreparedRoute,
  { reportIgnored, ...read }: Read,
): void {
  if (!read.request.url.includes('?')) return
  const params = readUrl(read).searchParams
  const names = ignoredFields(noBody, { schema: route.query, params })
  if (names !== '') reportIgnored(names)
}

/** Throws `Invalid` with every wrong field of query, body and Idempotency-Key together. */
export function readInput(
  prepared: PreparedRoute,
  { request, facts, settings, reportIgnored }: Read,
): Input {
  const params = readParams(request)
  const url = readUrl({ request, facts, settings })
  const query = readQuery(url)
  const { body, wrong, has_unknown } = readBody(prepared, request.body)
  const report = (more?: readonly string[]) => {
    const sent = { schema: prepared.route.body, sent: request.body, has_unknown }
    const asked = { schema: prepared.route.query, params: url.searchParams }
    reportIgnored(ignoredFields(sent, asked, more))
  }
  if (has_unknown) report()
  const { headers } = request
  const key = prepared.route.idempotent === true ? keyErrors(headers) : {}
  const fields = { ...queryErrors(prepared, query), ...wrong, ...key }
  if (Object.keys(fields).length > 0) throw new Invalid(fewErrors(fields))
  const { locale, ip, request_id } = facts
  const read = { params, query, body, headers, once: notOnce, locale, ip, request_id, url }
  const no_cookie = whyNoCookie(request, settings)
  const browser = { by_cookie: facts.by_cookie, ...(no_cookie === undefined ? {} : { no_cookie }) }
  const { caller } = facts
  const isAsked = prepared.route.knows_callers === true && caller !== undefined
  const known = isAsked ? { known_caller: caller } : {}
  const input = { ...read, ...known, browser, reportIgnored: report }
  return withNobodyElse(input, facts)
}

/**
 * What an idempotency key covers (contract 4.2): the same for an alias, with or without the last
 * slash, and for any spelling of the same JSON.
 */
export function canonicalRequest(
  route: ServedRoute,
  params: Input['params'],
  sent: unknown,
): string {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  return `${route.method} ${path}\n${canonicalJson(sent ?? {})}`
}

// Names in a call that nothing read (contract 8.10): a misspelt field is reported, not swallowed. A
// call without unknown names pays only a check for each key that is visited anyway.

const names_max = 20
const length_max = 512
const name_length_max = 200

type SentBody = Readonly<{ schema: TSchema | undefined; sent: unknown; has_unknown: boolean }>
type SentQuery = Readonly<{ schema: TSchema | undefined; params: URLSearchParams }>

/**
 * The unknown names of a body and a query, and `more` that no schema can know, as the header
 * `Ignored-Fields` lists them; may be empty.
 */
function ignoredFields(body: SentBody, query: SentQuery, more: readonly string[] = []): string {
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
