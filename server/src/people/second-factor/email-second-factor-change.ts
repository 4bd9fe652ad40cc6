// An e-mail to the person whose second factor has changed, in the transaction of the change: a
// thief who gets so far cannot have the one without the other.

import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Tx } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import { type SecondFactorNews, secondFactorEmail } from '../emails.ts'
import { passwordPage } from '../password-forgot.ts'
import { findPerson } from '../store.ts'

export type SecondFactorEmailDeps = Readonly<{ keyring: Keyring; public_url: string }>

export async function emailSecondFactorChange(
  tx: Tx,
  { keyring, public_url }: SecondFactorEmailDeps,
  { person_id }: Pick<Person, 'person_id'>,
  news: SecondFactorNews,
): Promise<void> {
  const person = await findPerson(tx, person_id)
  assert(person !== undefined, 'a second factor of nobody')
  const link = passwordPage(public_url, person.kind, 'forgot-password')
  await queueMail(tx, keyring, secondFactorEmail(person, news, link))
}
