// A feature's description of a page, as data: pages are at the origin, beside the API.
// `serve-pages.ts` serves them; no page knows what carries it.

import type { Locale } from '../errors.ts'
import type { Html } from '../html.ts'

export type PageInput = Readonly<{
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** The fields of a form; empty with GET. The last value of each. */
  form: Readonly<Record<string, string>>
  cookies: Readonly<Record<string, string>>
  /** `?lang=` first, then the cookie it left, then `Accept-Language`. */
  locale: Locale
  ip: string
  /** A robot, a messenger's preview, or a browser that fetches before anybody has asked. */
  is_machine: boolean
  request_id: string
}>

export type Cookie = Readonly<{ name: string; value: string; path: string }>

export type PageReply =
  | Readonly<{
      is: 'page'
      status: number
      page: Html
      /** The Content-Security-Policy of this page. */
      policy: string
      headers?: Readonly<Record<string, string>>
      cookies?: readonly Cookie[]
    }>
  /** After a form: the next address is fetched by GET (303). */
  | Readonly<{ is: 'see'; location: string; cookies?: readonly Cookie[] }>
  /** Server-sent events; `signal` fires when the reader has gone or the process stops. */
  | Readonly<{ is: 'events'; events: (signal: AbortSignal) => AsyncIterable<string> }>

export type PageRoute = Readonly<{
  method: 'GET' | 'POST'
  /** At the origin, without a trailing slash. */
  path: string
  handler: (input: PageInput) => Promise<PageReply>
}>

export type Pages = Readonly<{
  routes: readonly PageRoute[]
  /** The page for an error that a handler threw. */
  failed: (error: unknown, input: PageInput) => PageReply
}>
