// Passwords change: by a person who knows the old one, or by the link of an e-mail. And the
// password as proof before what a stolen session must not do.

import { actorOfPerson } from '../audit/audit.ts'
import { recordOwnAct } from '../audit/audit-log.ts'
import { hashToken, type Keyring } from '../platform/crypto/seal.ts'
import { type Db, inTransaction, type Sql } from '../platform/db.ts'
import { assert, invalid, refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import type { Writer } from '../platform/mail/mail.ts'
import { deferEmail, queueMail } from '../platform/mail/queue-mail.ts'
import { countOrRefuse, forgive } from '../platform/throttle/throttle.ts'
import { countEmail, type EmailLimitDeps, forgiveStrangers } from './count-tries.ts'
import { passwordChangedEmail, resetEmail } from './emails.ts'
import { hashPassword, isPassword, requireGoodPassword } from './password.ts'
import { emailOf, type Kind, type PersonFacts } from './person.ts'
import { newPersonToken, opensNothing } from './person-token.ts'
import { openSession, type SessionMade } from './sessions/session.ts'
import {
  findByToken,
  findForEmail,
  findPasswordHash,
  findPerson,
  getPasswordOwner,
  isSessionOpen,
  lockPassword,
  lockPerson,
  markVerified,
  setPassword,
  takeToken,
} from './store.ts'
import { actorByLink, type LinkFollowed, type OnVerified, proveAddress } from './verify-email.ts'

export type ChangeDeps = ProofDeps & EmailDeps & Readonly<{ wake: (name: string) => void }>

export type PasswordChange = Readonly<{
  current_password: string
  password: string
  user_agent: string
}>

/** Refuses a 400 by field, `rate_limited`, or `session_expired` when a rival was faster. */
export async function changePassword(
  deps: ChangeDeps,
  changing: Person,
  { current_password, password, user_agent }: PasswordChange,
): Promise<SessionMade> {
  const { person_id, session_id, ip } = changing
  requireGoodPassword(password, await getPasswordOwner(deps.db, person_id))
  const stored = await findPasswordHash(deps.db, person_id)
  await provePassword(deps, changing, { password: current_password, field: 'current_password' })
  const password_hash = await hashPassword(password)
  const session = await inTransaction(deps.db, async (tx) => {
    // Another password than a moment ago: that change has ended the session of this call. So may a
    // second factor, or the person: what has ended goes on under no new token.
    const same = await lockPassword(tx, { id: person_id, password_hash: stored })
    if (!same || !(await isSessionOpen(tx, session_id))) throw refuse(accessErrors.session_expired)
    await setPassword(tx, person_id, password_hash)
    await recordOwnAct(tx, actorOfPerson(changing), {
      action: 'password.changed',
      target_kind: 'person',
      target_id: person_id,
    })
    const person = await findPerson(tx, person_id)
    assert(person !== undefined, 'a password of nobody')
    await emailPasswordChanged(tx, deps, person)
    return openSession(tx, { person_id, ip, user_agent, second_factor: false })
  })
  deps.wake('send-mail')
  return session
}

// A forgotten password. Law: the answer and its time are the same whether or not anybody has this
// e-mail, since nobody is looked up before it: a deferred e-mail is stored, and its recipient is
// looked up when its turn comes.

export type ForgotDeps = EmailLimitDeps &
  Readonly<{
    db: Db
    keyring: Keyring
    wake: (name: string) => void
    limits: Readonly<{ reset_emails_hour: number }>
  }>

export type Forgotten = Readonly<{ kind: Kind; email: string; ip: string; request_id: string }>

/** The name of this deferred e-mail in the outbox. */
export const deferredReset = 'reset-password'

/** Refuses with `rate_limited`. */
export async function forgotPassword(deps: ForgotDeps, forgotten: Forgotten): Promise<void> {
  const { kind, ip, request_id } = forgotten
  const email = emailOf(forgotten.email)
  const recipient = `${kind} ${email}`
  await countEmail(deps, { ip, recipient })
  const most = deps.limits.reset_emails_hour
  const throttle = { db: deps.db, macs: deps.keyring }
  await countOrRefuse(throttle, { act: 'reset-letter', target: recipient, most, within_s: 3_600 })
  const about = { kind, email, ip, request_id }
  await deferEmail(deps.db, deps.keyring, { writer: deferredReset, about })
  deps.wake('send-mail')
}

const pages = { MEMBER: 'dashboard', STAFF: 'admin' } as const satisfies Record<Kind, string>

/** Where pages for members are, and for staff; each without a slash at its end. */
export type PageAddresses = Readonly<{ dashboard_url: string; public_url: string }>

/** On our own pages: where a person of this kind manages their password. */
export const passwordPage = (where: PageAddresses, kind: Kind, name: string): string =>
  `${kind === 'MEMBER' ? where.dashboard_url : where.public_url}/${pages[kind]}/${name}`

/** Writes the e-mail with a fresh token; earlier ones stay valid. No person, no e-mail. */
export const writeResetEmail =
  (where: PageAddresses): Writer =>
  async (tx, about) => {
    const { email = '', ip = '', request_id = '' } = about
    const kind: Kind = about['kind'] === 'STAFF' ? 'STAFF' : 'MEMBER'
    const person = await findForEmail(tx, kind, email)
    if (person === undefined) return undefined
    const { id: person_id } = person
    const token = await newPersonToken(tx, { person_id, email, purpose: 'RESET_PASSWORD' })
    // The caller has proved nothing: the line records from where, not who.
    const actor = { kind: 'SYSTEM', id: null, role: '', ip, request_id } as const
    await recordOwnAct(tx, actor, {
      action: 'password.reset_asked',
      target_kind: 'person',
      target_id: person_id,
    })
    return resetEmail(person, `${passwordPage(where, kind, 'reset-password')}#${token}`)
  }

// A new password by the link of an e-mail. Every session ends, and so does every other such link;
// reading the e-mail has proved the address too. Law: if it was not proved before, nothing that
// somebody else may have put into the account outlives it (verify-email.ts).

export type EmailDeps = PageAddresses & Readonly<{ keyring: Keyring }>

export type ResetDeps = EmailDeps &
  Readonly<{ db: Db; wake: (name: string) => void; onVerified: OnVerified }>

export type Reset = LinkFollowed & Readonly<{ kind: Kind; password: string }>

/** Refuses a token that opens nothing, and a password by the rules. Of several, one wins. */
export async function resetPassword(deps: ResetDeps, reset: Reset): Promise<void> {
  const { kind, token, password } = reset
  const query = { hash: hashToken(token), purpose: 'RESET_PASSWORD', kind } as const
  // Checked first: only a valid token makes us hash.
  const holder = await findByToken(deps.db, query)
  if (holder === undefined) throw opensNothing()
  requireGoodPassword(password, await getPasswordOwner(deps.db, holder.id))
  const password_hash = await hashPassword(password)
  await inTransaction(deps.db, async (tx) => {
    // Locked before sessions are ended: who signs in meanwhile by the old password has one by then,
    // or waits and is refused.
    await lockPerson(tx, holder.id)
    const person = await takeToken(tx, query)
    if (person === undefined) throw opensNothing()
    await setPassword(tx, person.id, password_hash)
    await recordOwnAct(tx, actorByLink(person, reset), {
      action: 'password.reset',
      target_kind: 'person',
      target_id: person.id,
    })
    await emailPasswordChanged(tx, deps, person)
    if (kind === 'MEMBER') await proveAddress(tx, deps, person, 'RESET')
    else await markVerified(tx, person.id)
  })
  await forgiveStrangers({ db: deps.db, macs: deps.keyring }, holder)
  deps.wake('send-mail')
}

const emailPasswordChanged = (sql: Sql, deps: EmailDeps, person: PersonFacts): Promise<void> => {
  const link = passwordPage(deps, person.kind, 'forgot-password')
  return queueMail(sql, deps.keyring, passwordChangedEmail(person, link))
}

// A person who is signed in proves their identity by the password, before acts that a stolen
// session must not do. Counted before it is hashed, so that a session is no way to guess the
// password.

export type ProofDeps = Readonly<{
  db: Db
  keyring: Keyring
  limits: Readonly<{ login_per_email_10min: number }>
}>

const act = 'own-password'
const within_s = 600

/** Refuses with `rate_limited`, or a 400 on `field`. */
export async function provePassword(
  { db, keyring, limits }: ProofDeps,
  { person_id }: Pick<Person, 'person_id'>,
  { password, field = 'password' }: Readonly<{ password: string; field?: string }>,
): Promise<void> {
  const throttle = { db, macs: keyring }
  const most = limits.login_per_email_10min
  await countOrRefuse(throttle, { act, target: person_id, most, within_s })
  if (!(await isPassword(await findPasswordHash(db, person_id), password))) {
    throw invalid(field, { en: 'This is not your password.', fr: 'Ce mot de passe est incorrect.' })
  }
  await forgive(throttle, { act, target: person_id })
}
