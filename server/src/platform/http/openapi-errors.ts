// The errors of an operation as OpenAPI shows them: each status with every code that it can have,
// an example of each, and the headers that come with it.

import { type ErrorRow, Refusal } from '../errors.ts'
import { isAnonymous, readsEnvironment } from './admission.ts'
import { answerError } from './errors.ts'
import { isObject } from './json-body.ts'
import { type Components, errorSchema, type Json, refTo } from './openapi-schemas.ts'
import { type Envelope, wrapError } from './reply.ts'
import { isScope, type ServedRoute } from './route.ts'
import { accessErrors, transportErrors } from './transport-errors.ts'
import { requiredText } from './validation-messages.ts'

/** What can happen on the way to the handler of a route that is not public. */
function admissionErrors(route: ServedRoute): ErrorRow[] {
  const { dashboard_only, api_key_scope_forbidden, merchant_suspended, ...others } = accessErrors
  const { totp_required, live_mode_not_enabled, ...always } = others
  const rows: ErrorRow[] = Object.values(always)
  const { access, method } = route
  if (access === 'staff' || route.second_factor !== undefined) rows.push(totp_required)
  if (access === 'person') rows.push(dashboard_only)
  if (access === 'person' || access === 'staff') return rows
  rows.push(live_mode_not_enabled)
  if (access === 'dashboard') rows.push(dashboard_only)
  if (isScope(access) || (access === 'any' && method !== 'GET')) rows.push(api_key_scope_forbidden)
  const suspended = route.suspended ?? (method === 'GET' ? 'allowed' : 'refused')
  if (suspended === 'refused') rows.push(merchant_suspended)
  return rows
}

/** Bodies that need no credential are counted by address. */
const formErrors = (route: ServedRoute): ErrorRow[] =>
  route.body === undefined ? [] : [accessErrors.rate_limited]

function bodyErrors(route: ServedRoute): ErrorRow[] {
  const { malformed_json, payload_too_large, unsupported_media_type } = transportErrors
  if (route.upload !== undefined) return [payload_too_large, unsupported_media_type]
  if (route.body === undefined) return []
  return [malformed_json, payload_too_large, unsupported_media_type]
}

/** A page beyond the end of a list is not found; a list by cursor has no pages. */
function hasPages({ query }: ServedRoute): boolean {
  const { properties }: { properties?: unknown } = query ?? {}
  return isObject(properties) && 'page' in properties && !('cursor' in properties)
}

/** Every error row that the route can answer, its own and those of the way to it. */
function errorsOf(route: ServedRoute): ErrorRow[] {
  const rows = [
    ...(isAnonymous(route) ? formErrors(route) : admissionErrors(route)),
    ...bodyErrors(route),
    ...(route.path.includes(':') || hasPages(route) ? [transportErrors.not_found] : []),
    ...(route.errors ?? []),
    transportErrors.internal_error,
    transportErrors.service_unavailable,
  ]
  // A route's own row of a code replaces the general one.
  return [...new Map(rows.map((row) => [row.code, row])).values()]
}

const canBeInvalid = (route: ServedRoute): boolean =>
  [route.body, route.query, route.names_fields].some((one) => one !== undefined) ||
  route.idempotent === true ||
  readsEnvironment(route)

/** References to the headers of an answer: those of every one, and `names`. */
export function headersOf(route: ServedRoute, names: readonly string[]): Json {
  const always = ['X-Request-Id', 'Preference-Applied', 'Vary', 'Ignored-Fields']
  const rate = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
  const all = [...always, ...(isAnonymous(route) ? [] : rate), ...names]
  return Object.fromEntries(all.map((name) => [name, refTo('headers', name)]))
}

/** A refusal that may name what was made is shown without and with it. */
function errorExamples(row: ErrorRow, envelope: Envelope): Record<string, Json> {
  const { code, names } = row
  const plain = { [code]: errorExample(row, envelope) }
  if (names === undefined) return plain
  const named = `${code}_with_${Object.keys(names).join('_')}`
  return { ...plain, [named]: errorExample(row, envelope, names) }
}

function errorExample(row: ErrorRow, envelope: Envelope, extra: ErrorRow['names'] = {}): Json {
  const { error } = answerError(new Refusal(row, { extra }), 'en')
  const bare = JSON.stringify(error)
  const value = JSON.parse(envelope === 'on' ? wrapError(bare, row.status) : bare)
  return { summary: row.message.en, value }
}

function invalidExample(route: ServedRoute, envelope: Envelope): Json {
  const required: unknown = isObject(route.body) ? route.body['required'] : undefined
  const [field = 'field'] = Array.isArray(required) ? required.map(String) : []
  const bare = JSON.stringify({ [field]: [requiredText.en] })
  const value = JSON.parse(envelope === 'on' ? wrapError(bare, 400) : bare)
  return { summary: 'Every invalid field, by name.', value }
}

function errorResponse(
  route: ServedRoute,
  status: number,
  rows: readonly ErrorRow[],
  envelope: Envelope,
): Json {
  const codes = rows.map((row) => row.code)
  const invalid = status === 400 && canBeInvalid(route)
  const business: Json = {
    allOf: [
      refTo('schemas', 'BusinessError'),
      { properties: { code: { type: 'string', enum: codes } } },
    ],
  }
  const forms = [
    ...(codes.length > 0 ? [business] : []),
    ...(invalid ? [refTo('schemas', 'ValidationError')] : []),
  ]
  const error = forms.length === 1 && forms[0] !== undefined ? forms[0] : { anyOf: forms }
  const examples = {
    ...(invalid ? { validation: invalidExample(route, envelope) } : {}),
    ...Object.assign({}, ...rows.map((row) => errorExamples(row, envelope))),
  }
  const waits = status === 429 || rows.some((row) => row.retryable || row.waits === true)
  // A refusal that is kept under a key comes back as it was (contract 4.3).
  const kept = status === 422 && route.idempotent === true
  const names = [
    ...(waits ? ['Retry-After'] : []),
    ...(kept ? ['Idempotent-Replayed'] : []),
    ...(status === 401 ? ['WWW-Authenticate'] : []),
  ]
  return {
    description: [...(invalid ? ['validation'] : []), ...codes].map((c) => `\`${c}\``).join(', '),
    headers: headersOf(route, names),
    content: {
      'application/json': {
        schema: envelope === 'on' ? errorSchema(error, status) : error,
        examples,
      },
    },
  }
}

/** The error responses of the route, by status. */
export function errorResponses(
  route: ServedRoute,
  envelope: Envelope,
  components: Components,
): Record<string, Json> {
  const rows = errorsOf(route)
  const statuses = new Set(rows.map((row) => row.status))
  if (canBeInvalid(route)) statuses.add(400)
  return Object.fromEntries(
    [...statuses].map((status) => {
      const here = rows.filter((row) => row.status === status)
      const response = errorResponse(route, status, here, envelope)
      return [String(status), components.shareResponse(status, response)]
    }),
  )
}
