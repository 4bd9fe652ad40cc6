// Headers of every answer (contract 1.4): request id, security, allowance.

import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FieldErrors } from '../errors.ts'
import { homeOf, type OwnAddresses } from './dashboard-host.ts'
import type { Rate } from './route.ts'

/** The caller's own request id when it is sane, else a new one: it goes into logs and headers. */
export function requestIdOf(inbound: string | string[] | undefined): string {
  const sane = typeof inbound === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(inbound)
  return sane ? inbound : randomUUID()
}

/** No page of ours uses any of a device's features. */
const permissions_policy =
  'camera=(), geolocation=(), microphone=(), payment=(), usb=(), display-capture=()'

/** Security headers of a JSON answer; a page that needs another policy replaces it. */
export function securityHeaders(where: OwnAddresses): Readonly<Record<string, string>> {
  const headers = {
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'Permissions-Policy': permissions_policy,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  }
  // Over plain http the header means nothing, and on localhost it would break other ports.
  if (![where.public_url, homeOf(where)].some((url) => url.startsWith('https:'))) return headers
  return { ...headers, 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' }
}

/**
 * In place of those above, of a file that a ticket opens: our own page asks for it in a frame,
 * where it reads why there is none.
 */
export const headersInOwnFrame: Readonly<Record<string, string>> = {
  'X-Frame-Options': 'SAMEORIGIN',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
}

export const rateHeaders = (rate: Rate): Record<string, string> => ({
  'RateLimit-Limit': String(rate.limit),
  'RateLimit-Remaining': String(rate.remaining),
  'RateLimit-Reset': String(rate.reset_s),
})

// The header Idempotency-Key (contract 4.1): absent, or 1 to 255 characters.

const length_max = 255

type Headers = Readonly<IncomingHttpHeaders>

/** The key of an `idempotent` route, whose header has passed the check. */
export function readKey(headers: Headers): string | undefined {
  const header = headers['idempotency-key']
  return header === undefined ? undefined : [header].flat().join(', ')
}

/** The errors of the header, by its name; empty when it is absent or valid. */
export function keyErrors(headers: Headers): FieldErrors {
  const length = readKey(headers)?.length ?? 1
  if (length > 0 && length <= length_max) return {}
  return {
    'Idempotency-Key': [
      {
        en: `Must have 1 to ${length_max} characters.`,
        fr: `Doit avoir de 1 à ${length_max} caractères.`,
      },
    ],
  }
}
