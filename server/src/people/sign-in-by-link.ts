// Signing in by the link that a demo's start prints (docs/decisions/0235): once, within ten
// minutes, and with a code where a second factor is enrolled. Law: a token that was used, is over
// or never was, one of somebody who may not any more, and any token where no link is printed are
// answered alike; what is refused uses up nothing.

import { hashToken } from '../platform/crypto/seal.ts'
import { inTransaction, type Sql, type Tx } from '../platform/db.ts'
import { type Invalid, invalid } from '../platform/errors.ts'
import { countAtAddress } from './count-tries.ts'
import { newDeviceToken } from './device.ts'
import type { PersonFacts } from './person.ts'
import { newPersonToken } from './person-token.ts'
import { countCodes, forgiveCodes, takeCode } from './second-factor/give-code.ts'
import type { SessionMade } from './sessions/session.ts'
import {
  codeMissing,
  openRecorded,
  type SignedIn,
  type SignInDeps,
  type SignInRequest,
} from './sign-in.ts'
import { findByToken, findPasswordHash, lockPerson, takeToken } from './store.ts'

/** Whether this person may be signed in so, which stays so until the transaction ends. */
export type MayUseLink = (tx: Tx, person_id: string) => Promise<boolean>

export type LinkDeps = SignInDeps &
  Readonly<{
    /** Null: this service prints no link, and takes none. */
    mayUseLink: MayUseLink | null
  }>

type LinkRequest = Pick<SignInRequest, 'totp' | 'ip' | 'user_agent' | 'request_id'> &
  Readonly<{ token: string }>

/** Signs them in once, within ten minutes; one before it no longer does. */
export const newSignInToken = (
  sql: Sql,
  { id: person_id, email }: Pick<PersonFacts, 'id' | 'email'>,
): Promise<string> => newPersonToken(sql, { person_id, email, purpose: 'SIGN_IN' })

const opensNothing = (): Invalid =>
  invalid('token', {
    en:
      'This link was used, has expired or is unknown: sign in with the password in ' +
      'credentials.json, or start the service again for a new link.',
    fr:
      'Ce lien a déjà servi, a expiré ou est inconnu : connectez-vous avec le mot de passe de ' +
      'credentials.json, ou relancez le service pour un nouveau lien.',
  })

const queryOf = (token: string) =>
  ({ hash: hashToken(token), purpose: 'SIGN_IN', kind: 'MEMBER' }) as const

/** Refuses a 400 on `token`, `totp_required` or `rate_limited`. Of several at once, one passes. */
export async function signInByLink(deps: LinkDeps, request: LinkRequest): Promise<SignedIn> {
  const { db, keyring, mayUseLink } = deps
  const throttle = { ...deps, macs: keyring }
  await countAtAddress(throttle, request)
  const holder = mayUseLink === null ? undefined : await findByToken(db, queryOf(request.token))
  if (mayUseLink === null || holder === undefined) throw opensNothing()
  const { id } = holder
  if (holder.totp_enabled) {
    if (request.totp === undefined) throw codeMissing('no code')
    await countCodes(throttle, { person_id: id, ip: request.ip })
  }
  const session = await inTransaction(db, async (tx) => {
    await lockPerson(tx, id)
    const person = await takeToken(tx, queryOf(request.token))
    const isTheirs = person !== undefined && (await mayUseLink(tx, id))
    // A second factor that was enrolled meanwhile is not left out because it came late.
    if (!isTheirs || person.totp_enabled !== holder.totp_enabled) throw opensNothing()
    return openWithCode(tx, deps, { person, request })
  })
  if (holder.totp_enabled) await forgiveCodes(throttle, id)
  const password_hash = await findPasswordHash(db, id)
  return { session, person: holder, device_token: newDeviceToken(keyring, { id, password_hash }) }
}

type LinkTaken = Readonly<{ person: PersonFacts; request: LinkRequest }>

async function openWithCode(
  tx: Tx,
  { keyring }: LinkDeps,
  { person, request }: LinkTaken,
): Promise<SessionMade> {
  const { id: person_id, totp_enabled: second_factor } = person
  const { totp: code = '', ip, user_agent, request_id } = request
  if (second_factor) {
    const taken = await takeCode(tx, keyring, { person_id, code })
    if (taken === 'WRONG' || taken === 'NOT_ENROLLED') throw codeMissing('wrong code')
  }
  return openRecorded(tx, person, { ip, user_agent, request_id, second_factor, by: 'LINK' })
}
