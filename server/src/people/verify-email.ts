// The letter that asks a person to prove his address, and the proof. An owner's proof may be the
// last thing that LIVE waits for; what it opens is not known here, so it is an argument.

import type { Actor } from '../audit/audit.ts'
import { actorOfPerson } from '../audit/audit.ts'
import { hashToken, type Keyring } from '../platform/crypto/seal.ts'
import { type Db, inTransaction, type Sql, type Tx } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { queueMail } from '../platform/mail/queue-mail.ts'
import { countLetter, type TriesDeps } from './letter-tries.ts'
import { verifyLetter } from './letters.ts'
import type { PersonFacts } from './person.ts'
import { newPersonToken, opensNothing } from './person-token.ts'
import { recordOwnAct } from './record-own-act.ts'
import { findPerson, markVerified, takeToken } from './store.ts'

export type LetterDeps = Readonly<{ keyring: Keyring; public_url: string }>

/** What follows from a member's proof that the address is his, in the same transaction. */
export type OnVerified = (tx: Tx, person_id: string) => Promise<unknown>

/** Queues the letter with a fresh token; earlier ones are void. */
export async function askToVerify(
  sql: Sql,
  { keyring, public_url }: LetterDeps,
  person: PersonFacts,
): Promise<void> {
  const { id: person_id, email } = person
  const token = await newPersonToken(sql, { person_id, email, purpose: 'VERIFY_EMAIL' })
  await queueMail(
    sql,
    keyring,
    verifyLetter(person, `${public_url}/dashboard/verify-email#${token}`),
  )
}

export type ResendDeps = LetterDeps & TriesDeps & Readonly<{ db: Db; wake: (name: string) => void }>

/** False when there is nothing to prove any more. Refuses with `rate_limited`. */
export async function resendVerification(deps: ResendDeps, asking: Person): Promise<boolean> {
  const { person_id, ip } = asking
  const person = await findPerson(deps.db, person_id)
  assert(person !== undefined, 'a session without a person')
  if (person.email_verified) return false
  await countLetter(deps, { ip, reader: person_id })
  await inTransaction(deps.db, async (tx) => {
    await askToVerify(tx, deps, person)
    await recordOwnAct(tx, actorOfPerson(asking), {
      action: 'email.verification_asked',
      target_kind: 'person',
      target_id: person_id,
    })
  })
  deps.wake('send-mail')
  return true
}

/** Who follows a letter's link is known by it alone. */
export type LinkFollowed = Readonly<{ token: string; ip: string; request_id: string }>

export const actorByLink = (
  { id, kind, staff_role }: PersonFacts,
  { ip, request_id }: LinkFollowed,
): Actor => ({ kind, id, role: staff_role ?? '', ip, request_id })

/** Refuses a token that opens nothing. Of several at once with the same, one passes. */
export async function verifyEmail(
  { db, onVerified }: Readonly<{ db: Db; onVerified: OnVerified }>,
  followed: LinkFollowed,
): Promise<void> {
  const hash = hashToken(followed.token)
  await inTransaction(db, async (tx) => {
    const person = await takeToken(tx, { hash, purpose: 'VERIFY_EMAIL', kind: 'MEMBER' })
    if (person === undefined) throw opensNothing()
    await markVerified(tx, person.id)
    await recordOwnAct(tx, actorByLink(person, followed), {
      action: 'email.verified',
      target_kind: 'person',
      target_id: person.id,
    })
    await onVerified(tx, person.id)
  })
}
