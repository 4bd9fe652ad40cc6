// The letters that people get, in their own language. A link's token stands behind `#`: it reaches
// no server's log and no Referer.

import type { Text } from '../platform/errors.ts'
import type { Mail } from '../platform/mail/mail.ts'
import type { PersonFacts } from './person.ts'

type Reader = Pick<PersonFacts, 'email' | 'locale' | 'first_name'>

const letter = ({ email, locale }: Reader, subject: Text, text: Text): Mail => ({
  to: email,
  subject: subject[locale],
  text: text[locale],
  locale,
})

export const verifyLetter = (to: Reader, link: string): Mail =>
  letter(
    to,
    { en: 'Confirm your e-mail address', fr: 'Confirmez votre adresse e-mail' },
    {
      en: [
        `Hello ${to.first_name},`,
        '',
        'Please confirm that this is your address. The link works once, for three days:',
        '',
        link,
        '',
        'If you did not sign up, you need not do anything.',
      ].join('\n'),
      fr: [
        `Bonjour ${to.first_name},`,
        '',
        'Merci de confirmer que cette adresse est la vôtre. Le lien sert une fois, pendant trois',
        'jours :',
        '',
        link,
        '',
        'Si vous ne vous êtes pas inscrit, vous n’avez rien à faire.',
      ].join('\n'),
    },
  )
