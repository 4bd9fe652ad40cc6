// The e-mail by which a person proves their address, and the proof. An owner's proof may be the
// last thing that LIVE waits for; what it opens is not known here, so it is an argument.

import { type Actor, actorOfPerson } from '../audit/audit.ts'
import { recordOwnAct } from '../audit/audit-log.ts'
import { hashToken, type Keyring } from '../platform/crypto/seal.ts'
import { type Db, inTransaction, type Sql, type Tx } from '../platform/db.ts'
import { assert, invalid } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { queueMail } from '../platform/mail/queue-mail.ts'
import {
  countAtAddress,
  countEmail,
  countOwn,
  type EmailLimitDeps,
  type SignInLimits,
} from './count-tries.ts'
import { resetEmail, verificationEmail } from './emails.ts'
import { isPassword } from './password.ts'
import type { PersonFacts } from './person.ts'
import { newPersonToken, opensNothing } from './person-token.ts'
import {
  findByToken,
  findPasswordHash,
  findPerson,
  forgetBefore,
  lockPerson,
  markVerified,
  takeToken,
} from './store.ts'

export type VerificationDeps = Readonly<{ keyring: Keyring; dashboard_url: string }>

/** Queues the e-mail with a fresh token; earlier ones are void. */
export async function emailVerification(
  sql: Sql,
  { keyring, dashboard_url }: VerificationDeps,
  person: PersonFacts,
): Promise<void> {
  const { id: person_id, email } = person
  const token = await newPersonToken(sql, { person_id, email, purpose: 'VERIFY_EMAIL' })
  await queueMail(
    sql,
    keyring,
    verificationEmail(person, `${dashboard_url}/dashboard/verify-email#${token}`),
  )
}

export type ResendDeps = VerificationDeps &
  EmailLimitDeps &
  Readonly<{ db: Db; wake: (name: string) => void }>

/** False when there is nothing to prove any more. Refuses with `rate_limited`. */
export async function resendVerification(deps: ResendDeps, by: Person): Promise<boolean> {
  const { person_id, ip } = by
  const person = await findPerson(deps.db, person_id)
  assert(person !== undefined, 'a session without a person')
  if (person.email_verified) return false
  await countEmail(deps, { ip, recipient: person_id })
  await inTransaction(deps.db, async (tx) => {
    await emailVerification(tx, deps, person)
    await recordOwnAct(tx, actorOfPerson(by), {
      action: 'email.verification_asked',
      target_kind: 'person',
      target_id: person_id,
    })
  })
  deps.wake('send-mail')
  return true
}

/** A person who follows an e-mail's link is identified by it alone. */
export type LinkFollowed = Readonly<{ token: string; ip: string; request_id: string }>

export const actorByLink = (
  { id, kind, staff_role }: PersonFacts,
  { ip, request_id }: LinkFollowed,
): Actor => ({ kind, id, role: staff_role ?? '', ip, request_id })

export type VerifyDeps = VerificationDeps &
  Readonly<{
    db: Db
    onVerified: OnVerified
    limits: SignInLimits
    wake: (name: string) => void
  }>

/** `password`: shows that the content of the account is the reader's own. */
export type Verifying = LinkFollowed & Readonly<{ password?: string | undefined }>

/** Refuses a token that opens nothing, and a wrong password. Of several at once, one passes. */
export async function verifyEmail(
  deps: VerifyDeps,
  followed: Verifying,
): Promise<Readonly<{ needs_password: boolean }>> {
  const query = {
    hash: hashToken(followed.token),
    purpose: 'VERIFY_EMAIL',
    kind: 'MEMBER',
  } as const
  const known = followed.password !== undefined
  if (known) await provePasswordOf(deps, await findByToken(deps.db, query), followed)
  const proof = await inTransaction(deps.db, async (tx) => {
    const person = await takeToken(tx, query)
    if (person === undefined) throw opensNothing()
    await lockPerson(tx, person.id)
    const done = await proveAddress(tx, deps, person, known ? 'PASSWORD' : 'EMAIL')
    await recordOwnAct(tx, actorByLink(person, followed), {
      action: 'email.verified',
      target_kind: 'person',
      target_id: person.id,
      ...(done.needs_password ? { after: { must_choose_password: true } } : {}),
    })
    if (done.needs_password) await emailPasswordChoice(tx, deps, person)
    return done
  })
  if (proof.needs_password) deps.wake('send-mail')
  return proof
}

/** Counted like signing in, since it reveals whether a password is right. */
async function provePasswordOf(
  { db, keyring, limits }: VerifyDeps,
  holder: PersonFacts | undefined,
  { password = '', ip }: Verifying,
): Promise<void> {
  if (holder === undefined) throw opensNothing()
  const attempt = { kind: 'MEMBER', email: holder.email, ip } as const
  const throttle = { db, macs: keyring, limits }
  await countAtAddress(throttle, attempt)
  await countOwn(throttle, attempt)
  if (await isPassword(await findPasswordHash(db, holder.id), password)) return
  throw invalid('password', {
    en: 'This password is wrong. Omit it to continue with the link alone.',
    fr: 'Ce mot de passe est incorrect. Omettez-le pour continuer avec le lien seul.',
  })
}

/** The reader of the e-mails continues with a password of their own. */
async function emailPasswordChoice(
  tx: Tx,
  deps: VerificationDeps,
  person: PersonFacts,
): Promise<void> {
  const { id: person_id, email } = person
  const token = await newPersonToken(tx, { person_id, email, purpose: 'RESET_PASSWORD' })
  const link = `${deps.dashboard_url}/dashboard/reset-password#${token}`
  await queueMail(tx, deps.keyring, resetEmail(person, link))
}

// An address is proved for the first time. Anybody may sign up with a stranger's address, build on
// the account and wait: so what came before counts only for a reader of the e-mail who also knows
// the password. With the e-mail alone, its reader must gain nothing of somebody else's.

/** The e-mail and the password; the e-mail that sets a new one; the e-mail alone. */
export type ProvedBy = 'PASSWORD' | 'RESET' | 'EMAIL'

/**
 * What follows for a member's merchants, in the same transaction. `taken_away`: a membership beside
 * somebody else was lost.
 */
export type OnVerified = (
  tx: Tx,
  person_id: string,
  by: ProvedBy,
) => Promise<Readonly<{ taken_away: boolean }>>

type Proved = Readonly<{ id: string; totp_enabled: boolean }>

export type Proof = Readonly<{
  is_first: boolean
  /** The password before is void: a new one must be chosen by e-mail. */
  needs_password: boolean
}>

/** Call with the person's row locked. With `RESET` the new password is set in the same turn. */
export async function proveAddress(
  tx: Tx,
  { onVerified }: Readonly<{ onVerified: OnVerified }>,
  { id, totp_enabled }: Proved,
  by: ProvedBy,
): Promise<Proof> {
  if (!(await markVerified(tx, id))) return { is_first: false, needs_password: false }
  if (by === 'RESET') await forgetBefore(tx, id, { password: 'stays' })
  const { taken_away } = await onVerified(tx, id, by)
  // A bare registration is the reader's own: nothing in it could lock them out.
  const needs_password = by === 'EMAIL' && (totp_enabled || taken_away)
  if (needs_password) await forgetBefore(tx, id, { password: 'goes' })
  return { is_first: true, needs_password }
}
