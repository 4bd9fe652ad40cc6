// The e-mails to a member, and to the owners of their merchants, when staff act on the account.

import type { Text } from '../../platform/errors.ts'
import type { Mail } from '../../platform/mail/mail.ts'
import { greet } from '../emails.ts'
import type { PersonFacts } from '../person.ts'
import { wait_h } from './factor-reset.ts'

export type MemberEmail = Readonly<{ subject: Text; news: Text; advice?: Text }>

export function composeEmail(
  member: Pick<PersonFacts, 'email' | 'locale' | 'first_name'>,
  { subject, news, advice }: MemberEmail,
  link?: string,
): Mail {
  const { email, locale } = member
  const lines = [greet(member), '', news[locale]]
  if (link !== undefined) lines.push('', link)
  if (advice !== undefined) lines.push('', advice[locale])
  return { to: email, subject: subject[locale], text: lines.join('\n'), locale }
}

export const confirmedEmail: MemberEmail = {
  subject: { en: 'Your second factor will be removed', fr: 'Votre second facteur va être retiré' },
  news: {
    en:
      'Our staff received a request to remove the second factor of your account. It will be ' +
      `removed in ${wait_h} hours. If you did not request this, stop the removal here:`,
    fr:
      'Notre équipe a reçu une demande de retrait du second facteur de votre compte. Il sera ' +
      `retiré dans ${wait_h} heures. Si vous n’avez rien demandé, annulez cette demande ici :`,
  },
}

export const doneEmail: MemberEmail = {
  subject: { en: 'Your second factor was removed', fr: 'Votre second facteur a été retiré' },
  news: {
    en: 'Our staff have removed the second factor of your account, and your sessions have ended.',
    fr: 'Notre équipe a retiré le second facteur de votre compte, et vos sessions ont pris fin.',
  },
  advice: {
    en: 'Sign in with your password and enrol an authenticator app again.',
    fr: 'Connectez-vous avec votre mot de passe et enregistrez de nouveau une application.',
  },
}

export const disabledEmail = (reason: string): MemberEmail => ({
  subject: { en: 'Your account was disabled', fr: 'Votre compte a été désactivé' },
  news: {
    en: `Our staff have disabled your account: ${reason}\nNobody can sign in to it.`,
    fr: `Notre équipe a désactivé votre compte : ${reason}\nPersonne ne peut s’y connecter.`,
  },
})

export const enabledEmail: MemberEmail = {
  subject: { en: 'Your account has been enabled again', fr: 'Votre compte est réactivé' },
  news: {
    en: 'Our staff have enabled your account again. Sign in as before.',
    fr: 'Notre équipe a réactivé votre compte. Connectez-vous comme avant.',
  },
}

/** For the other owners, who know the person from their members. */
export const ownersEmail = (masked_email: string): MemberEmail => ({
  subject: {
    en: 'The second factor of a member will be removed',
    fr: 'Le second facteur d’un membre va être retiré',
  },
  news: {
    en:
      `In ${wait_h} hours our staff will remove the second factor of ${masked_email}, as ` +
      'requested.',
    fr:
      `Dans ${wait_h} heures, notre équipe retirera le second facteur de ${masked_email}, comme ` +
      'demandé.',
  },
  advice: {
    en: 'If you know that this member did not request it, contact support at once.',
    fr: 'Si vous savez que ce membre ne l’a pas demandé, contactez tout de suite le support.',
  },
})
