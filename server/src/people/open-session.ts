// A session begins, or continues under a new token: it is in the answer and nowhere else.

import type { Sql } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { newId } from '../platform/ids.ts'
import { newSessionToken } from './session-token.ts'
import { insertSession, replaceSession } from './store.ts'

export type SessionRequest = Readonly<{
  person_id: string
  ip: string
  user_agent: string
  second_factor: boolean
}>

export type SessionMade = Readonly<{ id: string; token: string; expires_at: Date }>

const user_agent_length_max = 200

export async function openSession(sql: Sql, request: SessionRequest): Promise<SessionMade> {
  const { token, hash } = newSessionToken()
  const id = newId()
  const user_agent = cut(request.user_agent)
  const expires_at = await insertSession(sql, { ...request, hash, id, user_agent })
  return { id, token, expires_at }
}

const cut = (user_agent: string): string => user_agent.slice(0, user_agent_length_max)

export type SessionRenewed = SessionMade & Readonly<{ verified_until: Date }>

/**
 * After a code a session continues under a token that nobody can have copied before; the old one
 * ends in seconds and was never fresh. Of two calls with the same old token, the second is refused
 * with `session_expired`.
 */
export async function renewSession(
  sql: Sql,
  { session_id, ip }: Pick<Person, 'session_id' | 'ip'>,
  user_agent: string,
): Promise<SessionRenewed> {
  const { token, hash } = newSessionToken()
  const id = newId()
  const made = await replaceSession(sql, session_id, { hash, id, ip, user_agent: cut(user_agent) })
  if (made === undefined) throw refuse(accessErrors.session_expired)
  return { id, token, expires_at: made.ends_at, verified_until: made.verified_until }
}
