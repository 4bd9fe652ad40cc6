// The e-mails to the owners when a limit on their LIVE payouts is going to be loosened, and when it
// is.

import type { OwnersEmail } from '../../merchants/email-owners.ts'
import type { Locale, Text } from '../../platform/errors.ts'
import { type Figures, isNothing, type PayoutLimit } from './limit.ts'
import { shownFigures } from './view.ts'

const noneAtAll: Text = { en: 'no limit', fr: 'aucune limite' }

/** `per_payout 500000.00 XOF, per_day 2000000.00 XOF` */
function textOf(figures: Figures, currency: string, locale: Locale): string {
  if (isNothing(figures)) return noneAtAll[locale]
  const set = Object.entries(shownFigures(figures)).filter(([, amount]) => amount !== null)
  return set.map(([name, amount]) => `${name} ${amount} ${currency}`).join(', ')
}

type Loosening = Readonly<{ limit: PayoutLimit; to: Figures }>

export function limitToComeEmail(
  { limit, to }: Loosening,
  { wait_h }: Readonly<{ wait_h: number }>,
): OwnersEmail {
  const { country, currency } = limit
  const [en, fr] = [textOf(to, currency, 'en'), textOf(to, currency, 'fr')]
  return {
    kind: 'PAYOUT_LIMITS',
    subject: {
      en: 'A higher payout limit was requested',
      fr: 'Une limite de versement plus élevée a été demandée',
    },
    news: {
      en:
        `A member requested this payout limit in ${country}: ${en}. It takes effect in ` +
        `${wait_h} hours, or at once when a second member confirms it.`,
      fr:
        `Un membre a demandé cette limite de versement (${country}) : ${fr}. Elle prendra effet ` +
        `dans ${wait_h} heures, ou dès qu’un second membre l’aura confirmée.`,
    },
    advice: {
      en: 'If none of you did this, log in now, cancel it on the limit, and change your password.',
      fr:
        'Si aucun de vous n’est à l’origine de cette demande, connectez-vous, annulez-la dans ' +
        'les limites et changez votre mot de passe.',
    },
  }
}

export function looserLimitEmail({ limit, to }: Loosening): OwnersEmail {
  const { country, currency } = limit
  return {
    kind: 'PAYOUT_LIMITS',
    subject: { en: 'A higher payout limit', fr: 'Une limite de versement plus élevée' },
    news: {
      en: `This payout limit in ${country} is now in force: ${textOf(to, currency, 'en')}.`,
      fr: `Cette limite de versement (${country}) est en vigueur : ${textOf(to, currency, 'fr')}.`,
    },
  }
}
