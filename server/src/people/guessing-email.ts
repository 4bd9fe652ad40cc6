// The e-mail to a person whose password strangers are guessing: once a day at most. Law: a caller
// who tries to sign in has proved nothing, so nothing of theirs is in it.

import type { Writer } from '../platform/mail/mail.ts'
import { guessingEmail } from './emails.ts'
import { passwordPage } from './password-forgot.ts'
import type { Kind } from './person.ts'
import { findForEmail } from './store.ts'

/** The name of this deferred e-mail in the outbox. */
export const deferredGuessing = 'password-guessed'

/** Writes no e-mail when nobody has this address. */
export const writeGuessingEmail =
  ({ public_url }: Readonly<{ public_url: string }>): Writer =>
  async (tx, about) => {
    const kind: Kind = about['kind'] === 'STAFF' ? 'STAFF' : 'MEMBER'
    const person = await findForEmail(tx, kind, about['email'] ?? '')
    if (person === undefined) return undefined
    return guessingEmail(person, passwordPage(public_url, kind, 'forgot-password'))
  }
