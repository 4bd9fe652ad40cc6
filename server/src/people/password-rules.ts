// What a password must not be, beside too short: one of those that are guessed first, or its
// owner's own name, e-mail or merchant, or this service's name. Digits and signs added to such a
// word do not help (NIST SP 800-63B 3.1.1.2; OWASP ASVS 5.0, 6.2.11).

import { type FieldErrors, Invalid, type Text } from '../platform/errors.ts'
import { guessedFirst } from './guessed-first.ts'
import { emailOf, type Kind } from './person.ts'

/** The future owner of the password, as far as known. */
export type PasswordOwner = Readonly<{
  kind?: Kind
  email?: string
  /** First and last name, merchants. */
  names?: readonly string[]
}>

/** Staff, who decide on other people's money, need a longer one. */
const staff_least = 12

const isEmail: Text = {
  en: 'Must not be your e-mail address.',
  fr: 'Ne doit pas être votre adresse e-mail.',
}
const isGuessed: Text = {
  en: 'Is one of the most commonly guessed passwords. Choose another one.',
  fr: 'Fait partie des mots de passe les plus souvent devinés. Choisissez-en un autre.',
}
const isOwnWord: Text = {
  en:
    'Must not be your name, your business or this service followed by a few digits. Choose ' +
    'another one.',
  fr: 'Ne doit pas être votre nom, votre entreprise ou ce service suivi de quelques chiffres.',
}
const isShort: Text = {
  en: `Must have at least ${staff_least} characters.`,
  fr: `Doit compter au moins ${staff_least} caractères.`,
}

/** Only its letters, in lower case and without accents. */
const lettersOf = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}]/gu, '')

function isOf({ email = '', names = [] }: PasswordOwner, password: string): boolean {
  const letters = lettersOf(password)
  const [local = ''] = email.split('@')
  const words = ['pirogue', local, names.slice(0, 2).join(' '), ...names].map(lettersOf)
  return letters !== '' && words.some((word) => word.length >= 3 && word === letters)
}

function faultsOf(password: string, owner: PasswordOwner): readonly Text[] {
  const text = emailOf(password)
  const email = emailOf(owner.email ?? '')
  if (guessedFirst.has(text)) return [isGuessed]
  if (email !== '' && text === email) return [isEmail]
  if (owner.kind === 'STAFF' && password.length < staff_least) return [isShort]
  return isOf(owner, password) ? [isOwnWord] : []
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A route's `check` of a body with `password`, and whatever else in it names its owner. */
export function checkPassword(body: Readonly<Record<string, unknown>>): FieldErrors {
  const { password, email, first_name, last_name, merchant_name } = body
  if (typeof password !== 'string') return {}
  const names = [first_name, last_name, merchant_name].map(textOf)
  const faults = faultsOf(password, { email: textOf(email), names })
  return faults.length === 0 ? {} : { password: faults }
}

/** The same where the owner is not in the body: throws a 400 on `password`. */
export function requireGoodPassword(password: string, owner: PasswordOwner): void {
  const faults = faultsOf(password, owner)
  if (faults.length > 0) throw new Invalid({ password: faults })
}
