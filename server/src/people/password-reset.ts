// A new password by the link of an e-mail. Every session ends, and so does every other such link;
// reading the e-mail has proved the address too. Law: if it was not proved before, nothing that
// somebody else may have put into the account outlives it (first-proof.ts).

import { hashToken, type Keyring } from '../platform/crypto/seal.ts'
import { type Db, inTransaction, type Sql } from '../platform/db.ts'
import { queueMail } from '../platform/mail/queue-mail.ts'
import { forgiveStrangers } from './count-sign-in.ts'
import { passwordChangedEmail } from './emails.ts'
import { type OnVerified, proveAddress } from './first-proof.ts'
import { hashPassword } from './password.ts'
import { passwordPage } from './password-forgot.ts'
import { requireGoodPassword } from './password-rules.ts'
import type { Kind, PersonFacts } from './person.ts'
import { opensNothing } from './person-token.ts'
import { recordOwnAct } from './record-own-act.ts'
import {
  findByToken,
  getPasswordOwner,
  lockPerson,
  markVerified,
  setPassword,
  takeToken,
} from './store.ts'
import { actorByLink, type LinkFollowed } from './verify-email.ts'

export type EmailDeps = Readonly<{ keyring: Keyring; public_url: string }>

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
    // Held before sessions are ended: who signs in meanwhile by the old password has one by then,
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

export const emailPasswordChanged = (
  sql: Sql,
  { keyring, public_url }: EmailDeps,
  person: PersonFacts,
): Promise<void> => {
  const link = passwordPage(public_url, person.kind, 'forgot-password')
  return queueMail(sql, keyring, passwordChangedEmail(person, link))
}
