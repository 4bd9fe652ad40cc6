// The log line of each answer, and which answers are security events. Law: who, from where and with
// what result; never a query, a body, a secret or an unmasked e-mail.

import { Invalid, Refusal } from '../errors.ts'
import type { Facts } from './facts.ts'

/** Counted in /metrics and logged as a warning (docs/security/logging.md). */
export const securityEvents = [
  'sign_in_refused',
  'code_refused',
  'credential_refused',
  'access_denied',
  'rate_limited',
] as const

export type SecurityEvent = (typeof securityEvents)[number]

export type Answered = Readonly<{
  method: string
  /** The registered pattern, without the values in it. */
  route: string | undefined
  status: number
  ms: number
  user_agent: string | undefined
  body: unknown
  facts: Facts | null
  /** A key, a session or a ticket came with it, whether it was good or not. */
  has_credential: boolean
}>

const agent_max = 120

/** The user agent as the caller sent it: bounded, and with nothing that a terminal would obey. */
const shownAgent = (text: string | undefined): string =>
  (text ?? '').slice(0, agent_max).replace(/[^\x20-\x7e]/g, '?')

export function answerLine(answered: Answered): Record<string, unknown> {
  const { method, route, status, ms, user_agent, facts } = answered
  const line = { method, route, status, ms, ip: facts?.ip, ua: shownAgent(user_agent) }
  if (facts === null) return line
  const refused = facts.refused === undefined ? {} : { refused: facts.refused }
  return { ...line, ...whoIs(facts), ...refused }
}

function whoIs({ caller, person }: Facts): Record<string, unknown> {
  if (caller !== undefined) {
    const { merchant_id, environment, api_key_id, member_id } = caller
    const by = api_key_id === null ? { member_id } : { api_key_id }
    return { merchant_id, environment, ...by }
  }
  if (person === undefined) return {}
  const { person_id, session_id, environment } = person
  return { person_id, session_id, environment }
}

const signInRoute = /\/auth\/(login|register)\/?$/
const codeRoute = /\/auth\/totp\//

/** Undefined when it is nothing to report. */
export function securityEventOf({
  route = '',
  status,
  facts,
  has_credential,
}: Answered): SecurityEvent | undefined {
  const refused = facts?.refused ?? ''
  if (status === 429) return 'rate_limited'
  if (status === 403) return 'access_denied'
  if (status === 400)
    return codeRoute.test(route) && refused === 'code' ? 'code_refused' : undefined
  if (status !== 401) return undefined
  if (refused.startsWith('totp_required')) {
    return refused.endsWith('wrong code') ? 'code_refused' : undefined
  }
  if (signInRoute.test(route)) return 'sign_in_refused'
  // Who brings nothing has guessed nothing: a browser asks at its first visit who is logged in.
  return has_credential ? 'credential_refused' : undefined
}

/** What is kept of an error until its answer is logged. */
export function refusedAs(error: unknown): string | undefined {
  if (error instanceof Refusal) return error.message
  if (!(error instanceof Invalid)) return undefined
  return Object.keys(error.fields).slice(0, 5).join(',').slice(0, agent_max)
}

/** The same of a refusal that is kept under its key and answered as text, a replay too. */
export function refusedInText(bare_error: string): string | undefined {
  const { code }: { code?: unknown } = JSON.parse(bare_error) ?? {}
  return typeof code === 'string' ? code : undefined
}

/** The e-mail of a refused sign-in: enough to count by, too little to write to. */
export function maskedEmail(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('email' in body)) return undefined
  const { email } = body
  if (typeof email !== 'string') return undefined
  const [, first = '', domain = ''] = /^\s*([^@]?)[^@]*@(.{1,100})/.exec(email.slice(0, 400)) ?? []
  return domain === '' ? '***' : shownAgent(`${first}***@${domain.trim().toLowerCase()}`)
}
