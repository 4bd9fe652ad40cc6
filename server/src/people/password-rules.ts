// What a password must not be, beside too short: the account's own e-mail, or what is guessed
// first.

import { type FieldErrors, Invalid, type Text } from '../platform/errors.ts'
import { guessedFirst } from './guessed-first.ts'
import { emailOf } from './person.ts'

const isEmail: Text = {
  en: 'Must not be your e-mail address.',
  fr: 'Ne doit pas être votre adresse e-mail.',
}
const isGuessed: Text = {
  en: 'Is one of the passwords that are guessed first. Choose another one.',
  fr: 'Fait partie des mots de passe devinés en premier. Choisissez-en un autre.',
}

function faultsOf(password: string, email: string): readonly Text[] {
  const text = emailOf(password)
  if (guessedFirst.has(text)) return [isGuessed]
  return email !== '' && text === emailOf(email) ? [isEmail] : []
}

/** A route's `check` of a body with `password`, and `email` where it has one. */
export function checkPassword(body: Readonly<Record<string, unknown>>): FieldErrors {
  const { password, email } = body
  if (typeof password !== 'string') return {}
  const faults = faultsOf(password, typeof email === 'string' ? email : '')
  return faults.length === 0 ? {} : { password: faults }
}

/** The same where the e-mail is not in the body: throws a 400 on `password`. */
export function insistPassword(password: string, email: string): void {
  const wrong = checkPassword({ password, email })
  if (Object.keys(wrong).length > 0) throw new Invalid(wrong)
}
