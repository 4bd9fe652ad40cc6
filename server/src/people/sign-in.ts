// Signing in with e-mail and password, and a code where one is enrolled. One answer and one time
// for a wrong e-mail, a wrong password and an account that is switched off; tries are counted
// before the password is hashed, so that a flood costs nothing.

import { recordOwnAct } from '../audit/audit-log.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { type Refusal, refuse } from '../platform/errors.ts'
import type { Writer } from '../platform/mail/mail.ts'
import { deferEmail } from '../platform/mail/queue-mail.ts'
import { type PageAddresses, passwordPage } from './change-password.ts'
import {
  countAmongStrangers,
  countAtAddress,
  countOwn,
  forgiveSignIn,
  type SignInAttempt,
  type SignInLimits,
} from './count-tries.ts'
import { deviceOf, looksLikeDevice, newDeviceToken } from './device.ts'
import { guessingEmail } from './emails.ts'
import { peopleErrors } from './errors.ts'
import { isPassword } from './password.ts'
import { emailOf, type Kind, type PersonFacts } from './person.ts'
import { type CodeLimits, countCodes, forgiveCodes, takeCode } from './second-factor/give-code.ts'
import { openSession, type SessionMade } from './sessions/session.ts'
import { findForEmail, findForSignIn, lockPassword, type SignInFacts } from './store.ts'

export type SignInDeps = Readonly<{
  db: Db
  keyring: Keyring
  limits: SignInLimits & CodeLimits
  /** The demo's people are shut out: this is no trial. */
  no_demo?: boolean
}>

export type SignInRequest = Readonly<{
  kind: Kind
  email: string
  password: string
  totp?: string | undefined
  device_token?: string | undefined
  ip: string
  user_agent: string
  request_id: string
}>

export type SignedIn = Readonly<{
  session: SessionMade
  person: PersonFacts
  /** What the device may keep to be recognised by; see `device.ts`. */
  device_token: string
}>

/** Refuses with `not_authenticated`, `totp_required` (401) or `rate_limited`. */
export async function signIn(deps: SignInDeps, request: SignInRequest): Promise<SignedIn> {
  const throttle = { ...deps, macs: deps.keyring }
  const named = { kind: request.kind, email: emailOf(request.email), ip: request.ip }
  // Law: whoever else is behind an address keeps no owner from a device of the owner's own, whose
  // tries are counted by the device. Without what looks like one, nobody is looked up before.
  const may_be_known = looksLikeDevice(request.device_token)
  if (!may_be_known) await countAtAddress(throttle, named)
  const person = await findForSignIn(deps.db, named)
  const attempt = { ...named, device: deviceOf(deps.keyring, person, request.device_token) }
  if (may_be_known && attempt.device === undefined) await countAtAddress(throttle, named)
  await countOwn(throttle, attempt)
  if (person?.knows_address !== true && attempt.device === undefined) {
    await countStranger(deps, attempt)
  }
  const { password, ip } = request
  const right = await isPassword(person?.password_hash ?? null, password, ip)
  const isShut = person?.is_disabled === true || (deps.no_demo === true && person?.is_demo === true)
  if (person === undefined || !right || isShut) {
    throw refuse(peopleErrors.not_authenticated)
  }
  const session = person.totp_enabled
    ? await openByCode(deps, person, { ...request, device: attempt.device })
    : await inTransaction(deps.db, (tx) =>
        openKnown(tx, person, { ...request, second_factor: false }),
      )
  await forgiveSignIn(throttle, attempt)
  return { session, person, device_token: newDeviceToken(deps.keyring, person) }
}

/**
 * A deferred e-mail, as for a forgotten password: whether there is a recipient takes no time here.
 */
async function countStranger(deps: SignInDeps, attempt: SignInAttempt): Promise<void> {
  const { db, keyring } = deps
  const isNews = await countAmongStrangers({ ...deps, macs: keyring }, attempt)
  if (!isNews) return
  const about = { kind: attempt.kind, email: attempt.email }
  await deferEmail(db, keyring, { writer: deferredGuessing, about })
}

export const codeMissing = (note: string): Refusal => refuse(peopleErrors.totp_required, { note })

async function openByCode(
  deps: SignInDeps,
  person: SignInFacts,
  { device, ...request }: SignInRequest & Pick<SignInAttempt, 'device'>,
): Promise<SessionMade> {
  const { totp: code, ip } = request
  if (code === undefined) throw codeMissing('no code')
  const { db, keyring } = deps
  const throttle = { ...deps, macs: keyring }
  await countCodes(throttle, { person_id: person.id, ip: device === undefined ? ip : null })
  const session = await inTransaction(db, async (tx) => {
    const taken = await takeCode(tx, keyring, { person_id: person.id, code })
    if (taken === 'WRONG' || taken === 'NOT_ENROLLED') throw codeMissing('wrong code')
    return openKnown(tx, person, { ...request, second_factor: true })
  })
  await forgiveCodes(throttle, person.id)
  return session
}

async function openKnown(tx: Tx, person: SignInFacts, opening: Opening): Promise<SessionMade> {
  // A password that was changed while this one was hashed has ended all sessions: this one too. So
  // has a second factor that was enrolled: it is not left out because it came late.
  if (!(await lockPassword(tx, person))) throw refuse(peopleErrors.not_authenticated)
  return openRecorded(tx, person, opening)
}

type Opening = Pick<SignInRequest, 'ip' | 'user_agent' | 'request_id'> &
  Readonly<{
    second_factor: boolean
    /** Where no password was given. */
    by?: 'LINK'
  }>

/** The caller holds the person's row, and has their proof. */
export async function openRecorded(
  tx: Tx,
  person: PersonFacts,
  { ip, user_agent, request_id, second_factor, by }: Opening,
): Promise<SessionMade> {
  const session = await openSession(tx, { person_id: person.id, ip, user_agent, second_factor })
  const actor = {
    kind: person.kind,
    id: person.id,
    role: person.staff_role ?? '',
    ip,
    request_id,
  }
  await recordOwnAct(tx, actor, {
    action: 'session.opened',
    target_kind: 'session',
    target_id: session.id,
    after: { second_factor, ...(by === undefined ? {} : { by }) },
  })
  return session
}

// The e-mail to a person whose password strangers are guessing: once a day at most. Law: a caller
// who tries to sign in has proved nothing, so nothing of theirs is in it.

/** The name of this deferred e-mail in the outbox. */
export const deferredGuessing = 'password-guessed'

/** Writes no e-mail when nobody has this address. */
export const writeGuessingEmail =
  (where: PageAddresses): Writer =>
  async (tx, about) => {
    const kind: Kind = about['kind'] === 'STAFF' ? 'STAFF' : 'MEMBER'
    const person = await findForEmail(tx, kind, about['email'] ?? '')
    if (person === undefined) return undefined
    return guessingEmail(person, passwordPage(where, kind, 'forgot-password'))
  }
