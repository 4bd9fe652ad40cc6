// How a session's token leaves: in the body, shown once; or for a browser in its cookie and nowhere
// else, so that no script of a page can read it (contract 8.23).

import { Type } from 'typebox'
import { invalid } from '../../platform/errors.ts'
import { type Browser, type Input, noContent, type Reply } from '../../platform/http/route.ts'
import type { SessionMade } from './session.ts'

/** Of a body that opens a session. */
export const cookieField = Type.Optional(
  Type.Boolean({
    description:
      'For a page of the dashboard’s origin: true sets the session as an httpOnly cookie, and ' +
      'the answer has no `token`.',
  }),
)

/** As an answer has it. `description`: what the token is for. */
export const tokenField = (description: string) =>
  Type.Optional(
    Type.String({ description: `${description} Shown only once; absent with a session cookie.` }),
  )

type Handing = Readonly<{ data: object; by_cookie: boolean | undefined; status?: number }>

/** Not to be cached on its way. */
export function withSession(
  { token, expires_at }: Pick<SessionMade, 'token' | 'expires_at'>,
  { data, by_cookie, status = 200 }: Handing,
): Reply {
  const headers = { 'Cache-Control': 'no-store' }
  const shown = { expires_at: expires_at.toISOString(), ...data }
  if (by_cookie !== true) return { status, data: { token, ...shown }, headers }
  return { status, data: shown, headers, cookie: { token, expires_at } }
}

/**
 * Whether a call that opens a session wants it as a cookie. Refuses a page of another origin: it
 * would sign its visitor in to an account of its own; and a host where no cookie counts.
 */
export function wantsCookie({ body, browser }: Input<{ cookie?: boolean }>): boolean {
  if (body.cookie !== true) return false
  const { no_cookie } = browser ?? {}
  if (no_cookie !== undefined) throw invalid(no_cookie.field, no_cookie.message)
  return true
}

/** After logging out. A bearer's answer leaves the browser alone: its cookie is another session. */
export function farewell(browser: Browser | undefined, reply: Reply = noContent): Reply {
  if (browser?.by_cookie !== true || 'json' in reply) return reply
  const headers = { 'Clear-Site-Data': '"cache", "storage"' }
  return { ...reply, headers, cookie: 'ENDED' }
}
