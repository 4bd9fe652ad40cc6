// The e-mails to people, in their own language. A link's token is behind `#`, so it reaches no
// server's log and no Referer. Law: anybody may sign up with a stranger's address, so nothing of
// their text is in an e-mail but what can only be a name.

import type { Locale } from '../platform/errors.ts'
import type { Mail } from '../platform/mail/mail.ts'
import type { PersonFacts } from './person.ts'

export type Recipient = Pick<PersonFacts, 'email' | 'locale' | 'first_name'>

type Words = Readonly<Record<Locale, string>>
type Lines = Readonly<Record<Locale, readonly string[]>>

const greeting: Words = { en: 'Hello', fr: 'Bonjour' }
// No dot, no digit, no slash: a mail program makes no link of it.
const looksLikeName = /^[\p{L}\p{M}][\p{L}\p{M} '’-]{0,39}$/u

/** The first line of an e-mail: by name where it can be nothing else. */
export const greet = ({ locale, first_name }: Pick<Recipient, 'locale' | 'first_name'>): string =>
  `${greeting[locale]}${looksLikeName.test(first_name) ? ` ${first_name}` : ''},`

function compose(to: Recipient, subject: Words, lines: Lines): Mail {
  const { email, locale } = to
  const text = [greet(to), '', ...lines[locale]].join('\n')
  return { to: email, subject: subject[locale], text, locale }
}

export const verificationEmail = (to: Recipient, link: string): Mail =>
  compose(
    to,
    { en: 'Confirm your e-mail address', fr: 'Confirmez votre adresse e-mail' },
    {
      en: [
        'Please confirm that this is your address. The link works once, within three days:',
        '',
        link,
        '',
        'An account whose address is not confirmed is deleted after seven days.',
        'If you did not sign up, you can ignore this e-mail.',
      ],
      fr: [
        'Merci de confirmer que cette adresse est la vôtre. Le lien est valable une seule',
        'fois, pendant trois jours :',
        '',
        link,
        '',
        'Un compte dont l’adresse n’est pas confirmée est supprimé après sept jours.',
        'Si vous n’avez pas créé de compte, ignorez cet e-mail.',
      ],
    },
  )

export const resetEmail = (to: Recipient, link: string): Mail =>
  compose(
    to,
    { en: 'Choose a new password', fr: 'Choisissez un nouveau mot de passe' },
    {
      en: [
        'You can choose a new password here. The link works once, within an hour:',
        '',
        link,
        '',
        'If you did not ask for this, you can ignore this e-mail: your password stays the ' +
          'same.',
      ],
      fr: [
        'Vous pouvez choisir ici un nouveau mot de passe. Le lien est valable une seule',
        'fois, pendant une heure :',
        '',
        link,
        '',
        'Si vous ne l’avez pas demandé, vous n’avez rien à faire : votre mot de passe ne change',
        'pas.',
      ],
    },
  )

/** `link`: where a new password is requested. */
export const guessingEmail = (to: Recipient, link: string): Mail =>
  compose(
    to,
    {
      en: 'Someone is trying to sign in to your account',
      fr: 'Quelqu’un essaie de se connecter à votre compte',
    },
    {
      en: [
        'Many wrong passwords were tried on your account today. None was correct, and further',
        'attempts are slowed down. You can still sign in from your usual devices.',
        '',
        'If you use this password elsewhere too, choose a new one here:',
        '',
        link,
      ],
      fr: [
        'De nombreux mots de passe erronés ont été essayés sur votre compte aujourd’hui. Aucun',
        'n’était le bon, et les tentatives suivantes sont ralenties. Vous pouvez toujours vous',
        'connecter depuis vos appareils habituels.',
        '',
        'Si ce mot de passe vous sert aussi ailleurs, choisissez-en un nouveau ici :',
        '',
        link,
      ],
    },
  )

export type SecondFactorNews = 'ENROLLED' | 'CODES_RENEWED' | 'TAKEN_AWAY'

const secondFactorNews: Readonly<Record<SecondFactorNews, { subject: Words; what: Words }>> = {
  ENROLLED: {
    subject: { en: 'A second factor was enrolled', fr: 'Un second facteur a été enregistré' },
    what: {
      en: 'An authenticator app was enrolled for your account, with new recovery codes.',
      fr:
        'Une application d’authentification a été enregistrée, avec de nouveaux codes de ' +
        'secours.',
    },
  },
  CODES_RENEWED: {
    subject: {
      en: 'New recovery codes were generated',
      fr: 'De nouveaux codes de secours ont été créés',
    },
    what: {
      en: 'New recovery codes were generated for your account. The earlier ones no longer work.',
      fr: 'De nouveaux codes de secours ont été créés. Les précédents ne fonctionnent plus.',
    },
  },
  TAKEN_AWAY: {
    subject: { en: 'Your second factor was removed', fr: 'Votre second facteur a été retiré' },
    what: {
      en: 'The authenticator app and the recovery codes of your account were removed.',
      fr:
        'L’application d’authentification et les codes de secours de votre compte ont été ' +
        'retirés.',
    },
  },
}

/** `link`: where a new password is requested. */
export function secondFactorEmail(to: Recipient, news: SecondFactorNews, link: string): Mail {
  const { subject, what } = secondFactorNews[news]
  return compose(to, subject, {
    en: [what.en, '', 'If this was not you, request a new password at once, here:', '', link],
    fr: [
      what.fr,
      '',
      'Si ce n’était pas vous, changez tout de suite de mot de passe, ici :',
      '',
      link,
    ],
  })
}

/** `link`: where a new password is requested. */
export const passwordChangedEmail = (to: Recipient, link: string): Mail =>
  compose(
    to,
    { en: 'Your password was changed', fr: 'Votre mot de passe a été changé' },
    {
      en: [
        'The password of your account was changed, and every other device was signed out.',
        '',
        'If this was not you, request a new password at once, here:',
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
