// Which credentials an operation takes, as OpenAPI says it: a bearer token; a session's cookie,
// only together with the header that no other site can send; for a file also a one-time ticket.

import { areaOf, cookieName, mark } from './browser-session.ts'
import { takesTicket } from './file-ticket.ts'
import type { Json } from './openapi-schemas.ts'
import type { ServedRoute } from './route.ts'

/** As they are over https. */
const usual = { public_url: 'https://pay.example.org' }

const cookie = (area: 'member' | 'staff', where: string): Json => ({
  type: 'apiKey',
  in: 'cookie',
  name: cookieName(usual, area),
  description:
    `A session in a browser, set by logging in with \`"cookie": true\`. It counts ${where}, only ` +
    'with `requestedWith`, and only for pages of the dashboard’s origin: a call that writes must ' +
    'have that `Origin`, and no call may have another, or a `Sec-Fetch-Site` other than ' +
    '`same-origin`. A bearer token goes before it. On plain-http loopback its name has no ' +
    '`__Host-`.',
})

export const securitySchemes: Readonly<Record<string, Json>> = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A secret key (`sk_test_…`, `sk_live_…`) or a dashboard session token.',
  },
  memberCookie: cookie('member', 'everywhere but under `/admin/`'),
  staffCookie: cookie('staff', 'under `/admin/` only'),
  requestedWith: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Requested-With',
    description: `Always \`${mark.value}\`, with a session cookie, which does not count alone.`,
  },
  ticket: {
    type: 'apiKey',
    in: 'query',
    name: 'ticket',
    description:
      'One-time, part of the `url` that `POST /downloads/` answers (staff: `/admin/downloads/`).',
  },
}

/** Where a key alone may call, a cookie opens nothing. */
function isForSessions({ access, permission, method }: ServedRoute): boolean {
  if (access === 'person' || access === 'staff') return true
  return permission !== undefined || method === 'GET'
}

export function securityOf(route: ServedRoute): Json[] {
  const isOpen = route.access === 'public'
  if (isOpen && route.knows_callers !== true) return []
  const name = areaOf(route.path) === 'staff' ? 'staffCookie' : 'memberCookie'
  return [
    ...(isOpen ? [{}] : []),
    { bearer: [] },
    ...(isForSessions(route) ? [{ [name]: [], requestedWith: [] }] : []),
    ...(takesTicket(route) ? [{ ticket: [] }] : []),
  ]
}
