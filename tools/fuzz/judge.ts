// What every answer must be, whatever the request: no error of ours, in time, in its envelope, with
// its request id, and silent about what is inside.

import type { Answer } from './answer.ts'
import type { Outcome } from './caller.ts'
import { isObject } from './json-text.ts'
import { type FuzzRequest, isWhole } from './request.ts'

/** What is wrong with the outcome; nothing when it is as it must be. */
export function judge(request: FuzzRequest, outcome: Outcome, limit_ms: number): string[] {
  const { answers, fault, hung_up, took_ms } = outcome
  const wrong = answers.flatMap((answer) => judgeAnswer(request, answer))
  if (fault !== undefined) wrong.push(fault)
  if (took_ms > limit_ms) wrong.push(`took ${Math.round(took_ms)} ms`)
  const may_be_silent = mayBeSilent(request) || (hung_up && !isWhole(request))
  if (answers.length === 0 && fault === undefined && !may_be_silent) wrong.push('no answer')
  return wrong
}

/** A message that never began, or asks for a tunnel, is answered by closing. */
function mayBeSilent({ raw }: FuzzRequest): boolean {
  return raw !== undefined && (/^[\r\n]*$/.test(raw) || raw.includes('CONNECT'))
}

const insides = [
  /\bnode_modules\b|\bnode:internal\b|\.(ts|mjs|js):\d+:\d+/,
  /PostgresError|syntax error at or near|violates .* constraint|invalid input syntax/i,
  /duplicate key value|relation ".*" does not exist|invalid byte sequence|out of range for type/i,
]

function judgeAnswer(request: FuzzRequest, answer: Answer): string[] {
  const { status, headers, body } = answer
  const wrong: string[] = []
  const must = (holds: boolean, message: string) => {
    if (!holds) wrong.push(message)
  }
  must(status < 500, `status ${status}`)
  must(/^[A-Za-z0-9._-]{1,128}$/.test(headers['x-request-id'] ?? ''), 'no X-Request-Id')
  must(headers['x-content-type-options'] === 'nosniff', 'no X-Content-Type-Options')
  must(headers['x-injected'] === undefined, 'a header of the caller came back as ours')
  must(status !== 401 || headers['www-authenticate'] !== undefined, '401 without WWW-Authenticate')
  must(status !== 405 || headers['allow'] !== undefined, '405 without Allow')
  must(status !== 429 || headers['retry-after'] !== undefined, '429 without Retry-After')
  must(isDocumented(request, status), `status ${status} is not documented here`)
  const text = body.toString()
  const leak = status < 400 ? undefined : insides.find((inside) => inside.test(text))
  must(leak === undefined, `tells of the inside: ${leak?.exec(text)?.[0]}`)
  return [...wrong, ...judgeBody(request, answer, text)]
}

/** Broken HTTP and unreadable addresses are refused before any route is known. */
const anywhere = [400, 404, 408, 413, 414, 415, 431]

const isDocumented = ({ statuses }: FuzzRequest, status: number): boolean =>
  statuses === undefined || statuses.includes(status) || anywhere.includes(status)

function judgeBody(request: FuzzRequest, answer: Answer, text: string): string[] {
  const { status, headers } = answer
  if (request.method === 'HEAD' || status === 204 || status === 304) return []
  const type = headers['content-type'] ?? ''
  if (type.startsWith('text/html') && page.test(request.target)) return judgePage(answer)
  if (!type.startsWith('application/json')) {
    return status < 400 ? [] : [`an error as "${type}": ${text.slice(0, 60)}`]
  }
  const value = parse(text)
  if (value === undefined) return [`not JSON: ${text.slice(0, 60)}`]
  const isWrapped = isObject(value) && 'success' in value
  const form = headers['preference-applied'] ?? formOf(request, status)
  return form === 'envelope=on' || (form === 'either' && isWrapped)
    ? judgeEnvelope(value, status)
    : judgeError(value, status)
}

/** A payer reads a page, errors too: it may load and run nothing, and nothing caches it. */
function judgePage({ headers }: Answer): string[] {
  const isShut = headers['content-security-policy']?.startsWith("default-src 'none'") === true
  const isKept = headers['cache-control'] !== 'no-store'
  return [...(isShut ? [] : ['an open page']), ...(isKept ? ['a page that is kept'] : [])]
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const bareApi = /^(http:\/\/[^/]*)?\/api\/v1\/(countries\/?|openapi\.json\/?)(#|;|$)/i
const page = /^(http:\/\/[^/]*)?\/(checkout|pay|receipts)\//
const originRoute = /^(http:\/\/[^/]*)?\/+(callbacks|healthz|readyz|docs)\b/

/**
 * Documented without an envelope: the list of countries and the document. Origin routes answer one
 * word.
 */
function formOf({ target, raw }: FuzzRequest, status: number) {
  if (originRoute.test(target) || raw?.includes('/healthz') === true) return 'either'
  return status < 400 && bareApi.test(decoded(target)) ? 'envelope=off' : 'envelope=on'
}

function decoded(target: string): string {
  const [path = ''] = target.split('?')
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function judgeEnvelope(value: unknown, status: number): string[] {
  const content = status < 400 ? 'data' : 'error'
  const isWhole =
    isObject(value) &&
    Object.keys(value).sort().join() === ['code', content, 'success'].sort().join() &&
    value['success'] === status < 400 &&
    value['code'] === status
  if (!isWhole) return [`no envelope: ${JSON.stringify(value).slice(0, 80)}`]
  return judgeError(value[content], status)
}

/** A refusal has a code and a message; a wrong body has its fields, each with sentences. */
function judgeError(error: unknown, status: number): string[] {
  if (status < 400) return []
  if (!isObject(error)) return ['an error that is no object']
  if (typeof error['code'] === 'string' && typeof error['message'] === 'string') return []
  const values = Object.values(error)
  const isFields = values.length > 0 && values.every((one) => Array.isArray(one) && one.length > 0)
  if (status === 400 && isFields) return []
  // The origin routes answer one word of their own.
  return typeof error['status'] === 'string' ? [] : [`an error without a code: ${status}`]
}
