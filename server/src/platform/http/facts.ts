// What is known of a request before its route runs. Fastify carries it; only this folder reads it.

import type { FastifyRequest } from 'fastify'
import type { Locale } from '../errors.ts'
import type { TrustProxy } from '../settings/addresses.ts'
import { newTally, type Tally } from '../throttle/throttle.ts'
import { type ClientIp, clientIpReader } from './client-ip.ts'
import type { TicketShown } from './file-ticket.ts'
import { securityHeaders } from './headers.ts'
import { type Envelope, readEnvelopePreference } from './reply.ts'
import type { Caller, Person } from './route.ts'

export type HttpConfig = Readonly<{
  default_locale: Locale
  envelope: Envelope
  /**
   * Origin of our own links, with a path when we are served below one; a trailing slash is
   * optional.
   */
  public_url: string
  /** An origin of the dashboard's own; null or absent: it is at `public_url`. */
  dashboard_url?: string | null
  trust_proxy: TrustProxy
  /** Bodies that one network may send without a credential, to each process; absent: unlimited. */
  public_forms_per_ip_minute?: number
}>

/** The configuration with what is computed from it once. */
export type HttpSettings = HttpConfig &
  Readonly<{ client_ip: ClientIp; headers: EveryHeader; forms: Tally }>

/** Headers of every answer (contract 1.4); a page may replace the policy afterwards. */
type EveryHeader = (request_id: string) => Record<string, string>

export function settingsOf(config: HttpConfig): HttpSettings {
  const security = securityHeaders(config)
  return {
    ...config,
    client_ip: clientIpReader(config.trust_proxy),
    forms: newTally(),
    headers: (request_id) => ({ 'X-Request-Id': request_id, ...security }),
  }
}

export type Facts = {
  readonly request_id: string
  readonly ip: string
  /** Of a file that a ticket opens: that of whoever got the ticket. */
  locale: Locale
  /** The caller's `Prefer: envelope=…`, if any. */
  readonly preference: Envelope | undefined
  /** Set by authentication. */
  caller: Caller | undefined
  /** The same for a person who calls for themselves, or for staff. */
  person: Person | undefined
  /** The session came by cookie. */
  by_cookie: boolean
  /** A ticket in the address of a file: what follows does not see it. */
  ticket: TicketShown | undefined
  /** Why the call was refused, for the log: a code, or the fields that were wrong. */
  refused: string | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    facts: Facts | null
  }
}

/** Reads the facts of a request, once. */
export function factsOf(request: FastifyRequest, settings: HttpSettings): Facts {
  request.facts ??= {
    request_id: request.id,
    ip: settings.client_ip(request.ip, request.headers['x-forwarded-for']),
    locale: pickLocale(request.headers['accept-language'], settings.default_locale),
    preference: readEnvelopePreference(request.headers['prefer']),
    caller: undefined,
    person: undefined,
    by_cookie: false,
    ticket: undefined,
    refused: undefined,
  }
  return request.facts
}

// Which of our languages a person reads, from `Accept-Language` (RFC 9110 12.5.4).

type LanguageRange = { tag: string; weight: number }

function readRange(part: string): LanguageRange {
  const [tag = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  const weight = quality === undefined ? 1 : Number(quality.slice(2))
  return { tag, weight: Number.isFinite(weight) ? weight : 0 }
}

function localeOf(tag: string, fallback: Locale): Locale | undefined {
  const language = tag.split('-')[0]
  if (language === 'fr' || language === 'en') return language
  return language === '*' ? fallback : undefined
}

/**
 * The preferred one of our languages; `fallback` when none is preferred or the header is absent.
 */
export function pickLocale(accept_language: string | undefined, fallback: Locale): Locale {
  if (accept_language === undefined) return fallback
  const ranges = accept_language.split(',').map(readRange)
  // The sort is stable: of two equal weights the first named wins.
  ranges.sort((one, other) => other.weight - one.weight)
  for (const { tag, weight } of ranges) {
    const locale = weight > 0 ? localeOf(tag, fallback) : undefined
    if (locale !== undefined) return locale
  }
  return fallback
}
