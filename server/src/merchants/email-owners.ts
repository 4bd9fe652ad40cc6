// An e-mail to each owner of a merchant, when something was added by which money can leave, or when
// we switched something of theirs off. Written in the transaction of the change, so that there is
// never one without the other.

import type { Keyring } from '../platform/crypto/seal.ts'
import type { Sql } from '../platform/db.ts'
import type { Text } from '../platform/errors.ts'
import { queueMail } from '../platform/mail/queue-mail.ts'
import { listOwners, listPlaces } from './store.ts'

export type OwnersEmail = Readonly<{
  subject: Text
  /** What happened, in a few lines; nothing secret and no person's data. */
  news: Text
  /** What to do; absent: the usual advice about an act that was not theirs. */
  advice?: Text
  /** The person who gets a different e-mail, or none. */
  but?: string
}>

const hello: Text = { en: 'Hello', fr: 'Bonjour' }
const usualAdvice: Text = {
  en: 'If none of you did this, log in now, undo it, and change your password.',
  fr:
    'Si aucun de vous n’est à l’origine de ce changement, connectez-vous, annulez-le et changez ' +
    'votre mot de passe.',
}

/** The owners of all merchants of a person, except that person; each merchant’s once. */
export const emailFellowOwners =
  (keyring: Keyring) =>
  async (sql: Sql, person_id: string, email: OwnersEmail): Promise<void> => {
    for (const merchant_id of await listPlaces(sql, person_id)) {
      await emailOwners(sql, keyring, merchant_id, { ...email, but: person_id })
    }
  }

export async function emailOwners(
  sql: Sql,
  keyring: Keyring,
  merchant_id: string,
  { subject, news, advice = usualAdvice, but }: OwnersEmail,
): Promise<void> {
  for (const owner of await listOwners(sql, merchant_id)) {
    const { person_id, email, first_name, locale, merchant_name } = owner
    if (person_id === but) continue
    await queueMail(sql, keyring, {
      to: email,
      subject: `${merchant_name}: ${subject[locale]}`,
      text: [`${hello[locale]} ${first_name},`, '', news[locale], '', advice[locale]].join('\n'),
      locale,
    })
  }
}
