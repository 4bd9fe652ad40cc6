// An e-mail to each owner of a merchant, when something was added by which money can leave, or when
// we switched something of theirs off. Written in the transaction of the change, so that there is
// never one without the other. Law: anybody may sign up with a stranger's address, so an owner gets
// one whose address is proved, of each kind so many in an hour, and nothing of the merchant's own
// text is in it but what can only be a name.

import { greet } from '../people/emails.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import type { Sql } from '../platform/db.ts'
import type { Text } from '../platform/errors.ts'
import { queueMail } from '../platform/mail/queue-mail.ts'
import { control } from '../platform/places/places.ts'
import { countOnly } from '../platform/throttle/throttle.ts'
import { listNamedForMoney, listOwners, listPlaces, type Owner } from './store.ts'

/**
 * What an e-mail is about. Each is counted for itself: a flood of one kind, as whoever has stolen a
 * session may cause, keeps back no word of another.
 */
export type EmailKind =
  | 'COOLING_OFF'
  | 'ERASURES'
  | 'IP_WHITELIST'
  | 'KEYS'
  | 'LIVE_WEBHOOKS'
  | 'MEMBERS'
  | 'NAMES'
  | 'NOTIFICATIONS'
  | 'OWNERS'
  | 'PAYOUT_LIMITS'
  | 'PAYOUT_METHODS'
  | 'SANDBOX_WEBHOOKS'
  | 'SECOND_FACTOR'

export type OwnersEmail = Readonly<{
  kind: EmailKind
  subject: Text
  /** What happened, in a few lines; nothing secret and no person's data. */
  news: Text
  /** What to do; absent: the usual advice about an act that was not theirs. */
  advice?: Text
  /** The person who gets a different e-mail, or none. */
  but?: string
}>

const usualAdvice: Text = {
  en: 'If none of you did this, sign in now, undo it, and change your password.',
  fr:
    'Si aucun de vous n’est à l’origine de ce changement, connectez-vous, annulez-le et changez ' +
    'votre mot de passe.',
}

/** The owners of all merchants of a person, except that person; each merchant’s once. */
export const emailFellowOwners =
  (keyring: Keyring) =>
  async (sql: Sql, person_id: string, email: Omit<OwnersEmail, 'kind' | 'but'>): Promise<void> => {
    for (const merchant_id of await listPlaces(sql, person_id)) {
      const owners = { ...email, kind: 'SECOND_FACTOR', but: person_id } as const
      await emailOwners(sql, keyring, merchant_id, owners)
    }
  }

export async function emailOwners(
  sql: Sql,
  keyring: Keyring,
  merchant_id: string,
  { kind, subject, news, advice = usualAdvice, but }: OwnersEmail,
): Promise<void> {
  const nth = await countEmail(sql, keyring, { merchant_id, kind })
  if (nth > most_an_hour) return
  const owners = await listOwners(sql, merchant_id)
  const [first] = owners
  const readers: Reader[] = [
    ...owners.filter(({ person_id }) => person_id !== but).map((one) => ({ ...one, advice })),
    // Whoever is no member is of no language that we know, and is called by no name.
    ...(await listNamed(sql, merchant_id, kind))
      .filter(({ email }) => !owners.some((owner) => owner.email === email))
      .map((one) => ({
        ...one,
        ...{ first_name: '', locale: first?.locale ?? 'fr', advice: namedAdvice },
      })),
  ]
  for (const reader of readers) {
    const { email: to, locale, merchant_name: name, reviewed_name } = reader
    const line = subjectUnder(shownName({ name, reviewed_name }), subject)[locale]
    const lines = [greet(reader), '', news[locale], '', reader.advice[locale]]
    if (nth === most_an_hour) lines.push('', lastOfHour[locale])
    await queueMail(sql, keyring, { to, subject: line, text: lines.join('\n'), locale })
  }
}

type Reader = Omit<Owner, 'person_id'> & Readonly<{ advice: Text }>

// By these money of LIVE may leave: whom the owners have named for it gets them too.
const about_money: ReadonlySet<EmailKind> = new Set([
  'COOLING_OFF',
  'IP_WHITELIST',
  'KEYS',
  'NOTIFICATIONS',
  'PAYOUT_LIMITS',
  'PAYOUT_METHODS',
])

const listNamed = async (sql: Sql, merchant_id: string, kind: EmailKind) =>
  about_money.has(kind) ? listNamedForMoney(sql, merchant_id) : []

const namedAdvice: Text = {
  en:
    'You get this e-mail because your address is named for e-mails about money in the settings ' +
    'of this account. If you do not expect this change, tell its owners.',
  fr:
    'Vous recevez cet e-mail parce que votre adresse figure, dans les réglages de ce compte, ' +
    'parmi celles à prévenir quand il s’agit d’argent. Si ce changement vous surprend, ' +
    'prévenez ses propriétaires.',
}

// How many of a kind there may be. What is beyond is in the audit log alone, as all of it is.

const most_an_hour = 20

const lastOfHour: Text = {
  en:
    'You have had many such e-mails within an hour and will get no more for now. Your audit log ' +
    'has everything.',
  fr:
    'Vous avez reçu beaucoup d’e-mails de ce genre en une heure et n’en recevrez plus pour le ' +
    'moment. Votre journal des actions contient tout.',
}

const countEmail = (
  sql: Sql,
  macs: Keyring,
  { merchant_id, kind }: Readonly<{ merchant_id: string; kind: EmailKind }>,
): Promise<number> =>
  countOnly(
    { db: control(sql), macs },
    { act: `email-owners ${kind}`, target: merchant_id, within_s: 3600 },
  )

// What of a merchant's own text may be in an e-mail.

// No dot, no slash, no long number, so that no mail program makes a link or a phone call of it.
const name_form = /^(?!.*\d{5})[\p{L}\p{M}][\p{L}\p{M}\p{N} '’&-]{0,59}$/u

/** It can be nothing but a name. */
export const looksLikeName = (text: string): boolean => name_form.test(text)

type Names = Readonly<{ name: string; reviewed_name: string | null }>

/** Whose account it is, then what happened. */
export const subjectUnder = (name: Text, subject: Text): Text => ({
  en: `${name.en}: ${subject.en}`,
  fr: `${name.fr} : ${subject.fr}`,
})

const someAccount: Text = { en: 'Your account', fr: 'Votre compte' }

/** A merchant as its own e-mails call it: by a name that is one, or that staff have seen. */
export const shownName = ({ name, reviewed_name }: Names): Text =>
  looksLikeName(name) || name === reviewed_name ? { en: name, fr: name } : someAccount
