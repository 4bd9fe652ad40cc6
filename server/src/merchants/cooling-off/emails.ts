// The e-mails to the owners when new payout methods are going to wait for a shorter time, and when
// they do.

import type { OwnersEmail } from '../email-owners.ts'

export const shorterCoolingEmail = (before: number, after: number): OwnersEmail => ({
  subject: {
    en: 'A shorter cooling-off of payout methods',
    fr: 'Un délai plus court des moyens de retrait',
  },
  news: {
    en: `The cooling-off of new payout methods was lowered from ${before} hours to ${after}.`,
    fr: `Le délai des nouveaux moyens de retrait est passé de ${before} heures à ${after}.`,
  },
})

type ToCome = Readonly<{ before: number; after: number; wait_h: number }>

export const coolingToComeEmail = ({ before, after, wait_h }: ToCome): OwnersEmail => ({
  subject: {
    en: 'A shorter cooling-off was asked for',
    fr: 'Un délai plus court a été demandé',
  },
  news: {
    en:
      `A member asked that new payout methods wait ${after} hours instead of ${before}. ` +
      `It takes effect in ${wait_h} hours, or at once when a second member confirms it.`,
    fr:
      `Un membre a demandé que les nouveaux moyens de retrait attendent ${after} heures au lieu ` +
      `de ${before}. Cela vaut dans ${wait_h} heures, ou dès qu’un second membre le confirme.`,
  },
  advice: {
    en: 'If it was none of you, log in now, cancel it in the settings, and change your password.',
    fr:
      'Si ce n’est aucun de vous, connectez-vous, annulez-le dans les réglages et changez votre ' +
      'mot de passe.',
  },
})
