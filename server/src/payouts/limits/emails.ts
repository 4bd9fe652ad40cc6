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
    subject: {
      en: 'A looser limit on payouts was asked for',
      fr: 'Une limite de paiement plus large a été demandée',
    },
    news: {
      en:
        `A member asked for this limit on payouts in ${country}: ${en}. It takes effect in ` +
        `${wait_h} hours, or at once when a second member confirms it.`,
      fr:
        `Un membre a demandé cette limite des paiements sortants (${country}) : ${fr}. Elle vaut ` +
        `dans ${wait_h} heures, ou dès qu’un second membre la confirme.`,
    },
    advice: {
      en: 'If it was none of you, log in now, cancel it at the limit, and change your password.',
      fr:
        'Si ce n’est aucun de vous, connectez-vous, annulez-la dans les limites et changez votre ' +
        'mot de passe.',
    },
  }
}

export function looserLimitEmail({ limit, to }: Loosening): OwnersEmail {
  const { country, currency } = limit
  return {
    subject: { en: 'A looser limit on payouts', fr: 'Une limite de paiement plus large' },
    news: {
      en: `This limit on payouts in ${country} is now in force: ${textOf(to, currency, 'en')}.`,
      fr:
        `Cette limite des paiements sortants (${country}) est en vigueur : ` +
        `${textOf(to, currency, 'fr')}.`,
    },
  }
}
