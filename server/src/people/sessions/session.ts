// Sessions: opened, read with every call, listed, ended. Every call reads its row, so what is
// ended is refused everywhere from the next request on.

import type { IncomingHttpHeaders } from 'node:http'
import { actorOfPerson } from '../../audit/audit.ts'
import { recordOwnAct } from '../../audit/audit-log.ts'
import { hashToken } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction, type Sql } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Person, SecondFactor } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { newId } from '../../platform/ids.ts'
import { endSessionRow, insertSession, lockPerson, replaceSession } from '../store.ts'
import { newSessionToken } from './session-token.ts'
import {
  deleteOldSessions,
  deleteOldTokens,
  endEverySession as endRows,
  findSession,
  listOpenSessions,
  type OpenSession,
  type Portion,
  type SessionFound,
} from './store.ts'

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

// The person of a session token. An unknown token and an expired one are answered alike.

export type Session = SessionFound & Readonly<{ second_factor: SecondFactor }>

/** A screen that asks by itself says so: nobody has used the session by it. */
const isUsed = (headers: IncomingHttpHeaders): boolean => headers['x-background'] !== '1'

/** Throws `session_expired` for a token that opens nothing (any more). */
export async function readSession(
  db: Db,
  token: string,
  { headers }: Readonly<{ headers: IncomingHttpHeaders }>,
): Promise<Session> {
  const found = await findSession(db, { hash: hashToken(token), is_used: isUsed(headers) })
  if (found === undefined || found.is_over) throw refuse(accessErrors.session_expired)
  return sessionOf(found)
}

/** What was found, as those who decide read it. */
export const sessionOf = (found: SessionFound): Session => ({
  ...found,
  second_factor: secondFactorOf(found),
})

function secondFactorOf({ totp_enabled, totp_until }: SessionFound): SecondFactor {
  if (!totp_enabled) return 'NONE'
  return totp_until === null ? 'STALE' : 'FRESH'
}

// A session ends: from the next call on it is refused everywhere, since every call reads its row.
// Law: whoever ends sessions has locked their person's row, as whoever gives a code has: the update
// that ends them then sees the token that a step-up has just made.

/** Only the person's own; false when they have no such open session. */
export const endSession = (db: Db, person: Person, session_id: string): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    const { person_id } = person
    await lockPerson(tx, person_id)
    if (!(await endSessionRow(tx, { person_id, id: session_id }))) return false
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'session.ended',
      target_kind: 'session',
      target_id: session_id,
    })
    return true
  })

// Where a person is logged in.

export type { OpenSession } from './store.ts'

export const listSessions = (db: Db, { person_id }: Person): Promise<OpenSession[]> =>
  listOpenSessions(db, person_id)

// A person logs out everywhere, here too: from the next request on none of their sessions opens
// anything.

/** How many sessions ended. */
export const endEverySession = (db: Db, person: Person): Promise<number> =>
  inTransaction(db, async (tx) => {
    const { person_id } = person
    await lockPerson(tx, person_id)
    const ended = await endRows(tx, person_id)
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'person.logged_out',
      target_kind: 'person',
      target_id: person_id,
      after: { sessions_ended: ended },
    })
    return ended
  })

// Removes what signing in leaves behind: sessions and e-mailed tokens that have been over for so
// many days.

export async function dropOldSessions(sql: Sql, portion: Portion): Promise<number> {
  const gone = await deleteOldSessions(sql, portion)
  return Math.max(gone, await deleteOldTokens(sql, portion))
}
