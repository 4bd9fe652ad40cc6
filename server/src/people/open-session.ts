// A session begins: its token is in the answer and nowhere else.

import type { Sql } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { newSessionToken } from './session-token.ts'
import { insertSession } from './store.ts'

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
  const user_agent = request.user_agent.slice(0, user_agent_length_max)
  const expires_at = await insertSession(sql, { ...request, hash, id, user_agent })
  return { id, token, expires_at }
}
