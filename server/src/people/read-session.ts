// The person of a session token. An unknown token and an expired one are answered alike.

import { hashToken } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { SecondFactor } from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { findSession, type SessionFound } from './store.ts'

export type Session = SessionFound & Readonly<{ second_factor: SecondFactor }>

/** Throws `session_expired` for a token that opens nothing (any more). */
export async function readSession(db: Db, token: string): Promise<Session> {
  const found = await findSession(db, hashToken(token))
  if (found === undefined || found.is_over) throw refuse(accessErrors.session_expired)
  return { ...found, second_factor: secondFactorOf(found) }
}

function secondFactorOf({ totp_enabled, totp_fresh }: SessionFound): SecondFactor {
  if (!totp_enabled) return 'NONE'
  return totp_fresh ? 'FRESH' : 'STALE'
}
