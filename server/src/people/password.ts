// Passwords: how they are kept and compared, and which are refused.

import { hash, verify } from '@node-rs/argon2'
import { dictionary } from '@zxcvbn-ts/language-common'
import { type FieldErrors, Invalid, type Text } from '../platform/errors.ts'
import { networkOf } from '../platform/throttle/throttle.ts'
import { turnsOf } from '../platform/turns.ts'
import { emailOf, type Kind } from './person.ts'

const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Hashing takes threads of Node's pool (four, unless UV_THREADPOOL_SIZE is set), which files, names
 * and compression want too: half of them, and a queue of some two seconds, of which one network has
 * two thirds at most.
 */
const hashing = turnsOf({ at_once: 2, waiting: 60, waiting_in_all: 90 })

/** Hashing without a caller's address is counted together: our own commands. */
const ours = ''

const ownerOf = (ip: string | undefined): string => (ip === undefined ? ours : networkOf(ip))

/**
 * Argon2id in its own text form. `ip`: the caller's; 503 when too many wait, or too many of theirs.
 */
export const hashPassword = (password: string, ip?: string): Promise<string> =>
  hashing(ownerOf(ip), () => hash(password, cost))

let nobodys: Promise<string> | undefined

/** False for a person who is not there or has no password, after as long as for a wrong one. */
export async function isPassword(
  hashed: string | null,
  password: string,
  ip?: string,
): Promise<boolean> {
  nobodys ??= hash('nobody has this password', cost)
  const known = hashed ?? (await nobodys)
  const matches = await hashing(ownerOf(ip), () => verify(known, password))
  return matches && hashed !== null
}

// What a password must not be, beside too short: one of those that are guessed first, or its
// owner's own name, e-mail or merchant, or this service's name. Digits and signs added to such a
// word do not help (NIST SP 800-63B 3.1.1.2; OWASP ASVS 5.0, 6.2.11).

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

// The passwords that are guessed first: some 18,000 of those that leaked most often everywhere (the
// list of zxcvbn-ts, MIT), and what is guessed here, where keyboards and words are French. Shorter
// ones are refused for their length already.

/** The least that `passwordField` takes. */
const least = 8

const guessedHere = [
  ...['0123456789', '12345678910', '88888888', '12341234', '11223344', '123321123'],
  ...['password12', 'password1234', 'password!', 'pa$$word', 'pass1234'],
  ...['motdepasse', 'motdepasse1', 'motdepasse123', 'monmotdepasse', 'azertyuiop', 'azerty123'],
  ...['azerty1234', 'azertyui', 'qwerty1234', 'qwertz123', 'q1w2e3r4', 'zxcvbnm1'],
  ...['iloveyou1', 'jetaime1', 'jetaime123', 'loulou123', 'doudou123', 'chouchou', 'batman123'],
  ...['welcome123', 'bienvenue', 'bienvenue1', 'bonjour1', 'bonjour123', 'letmein1'],
  ...['admin1234', 'administrator', 'administrateur', 'changeme', 'changeme1', 'test1234'],
  ...['default1', 'pirogue1', 'pirogue123', 'senegal1', 'senegal123', 'cotedivoire', 'cameroun'],
  ...['bonjourbonjour', 'passwordpassword', 'motdepassemotdepasse', 'marseille'],
]

/** Lower case, without spaces around, as `emailOf` writes a text. */
export const guessedFirst: ReadonlySet<string> = new Set(
  [...dictionary['passwords-common'], ...guessedHere].filter((each) => each.length >= least),
)
