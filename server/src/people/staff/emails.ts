// The e-mails to staff, in their own language. A link's token is behind `#`, so it reaches no
// server's log and no Referer.

import type { Mail } from '../../platform/mail/mail.ts'
import type { StaffMember } from './staff-member.ts'

type Recipient = Pick<StaffMember, 'email' | 'locale' | 'first_name'>
type Words<T> = Readonly<Record<Recipient['locale'], T>>

const greeting: Words<string> = { en: 'Hello', fr: 'Bonjour' }

function compose(to: Recipient, subject: Words<string>, lines: Words<readonly string[]>): Mail {
  const { email, locale, first_name } = to
  const hello = [greeting[locale], first_name].filter(Boolean).join(' ')
  const text = [`${hello},`, '', ...lines[locale]].join('\n')
  return { to: email, subject: subject[locale], text, locale }
}

export const welcomeEmail = (to: Recipient, link: string): Mail =>
  compose(
    to,
    { en: 'Your staff account', fr: 'Votre compte d’équipe' },
    {
      en: [
        'An account was created for you. Choose your password here. The link works once, ' +
          'within an hour;',
        'after that, request a new password on the sign-in page.',
        '',
        link,
        '',
        'Then enrol an authenticator app: without it, the account can do nothing else.',
      ],
      fr: [
        'Un compte a été créé pour vous. Choisissez votre mot de passe ici. Le lien est valable',
        'une seule fois, pendant une heure ; passé ce délai, demandez un nouveau mot de passe',
        'à la connexion.',
        '',
        link,
        '',
        'Enregistrez ensuite une application d’authentification : sans elle, le compte',
        'ne peut rien faire.',
      ],
    },
  )

export const secondFactorResetEmail = (to: Recipient): Mail =>
  compose(
    to,
    { en: 'Your second factor was removed', fr: 'Votre second facteur a été retiré' },
    {
      en: [
        'A superadmin has removed the authenticator app and the recovery codes of your account and',
        'ended its sessions. Sign in with your password and enrol an app again.',
        '',
        'If you did not ask for this, tell another superadmin at once.',
      ],
      fr: [
        'Un superadministrateur a retiré l’application d’authentification et les codes de secours',
        'de votre compte, et mis fin à ses sessions. Connectez-vous avec votre mot de passe et',
        'enregistrez de nouveau une application.',
        '',
        'Si vous ne l’avez pas demandé, prévenez tout de suite un autre superadministrateur.',
      ],
    },
  )
