// The e-mails to the owners when new payout methods are going to wait for a shorter time, and when
// they do.

import type { OwnersEmail } from '../email-owners.ts'

export const shorterCoolingEmail = (before: number, after: number): OwnersEmail => ({
  subject: {
    en: 'A shorter cooling-off period for payout methods',
    fr: 'Un délai de sécurité plus court pour les moyens de versement',
  },
  news: {
    en:
      `The cooling-off period of new payout methods was reduced from ${before} hours to ` +
      `${after}.`,
    fr:
      `Le délai de sécurité des nouveaux moyens de versement est passé de ${before} heures à ` +
      `${after}.`,
  },
})

type ToCome = Readonly<{ before: number; after: number; wait_h: number }>

export const coolingToComeEmail = ({ before, after, wait_h }: ToCome): OwnersEmail => ({
  subject: {
    en: 'A shorter cooling-off period was requested',
    fr: 'Un délai de sécurité plus court a été demandé',
  },
  news: {
    en:
      `A member requested that new payout methods wait ${after} hours instead of ${before}. It ` +
      `takes effect in ${wait_h} hours, or at once when a second member confirms it.`,
    fr:
      `Un membre a demandé que les nouveaux moyens de versement attendent ${after} heures au ` +
      `lieu de ${before}. Ce changement prendra effet dans ${wait_h} heures, ou dès qu’un ` +
      'second membre l’aura confirmé.',
  },
  advice: {
    en: 'If none of you did this, log in now, cancel it in the settings, and change your password.',
    fr:
      'Si aucun de vous n’est à l’origine de cette demande, connectez-vous, annulez-la dans les ' +
      'réglages et changez votre mot de passe.',
  },
})
