// The only place that speaks to the API: bare answers, the reader's language, the merchant and the
// environment of the address. Law: a call that failed is one of the kinds below, and a session that
// is over is made known once, here.

import { learnClock } from './clock.ts'
import { isOnline, waitFor } from './connection.ts'
import { isAnybodyHere } from './presence.ts'

export type Environment = 'SANDBOX' | 'LIVE'

/** Whom a call is for; without it the call is the person's own. */
export type Place = Readonly<{ merchant: string; environment: Environment }>

export type Failure =
  /** By field, in the reader's language. */
  | Readonly<{ is: 'fields'; fields: Readonly<Record<string, readonly string[]>> }>
  | Readonly<{
      is: 'refused'
      status: number
      code: string
      message: string
      retryable: boolean
      request_id: string
      /** 0: the API said nothing of it. */
      retry_after_s: number
    }>
  /** Without a network: nothing was sent, and nothing will be. */
  | Readonly<{ is: 'offline' }>
  /** No answer: whether the call arrived is not known. `isLate`: a read that was given up. */
  | Readonly<{ is: 'unreached'; isLate?: boolean }>

export class CallFailed extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.is === 'refused' ? `${failure.status} ${failure.code}` : failure.is)
    this.failure = failure
  }
}

/** What of an operation of `api/` a call is made of. */
export type Operation = Readonly<{ url: string; path?: object; query?: object; body?: unknown }>

export type Request<Of extends Operation> = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: Of['url']
  path?: Of['path']
  query?: Of['query']
  body?: Of['body']
  place?: Place | undefined
  /** The same key, the same deed: what was done with it is answered, not done again. */
  key?: string | undefined
  signal?: AbortSignal | undefined
  /** Asked by the page itself: it uses no session, whoever is here. */
  isBackground?: boolean
  /** By which the service's log knows it. */
  id?: string
}>

/** The bare content of an enveloped answer. */
export type ContentOf<Answer> = Answer extends { data: infer Content } ? Content : Answer

const patience_ms = 30_000
/** Of a file: as long as the service waits for one. */
const file_patience_ms = 300_000

declare const __is_development__: boolean

/** Where the dashboard is served, with a slash at its end: this file lies in its `assets/`. */
export const root = __is_development__ ? '/' : new URL('../', import.meta.url).pathname
const api = __is_development__ ? '/api/v1' : new URL('../../api/v1', import.meta.url).pathname

type Settings = {
  language: string
  onSessionOver: () => void
  onRightsLost: () => void
  /** An act met nothing: what the screen still shows of it is gone. */
  onGone: () => void
}
const nothing = () => undefined
const settings: Settings = {
  ...{ language: 'fr', onSessionOver: nothing, onRightsLost: nothing, onGone: nothing },
}

/** Set by `app/` when it starts, and when the reader chooses another language. */
export const configureCalls = (changes: Partial<Settings>): void => {
  Object.assign(settings, changes)
}

export async function call<Of extends Operation, Answer>(
  request: Request<Of>,
): Promise<ContentOf<Answer>> {
  const patience = withinPatience(request)
  const isRead = request.method === 'GET'
  if (isRead) reads.add(patience)
  try {
    const answer = await reach(request, patience.signal)
    if (!answer.ok) throw await failed(answer, request)
    return JSON.parse((await answer.text()) || 'null')
  } catch (cause) {
    // Torn on its way, or the page of a network that wants a password first: no answer of ours.
    if (request.signal?.aborted === true || cause instanceof CallFailed) throw cause
    throw new CallFailed({ is: 'unreached', isLate: isRead && patience.signal.aborted })
  } finally {
    reads.delete(patience)
  }
}

/** Those that are under way. */
const reads = new Set<AbortController>()

/** Whoever has waited long enough gives up all that is being read, and can ask for it again. */
export function giveUpReads(): void {
  for (const read of reads) read.abort()
}

/** The answer as it is: that a session is over, or a limit reached, is made known nowhere else. */
export async function reach(request: Request<Operation>, signal?: AbortSignal): Promise<Response> {
  const { method, place, body, key, id, isBackground = false } = request
  const isFile = body instanceof Blob
  if (method !== 'GET' && !isOnline()) throw new CallFailed({ is: 'offline' })
  const answer = await fetch(api + addressOf(request), {
    method,
    signal: signal ?? null,
    ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
    headers: {
      ...own(isBackground || (method === 'GET' && !isAnybodyHere())),
      Prefer: 'envelope=off',
      'Accept-Language': settings.language,
      ...(body === undefined ? {} : { 'Content-Type': isFile ? body.type : 'application/json' }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      ...(id && { 'X-Request-Id': id }),
      ...(place && { 'X-Merchant': place.merchant, 'X-Environment': place.environment }),
    },
  })
  learnClock(answer.headers.get('date'))
  return answer
}

/** What our cookie counts with, and that nobody has used the session by this call. */
const own = (isBackground: boolean): Record<string, string> => ({
  'X-Requested-With': 'pirogue',
  ...(isBackground && { 'X-Background': '1' }),
})

/** How following an answer without an end came to its end. */
export type Followed = 'ended' | 'refused' | 'unreached'

/** The service says every quarter of a minute that it is still there. */
const silence_ms = 45_000

/**
 * Reads text for as long as it comes, and never fails: a session that is over is left to the calls
 * of the screen, which somebody has asked for.
 */
export async function follow<Of extends Operation>(
  { url, query, place, signal }: Omit<Request<Of>, 'method' | 'body' | 'key'>,
  onText: (text: string) => void,
): Promise<Followed> {
  const silence = new AbortController()
  const leave = () => silence.abort()
  signal?.addEventListener('abort', leave, { once: true })
  let timer = setTimeout(leave, silence_ms)
  let hasBegun = false
  try {
    const answer = await fetch(api + addressOf({ url, query }), {
      signal: silence.signal,
      headers: {
        ...own(true),
        ...(place && { 'X-Merchant': place.merchant, 'X-Environment': place.environment }),
      },
    })
    if (!answer.ok || answer.body === null) return 'refused'
    const reader = answer.body.getReader()
    const decoder = new TextDecoder()
    hasBegun = true
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return 'ended'
      clearTimeout(timer)
      timer = setTimeout(leave, silence_ms)
      onText(decoder.decode(value, { stream: true }))
    }
  } catch {
    return hasBegun ? 'ended' : 'unreached'
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
    leave()
  }
}

/** `AbortSignal.any` and `.timeout` are younger than the browsers that we serve. */
function withinPatience({ body, signal }: Request<Operation>): AbortController {
  const either = new AbortController()
  setTimeout(() => either.abort(), body instanceof Blob ? file_patience_ms : patience_ms)
  signal?.addEventListener('abort', () => either.abort(signal.reason), { once: true })
  if (signal?.aborted === true) either.abort(signal.reason)
  return either
}

export function addressOf({ url, path, query }: Omit<Request<Operation>, 'method'>): string {
  const named: Record<string, unknown> = { ...path }
  const filled = url.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(named[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  const text = search.toString()
  return text === '' ? filled : `${filled}?${text}`
}

/** The whole address of a call, for programs elsewhere: the page names it at a host of its own. */
export function whereOf(request: Omit<Request<Operation>, 'method'>): string {
  const named = document.querySelector<HTMLMetaElement>('meta[name=api]')?.content
  return new URL((named ?? api) + addressOf(request), location.origin).href
}

/** An address of the API, from where the dashboard was loaded: it shows no image of elsewhere. */
export const ownAddress = (url: string): string =>
  api + url.slice(url.indexOf('/api/v1/') + '/api/v1'.length)

/** Nothing is offered that is refused so: since it was offered, what the reader may has changed. */
const rightsLost = new Set(['permission_denied', 'merchant_suspended', 'live_mode_not_enabled'])

async function failed(
  answer: Response,
  { method, url }: Readonly<{ method: string; url: string }>,
): Promise<CallFailed> {
  const body: unknown = await answer.json().catch(() => undefined)
  const failure = failureOf(answer, isRecord(body) ? body : {})
  const isOver = answer.status === 401 && !url.startsWith('/auth/login/')
  if (isOver) settings.onSessionOver()
  if (failure.is === 'refused') {
    if (failure.status === 429) waitFor(failure.retry_after_s)
    if (rightsLost.has(failure.code)) settings.onRightsLost()
    if (failure.status === 404 && method !== 'GET') settings.onGone()
  }
  return new CallFailed(failure)
}

type Head = Pick<Response, 'status' | 'headers'>

export function failureOf({ status, headers }: Head, body: Record<string, unknown>): Failure {
  const { code, message, retryable } = body
  if (status === 400 && typeof code !== 'string') return { is: 'fields', fields: fieldsOf(body) }
  return {
    is: 'refused',
    status,
    code: typeof code === 'string' ? code : '',
    message: typeof message === 'string' ? message : '',
    retryable: retryable === true,
    request_id: headers.get('x-request-id') ?? '',
    retry_after_s: Number(headers.get('retry-after') ?? 0),
  }
}

function fieldsOf(body: Record<string, unknown>): Record<string, string[]> {
  const lists = Object.entries(body).map(([name, messages]) => [
    name,
    Array.isArray(messages) ? messages.map(String) : [String(messages)],
  ])
  return Object.fromEntries(lists)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const failureIn = (error: unknown): Failure | undefined =>
  error instanceof CallFailed ? error.failure : undefined

/** The page, not followed where it leads on: to a host of the dashboard's own, since this was. */
const askForPage = () => fetch(root, { cache: 'no-cache', redirect: 'manual' })
const leadsOn = ({ type }: Response): boolean => type === 'opaqueredirect'

/** Whether the dashboard's page can be had now: else a reload ends on the browser's own page. */
export const isServed = (): Promise<boolean> =>
  askForPage().then(
    (answer) => answer.ok || leadsOn(answer),
    () => false,
  )

/** Whether the page that is served now names another file than this one runs from. */
export async function isPageOld(): Promise<boolean> {
  const own = document.querySelector<HTMLScriptElement>('script[src]')?.getAttribute('src') ?? ''
  try {
    const answer = await askForPage()
    if (leadsOn(answer)) return true
    const page = answer.ok ? await answer.text() : ''
    return page.includes('/assets/') && !page.includes(own)
  } catch {
    return false
  }
}
