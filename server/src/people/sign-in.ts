// Somebody signs in with e-mail and password, and a code where he has enrolled one. One answer and
// one time for a wrong e-mail and a wrong password.

import type { Db } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import { peopleErrors } from './errors.ts'
import { openSession, type SessionMade } from './open-session.ts'
import { isPassword } from './password.ts'
import { emailOf, type Kind, type PersonFacts } from './person.ts'
import { findForSignIn, type SignInFacts } from './store.ts'

export type SignInDeps = Readonly<{ db: Db }>

export type SignInRequest = Readonly<{
  kind: Kind
  email: string
  password: string
  totp?: string | undefined
  ip: string
  user_agent: string
}>

export type SignedIn = Readonly<{ session: SessionMade; person: PersonFacts }>

/** Refuses with `not_authenticated`, `totp_required` (401) or `rate_limited`. */
export async function signIn(deps: SignInDeps, request: SignInRequest): Promise<SignedIn> {
  const person = await findForSignIn(deps.db, request.kind, emailOf(request.email))
  const right = await isPassword(person?.password_hash ?? null, request.password)
  if (person === undefined || !right || person.is_disabled) {
    throw refuse(peopleErrors.not_authenticated)
  }
  const second_factor = await giveSecondFactor(person, request.totp)
  const { ip, user_agent } = request
  const session = await openSession(deps.db, {
    person_id: person.id,
    ip,
    user_agent,
    second_factor,
  })
  return { session, person }
}

/** True when a code was asked for and given. */
async function giveSecondFactor(person: SignInFacts, code: string | undefined): Promise<boolean> {
  if (!person.totp_enabled) return false
  throw refuse(peopleErrors.totp_required, { note: code === undefined ? 'no code' : 'wrong code' })
}
