// The letters that people get, in their own language. A link's token stands behind `#`: it reaches
// no server's log and no Referer. Law: anybody may sign up with a stranger's address, so nothing he
// wrote stands in a letter but what can only be a name.

import type { Locale } from '../platform/errors.ts'
import type { Mail } from '../platform/mail/mail.ts'
import type { PersonFacts } from './person.ts'

export type Reader = Pick<PersonFacts, 'email' | 'locale' | 'first_name'>

type Words = Readonly<Record<Locale, string>>
type Lines = Readonly<Record<Locale, readonly string[]>>

const greeting: Words = { en: 'Hello', fr: 'Bonjour' }
// No dot, no digit, no slash: a mail program makes no link of it.
const looksLikeName = /^[\p{L}\p{M}][\p{L}\p{M} '’-]{0,39}$/u

function letter({ email, locale, first_name }: Reader, subject: Words, lines: Lines): Mail {
  const name = looksLikeName.test(first_name) ? ` ${first_name}` : ''
  const text = [`${greeting[locale]}${name},`, '', ...lines[locale]].join('\n')
  return { to: email, subject: subject[locale], text, locale }
}

export const verifyLetter = (to: Reader, link: string): Mail =>
  letter(
    to,
    { en: 'Confirm your e-mail address', fr: 'Confirmez votre adresse e-mail' },
    {
      en: [
        'Please confirm that this is your address. The link works once, for three days:',
        '',
        link,
        '',
        'If you did not sign up, you need not do anything.',
      ],
      fr: [
        'Merci de confirmer que cette adresse est la vôtre. Le lien sert une fois, pendant trois',
        'jours :',
        '',
        link,
        '',
        'Si vous ne vous êtes pas inscrit, vous n’avez rien à faire.',
      ],
    },
  )

export const resetLetter = (to: Reader, link: string): Mail =>
  letter(
    to,
    { en: 'Choose a new password', fr: 'Choisissez un nouveau mot de passe' },
    {
      en: [
        'You can choose a new password here. The link works once, for an hour:',
        '',
        link,
        '',
        'If you did not ask for this, you need not do anything: your password stays as it is.',
      ],
      fr: [
        'Vous pouvez choisir ici un nouveau mot de passe. Le lien sert une fois, pendant une',
        'heure :',
        '',
        link,
        '',
        'Si vous ne l’avez pas demandé, vous n’avez rien à faire : votre mot de passe ne change',
        'pas.',
      ],
    },
  )

/** `link`: where a new password is asked for. */
export const passwordChangedLetter = (to: Reader, link: string): Mail =>
  letter(
    to,
    { en: 'Your password was changed', fr: 'Votre mot de passe a été changé' },
    {
      en: [
        'The password of your account was changed, and every other device was logged out.',
        '',
        'If it was not you, ask for a new password at once, here:',
        '',
        link,
      ],
      fr: [
        'Le mot de passe de votre compte a été changé et tous les autres appareils ont été',
        'déconnectés.',
        '',
        'Si ce n’était pas vous, demandez tout de suite un nouveau mot de passe, ici :',
        '',
        link,
      ],
    },
  )
