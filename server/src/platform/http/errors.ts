// The one place that turns an error into an answer. A refusal shows its code, an invalid body its
// fields, a bug nothing but `internal_error`: what happened goes to the log only.

import { isDatabaseAway, isLockTimeout, isOutOfRoom, isPassing, isTooSlow } from '../db.ts'
import {
  type ErrorRow,
  type FieldErrors,
  Invalid,
  type Locale,
  Refusal,
  refuse,
} from '../errors.ts'
import { rateHeaders } from './headers.ts'
import type { Rate } from './route.ts'
import { transportErrors } from './transport-errors.ts'

/** A bare error object (the envelope comes later) with its status and headers. */
export type ErrorAnswer = Readonly<{
  status: number
  error: Readonly<Record<string, unknown>>
  headers: Readonly<Record<string, string>>
  /** True when the error is ours: to be logged as such. */
  bug: boolean
}>

const transport = transportErrors

/** Errors of the HTTP layer below us, by their code, as rows of ours. */
const rowByCode: Readonly<Record<string, ErrorRow>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: transport.payload_too_large,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: transport.unsupported_media_type,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: transport.bad_request,
  FST_ERR_CTP_INVALID_TYPE: transport.unsupported_media_type,
  // A path that cannot be decoded or has an endless part names nothing that exists.
  FST_ERR_BAD_URL: transport.not_found,
  // A method that the parser knows and the router does not (PRI, SOURCE).
  FST_ERR_NOT_FOUND: transport.not_found,
  FST_ERR_MAX_PARAM_LENGTH: transport.not_found,
  // A path that would lead out of the folder of the documentation's files.
  FST_STATIC_FORBIDDEN_PATH: transport.not_found,
  HPE_HEADER_OVERFLOW: transport.headers_too_large,
  ERR_HTTP_REQUEST_TIMEOUT: transport.request_timeout,
}

function rowOf(error: unknown): ErrorRow {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const unread: ErrorRow | undefined = code.startsWith('HPE_') ? transport.bad_request : undefined
  // Also a client that went away while sending: nobody reads the answer.
  const isAway = isDatabaseAway(error) || isOutOfRoom(error)
  const away = isAway ? transport.service_unavailable : undefined
  return rowByCode[code] ?? unread ?? away ?? transport.internal_error
}

function answerRefusal(refusal: Refusal, locale: Locale): ErrorAnswer {
  const { row, detail } = refusal
  const message = (detail.message ?? row.message)[locale]
  const flag = refusal.retryable ? { retryable: true } : {}
  const headers = rateOf(refusal)
  const waits = refusal.retryable || row.waits === true || row.status === 429
  if (waits || detail.retry_after_s !== undefined) {
    headers['Retry-After'] = String(Math.max(1, Math.ceil(detail.retry_after_s ?? 1)))
  }
  if (row.status === 401) headers['WWW-Authenticate'] = 'Bearer'
  const error = { ...detail.extra, message, code: row.code, ...flag }
  return { status: row.status, error, headers, bug: false }
}

const isRate = (value: unknown): value is Rate =>
  typeof value === 'object' && value !== null && 'remaining' in value && 'reset_s' in value

/** The allowance that a refusal carries: a 429 refuses a caller before the request knows them. */
const rateOf = (error: Refusal): Record<string, string> =>
  'rate' in error && isRate(error.rate) ? rateHeaders(error.rate) : {}

const inLocale = (fields: FieldErrors, locale: Locale): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(fields).map(([field, texts]) => [field, texts.map((text) => text[locale])]),
  )

/** The database was too slow: nothing was written, so the same request may be repeated. */
function outOfTime(error: unknown): Refusal | undefined {
  const { service_unavailable } = transport
  if (isLockTimeout(error)) return refuse(service_unavailable, { message: lockedText, ...later })
  if (isTooSlow(error)) return refuse(service_unavailable, { message: slowText, ...later })
  // It was repeated a few times already.
  if (isPassing(error)) return refuse(service_unavailable, { message: lockedText, ...later })
  return undefined
}

const later = { retry_after_s: 2 }

const lockedText = {
  en: 'Another operation is using what this one needs. Try again in a few seconds.',
  fr: 'Une autre opération utilise ce dont celle-ci a besoin. Réessayez dans quelques secondes.',
}

const slowText = {
  en: 'The request took too long. Narrow it (a period, a filter, a longer search term).',
  fr: 'La demande a pris trop de temps. Précisez-la : une période, un filtre, un mot plus long.',
}

/** The answer to anything that was thrown, in the caller's language. */
export function answerError(error: unknown, locale: Locale): ErrorAnswer {
  const timed = outOfTime(error)
  if (timed !== undefined) return answerRefusal(timed, locale)
  if (error instanceof Refusal) return answerRefusal(error, locale)
  if (error instanceof Invalid) {
    return { status: 400, error: inLocale(error.fields, locale), headers: {}, bug: false }
  }
  const row = rowOf(error)
  // A full disk is answered as an outage, and logged as what somebody must look at.
  const bug = row === transport.internal_error || (isOutOfRoom(error) && !isDatabaseAway(error))
  return { ...answerRefusal(new Refusal(row), locale), bug }
}

/** Whether it is answered as something that the same call may get after all. */
export const isAnsweredRetryable = (error: unknown): boolean =>
  answerError(error, 'en').error['retryable'] === true

/** A refusal as it is answered, for storing: its status and bare error as text. */
export function renderRefusal(
  refusal: Refusal,
  { locale }: Readonly<{ locale: Locale }>,
): { status: number; json: string } {
  const { status, error } = answerRefusal(refusal, locale)
  return { status, json: JSON.stringify(error) }
}
