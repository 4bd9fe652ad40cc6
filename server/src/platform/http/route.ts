// What a feature says of a route, as data. Features export lists of these; `server.ts` beside this
// file serves them, `openapi.ts` publishes them. Fastify is not seen outside this folder and app/.

import type { TSchema } from 'typebox'
import type { ErrorRow, Locale, Text } from '../errors.ts'
import type { Once, Progress } from './once.ts'

export type Environment = 'SANDBOX' | 'LIVE'
export type Scope = 'PAYIN' | 'PAYOUT' | 'BOTH'

/** Who calls, after authentication. `via` decides the IP rule and `dashboard_only`. */
export type Caller = Readonly<{
  merchant_id: string
  environment: Environment
  via: 'KEY' | 'SESSION'
  scope: Scope
  api_key_id: string | null
  member_id: string | null
  ip: string
  request_id: string
  locale: Locale
  suspended: boolean
  /** When set, a request's other `fee_charge_mode` is refused (decisions 2.3). */
  fee_charge_mode_locked: 'ADD_ON' | 'DEDUCTED' | null
  /** Grows with each change of the catalogue: which cached copy may be used. */
  catalogue_version: bigint
}>

export type Rate = Readonly<{ limit: number; remaining: number; reset_s: number }>

/** The result of authentication: who, and how much of the minute's allowance is left. */
export type Authenticated = Readonly<{ caller: Caller; rate: Rate }>

export type Input<Body = unknown> = Readonly<{
  caller: Caller
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
}>

/** What a handler answers: a bare payload (JSON text is made once, so that it can be stored). */
export type Reply =
  | { status: number; data: unknown; headers?: Record<string, string> }
  /**
   * Already serialised bare payload (or, from status 400, bare error), as a replay returns it byte
   * for byte. `stored`: the idempotency row holds it already. `replayed`: it was answered before.
   */
  | {
      status: number
      json: string
      headers?: Record<string, string>
      stored?: true
      replayed?: true
    }
  | { status: 204 }

export type Access =
  /** No credential at all. */
  | 'public'
  /** Any credential; any scope. */
  | 'any'
  | 'PAYIN'
  | 'PAYOUT'
  | 'dashboard'

export type Route = Readonly<{
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /**
   * Relative to `/api/v1`, in fastify form with a trailing slash: `/payments/:payment_id/verify/`.
   */
  path: string
  /** Other addresses of the same route. */
  aliases?: readonly string[]
  access: Access
  /** May a suspended merchant call it? (GET of its own records, verify: decisions 3.5.) */
  suspended?: 'allowed' | 'refused'
  /** Money moves: `Idempotency-Key` is honoured (decisions 4). */
  idempotent?: boolean
  /** The verb takes the idempotency key in its own first statement; else it is taken before it. */
  claims?: 'verb'
  /**
   * After a crash: something was committed under the key but no answer was stored. Answers with
   * the transaction as it then stands; `undefined` when nothing was committed after all.
   */
  resume?: (input: Input<never>, progress: Progress) => Promise<Reply | undefined>
  /**
   * What the schema cannot say (amounts by currency …): more invalid fields of the body, reported
   * together with the schema's. The body may be anything that is an object.
   */
  check?: (body: Readonly<Record<string, unknown>>) => Readonly<Record<string, readonly Text[]>>
  /** The same of the query: what its schema cannot say, reported together with it. */
  check_query?: (
    query: Readonly<Record<string, string>>,
  ) => Readonly<Record<string, readonly Text[]>>
  /** `raw`: no envelope unless asked for (only `/countries/`). */
  envelope?: 'raw'
  body?: TSchema
  query?: TSchema
  /** Keep `null`s in the body (PATCH and PUT of nullable fields); default drops them. */
  nulls?: 'keep'
  summary: string
  description?: string
  tag: string
  /** By status: the schema of the bare payload. */
  responses: Readonly<Record<number, TSchema | null>>
  /** Error rows that this route can answer, beside those every route can. */
  errors?: readonly ErrorRow[]
  /** Example of the request body and of the bare answer (OpenAPI). */
  example: Readonly<{ body?: unknown; reply?: unknown }>
  handler: (input: Input<never>) => Promise<Reply>
}>

export const ok = (data: unknown): Reply => ({ status: 200, data })
export const created = (data: unknown): Reply => ({ status: 201, data })
export const noContent: Reply = { status: 204 }
