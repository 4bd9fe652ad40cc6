// A feature's description of a route, as data. Features export lists of these; `server.ts` beside
// this file serves them, `openapi.ts` publishes them. Fastify is not seen outside this folder and
// app/.

import type { Readable } from 'node:stream'
import { type TSchema, Type } from 'typebox'
import { assert, type ErrorRow, type Locale, type Text } from '../errors.ts'

export type Environment = 'SANDBOX' | 'LIVE'

// What platform/ checks for all and cannot know: rights, scopes, what is read of a merchant. The
// folder that owns one adds it here (`declare module`), so that a misspelt one does not compile.

/**
 * What a member's role may allow; `merchants/roles.ts` adds the rights and says which role has
 * which. GET requires `read` where a route declares nothing.
 */
export interface MemberRights {
  read: true
}
export type Permission = keyof MemberRights

/** What a role of the platform's staff may allow; `people/staff-roles.ts` adds them. */
export interface StaffRights {
  read: true
}
export type StaffPermission = keyof StaffRights

/** What a key may be for; `merchants/keys/api-key.ts` adds its scopes. */
export interface KeyScopes {
  BOTH: true
}
export type Scope = keyof KeyScopes

/** The second factor of a session: none enrolled, given within the last 10 minutes, or before. */
export type SecondFactor = 'NONE' | 'FRESH' | 'STALE'

/** What is known of a member who calls by session. */
export type SessionFacts = Readonly<{
  id: string
  role: string
  permissions: readonly Permission[]
  second_factor: SecondFactor
  /** The merchant may work in LIVE. */
  live_enabled: boolean
  /** It may, or could until staff closed LIVE to it: real money may be there. */
  has_had_live: boolean
}>

/** A person who is signed in, for their own account (`/auth/…`) or the platform (`/admin/…`). */
export type Person = Readonly<{
  person_id: string
  kind: 'MEMBER' | 'STAFF'
  session_id: string
  email: string
  /** Empty for a member. */
  staff_role: string
  staff_permissions: readonly StaffPermission[]
  second_factor: SecondFactor
  /** Until when it is FRESH; null where it is not. */
  second_factor_until: Date | null
  /** When the session ends in any case, and when it does unless it is used. */
  session_ends: Readonly<{ ends_at: Date; idle_at: Date }>
  /** The embedded demo's administrator: needs no second factor, and may do nothing in LIVE. */
  is_demo: boolean
  /** From the header X-Environment: which data staff look at. */
  environment: Environment
  ip: string
  request_id: string
  locale: Locale
}>

/** What is read of a caller's merchant with the credential; `merchants/authenticate.ts` adds. */
export interface MerchantFacts {
  readonly suspended: boolean
}

/** The caller, after authentication. `via` decides the IP rule and `dashboard_only`. */
export type Caller = Readonly<{
  merchant_id: string
  environment: Environment
  via: 'KEY' | 'SESSION'
  scope: Scope
  api_key_id: string | null
  /** True for a key that may GET and nothing else. */
  read_only?: boolean
  member_id: string | null
  /** For a call by session; null with an API key. */
  session: SessionFacts | null
  ip: string
  request_id: string
  locale: Locale
}> &
  MerchantFacts

export type Rate = Readonly<{ limit: number; remaining: number; reset_s: number }>

/** The result of authentication: the caller, and what is left of the minute's allowance. */
export type Authenticated = Readonly<{ caller: Caller; rate: Rate }>

/** The same for a person who calls for themselves or as staff. */
export type AuthenticatedPerson = Readonly<{ person: Person; rate: Rate }>

export type Input<Body = unknown> = Readonly<{
  /** On a merchant's route; reading it on any other is a bug. */
  caller: Caller
  /** On a route that `knows_callers`: who shows a credential. */
  known_caller?: Caller
  /** On a route whose access is `person` or `staff`; reading it on any other is a bug. */
  person: Person
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  body: Body
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The idempotency of this call; `once.none` when no key was sent or the route has none. */
  once: Once
  locale: Locale
  ip: string
  request_id: string
  /** Absolute URL of this request's path and query, for `next` and `previous`. */
  url: URL
  /** What is known of a browser that calls. Absent: nothing. */
  browser?: Browser
  /**
   * Adds dotted names to the answer's `Ignored-Fields` (contract 8.10), an error's too: those that
   * no schema can know. Called once, before anything can refuse. Absent where nobody is answered.
   */
  reportIgnored?: (names: readonly string[]) => void
}>

export type Browser = Readonly<{
  /** The session came by cookie: a new token goes back the same way, and in no body. */
  by_cookie: boolean
  /** Present: no session is set as a cookie here. */
  no_cookie?: NoCookie
}>

/** What of a request is in the way of a session's cookie, and the words. */
export type NoCookie = Readonly<{ field: 'Origin' | 'cookie'; message: Text }>

/** A session's token on its way into a browser's cookie, or the end of that cookie. */
export type SessionCookie = Readonly<{ token: string; expires_at: Date }> | 'ENDED'

/** What a handler answers: a bare payload (JSON text is made once, so that it can be stored). */
export type Reply =
  | { status: number; data: unknown; headers?: Record<string, string>; cookie?: SessionCookie }
  /**
   * Already serialised bare payload (or, from status 400, bare error), as a replay returns it byte
   * for byte. `stored`: the idempotency row has it already. `replayed`: it was answered before.
   */
  | {
      status: number
      json: string
      headers?: Record<string, string>
      stored?: true
      replayed?: true
    }
  | { status: 204 | 304; headers?: Record<string, string>; cookie?: SessionCookie }

/** The scope that a key must have, or: */
export type Access = Scope | Unscoped

type Unscoped =
  /** No credential at all. */
  | 'public'
  /** Any credential; any scope. */
  | 'any'
  /** A member's session only. */
  | 'dashboard'
  /** Any member who is signed in, for their own account: no merchant is meant. */
  | 'person'
  /** The platform's staff. */
  | 'staff'

const unscoped: readonly Access[] = ['public', 'any', 'dashboard', 'person', 'staff']

export const isScope = (access: Access): access is Scope => !unscoped.includes(access)

export type Route = Readonly<{
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /**
   * Relative to `/api/v1`, in fastify form with a trailing slash: `/payments/:payment_id/verify/`.
   */
  path: string
  /** Other addresses of the same route. */
  aliases?: readonly string[]
  access: Access
  /**
   * Of a public route: a credential may be shown, and its caller is known to the handler. One that
   * is wrong is refused as anywhere.
   */
  knows_callers?: true
  /** What a member's role must allow. GET: `read`; every other method declares it. */
  permission?: Permission
  /**
   * In LIVE a session needs its second factor, given within 10 minutes (contract 3.3).
   * `environment`: the act belongs to the call's environment; `account`: it belongs to both, so the
   * factor is required as soon as the merchant may work in LIVE.
   */
  second_factor?: 'environment' | 'account'
  /**
   * With access `staff`: what the role must allow; `self`: every member of staff may, even
   * unenrolled.
   */
  staff?: StaffPermission | 'self'
  /** Whether a suspended merchant may call it (GET of its own records, verify: contract 3.5). */
  suspended?: 'allowed' | 'refused'
  /** Its success may set a session's cookie in a browser, or delete it (contract 8.23). */
  session_cookie?: 'set' | 'deleted'
  /** Money moves: `Idempotency-Key` is honoured (contract 4). */
  idempotent?: boolean
  /**
   * The verb claims the idempotency key in its own first statement; otherwise it is claimed before.
   */
  claims?: 'verb'
  /**
   * After a crash: something was committed under the key but no answer was stored. Answers with the
   * transaction in its current state; `undefined` when nothing was committed after all.
   */
  resume?: (input: Input<never>, progress: Progress) => Promise<Reply | undefined>
  /**
   * What the schema cannot express (amounts by currency …): more invalid fields of the body,
   * reported together with the schema's. The body may be anything that is an object.
   */
  check?: (body: Readonly<Record<string, unknown>>) => Readonly<Record<string, readonly Text[]>>
  /** The same for the query: what its schema cannot express, reported together with it. */
  check_query?: (
    query: Readonly<Record<string, string>>,
  ) => Readonly<Record<string, readonly Text[]>>
  /** It may read for long: few of it at once, fewer of one merchant. Of lists this goes unsaid. */
  takes_turns?: true
  /** `raw`: no envelope unless requested (only `/countries/`). */
  envelope?: 'raw'
  body?: TSchema
  query?: TSchema
  summary: string
  description?: string
  tag: string
  /** Headers of its success beside those that any answer may have, as they are published. */
  sends?: readonly ('Content-Disposition' | 'Content-Language' | 'Time-Zone' | 'ETag')[]
  /** By status: the schema of the bare payload. */
  responses: Readonly<Record<number, TSchema | null>>
  /** It has no body, and what an earlier call gave may be refused by field all the same (400). */
  names_fields?: true
  /** Error rows that this route can answer, beside those every route can. */
  errors?: readonly ErrorRow[]
  /**
   * Example of the request body and of the bare answer (OpenAPI); `other_replies`: those of its
   * other successes, by status.
   */
  example: Readonly<{
    body?: unknown
    reply?: unknown
    other_replies?: Readonly<Record<number, unknown>>
  }>
  handler: (input: Input<never>) => Promise<Reply>
}>

export const ok = (data: unknown): Reply => ({ status: 200, data })
export const created = (data: unknown): Reply => ({ status: 201, data })
/** Done before under the same Idempotency-Key, by a route that keeps its keys itself. */
export const replayed = (status: number, data: unknown): Reply => ({
  status,
  data,
  headers: { 'Idempotent-Replayed': 'true' },
})
export const noContent: Reply = { status: 204 }
/** The caller has it already (`If-None-Match`). */
export const unchanged = { status: 304 } as const

// Idempotency of one call, as the money verbs see it (contract 4). The mechanism is in
// `platform/idempotency/`; this file has only the shape, so that routes can name it.

/** A call that may be made once: the key, its fingerprint, and the scope both count in. */
export type Once =
  | { none: true }
  | {
      none: false
      merchant_id: string
      environment: 'SANDBOX' | 'LIVE'
      key: string
      /** HMAC of method, path and canonical body under SECRET_KEY. */
      fingerprint: Buffer
      /** The lease under which the row was taken; 0n while the verb itself is to claim the key. */
      lease_no: bigint
    }

/** What an unfinished row shows to have been committed under its key. */
export type Progress = Readonly<{ transaction_id: string; attempt_id: string | null }>

export const notOnce: Once = { none: true }

// What the server understands of a route beyond `Route`: all optional, so that every Route is one.

/** An answer that is no JSON: CSV, PDF. It has no envelope (contract 1.2). */
export type FileReply = Readonly<{
  status: number
  file: Readable | Uint8Array | string
  content_type: string
  /** Sent as an attachment of this name. */
  filename?: string
  headers?: Record<string, string>
}>

/**
 * Runs after the scope and before the body is read, where the IP rule belongs (contract 4.3).
 * `rule`: what it refuses, as the document describes it; absent: nobody.
 */
export type Guard = Readonly<{
  /** Keys call from a listed address only; LIVE has no such address; keys of LIVE may not. */
  rule?: 'ip_list' | 'sandbox_only' | 'no_live_keys'
  check: (caller: Caller) => Promise<void>
}>

export type ServedRoute = Omit<Route, 'handler'> &
  Readonly<{
    guard?: Guard
    /** The body is one file of these content types, given to the handler as a Buffer. */
    upload?: Readonly<{ content_types: readonly string[]; bytes_max: number }>
    /** Other forms of the success that the query may request, by media type. */
    also?: Readonly<Record<string, TSchema>>
    handler: (input: Input<never>) => Promise<ServedReply>
  }>

export type ServedReply = Reply | FileReply

// An environment as a caller names it: in any case, and answered in upper case (contract 8.9).

export const EnvironmentInput = Type.String({
  pattern: '^([Ss][Aa][Nn][Dd][Bb][Oo][Xx]|[Ll][Ii][Vv][Ee])$',
  description: 'SANDBOX or LIVE, case-insensitive.',
  'x-message': { en: 'Must be SANDBOX or LIVE.', fr: 'Doit être SANDBOX ou LIVE.' },
})

/** Undefined where the text names none. */
export function environmentNamed(text: string): Environment | undefined {
  const name = text.trim().toUpperCase()
  return name === 'SANDBOX' || name === 'LIVE' ? name : undefined
}

/** From a body that the schema has checked. */
export function environmentOf(text: string): Environment {
  const environment = environmentNamed(text)
  assert(environment !== undefined, 'the body was checked')
  return environment
}
