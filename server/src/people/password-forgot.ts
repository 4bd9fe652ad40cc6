// A forgotten password. Law: the answer and its time are the same whether or not anybody has this
// e-mail, since nobody is looked up before it: a deferred e-mail is stored, and its recipient is
// looked up when its turn comes.

import type { Keyring } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db.ts'
import { deferEmail } from '../platform/mail/defer-email.ts'
import type { Writer } from '../platform/mail/mail.ts'
import { countOrRefuse } from '../platform/throttle/throttle.ts'
import { countEmail, type EmailLimitDeps } from './count-email.ts'
import { resetEmail } from './emails.ts'
import { emailOf, type Kind } from './person.ts'
import { newPersonToken } from './person-token.ts'
import { recordOwnAct } from './record-own-act.ts'
import { findForEmail } from './store.ts'

export type ForgotDeps = EmailLimitDeps &
  Readonly<{
    db: Db
    keyring: Keyring
    wake: (name: string) => void
    limits: Readonly<{ reset_letters_hour: number }>
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
  const most = deps.limits.reset_letters_hour
  const throttle = { db: deps.db, macs: deps.keyring }
  await countOrRefuse(throttle, { act: 'reset-letter', target: recipient, most, within_s: 3_600 })
  const about = { kind, email, ip, request_id }
  await deferEmail(deps.db, deps.keyring, { errand: deferredReset, about })
  deps.wake('send-mail')
}

const pages = { MEMBER: 'dashboard', STAFF: 'admin' } as const satisfies Record<Kind, string>

/** On our own pages: where a person of this kind manages their password. */
export const passwordPage = (public_url: string, kind: Kind, name: string): string =>
  `${public_url}/${pages[kind]}/${name}`

/** Writes the e-mail with a fresh token; earlier ones stay valid. No person, no e-mail. */
export const writeResetEmail =
  ({ public_url }: Readonly<{ public_url: string }>): Writer =>
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
    return resetEmail(person, `${passwordPage(public_url, kind, 'reset-password')}#${token}`)
  }
