// The e-mails to the owners when a limit on their LIVE payouts is going to be loosened, and when it
// is: each figure as their own page names it, also one that is not set any more.

import { countryName } from '../../catalogue/catalogue.ts'
import type { OwnersEmail } from '../../merchants/email-owners.ts'
import { writeAmount } from '../../money/format.ts'
import type { Locale, Text } from '../../platform/errors.ts'
import { type Figures, type PayoutLimit, wholeMerchant } from './limit.ts'

const unlimited: Text = { en: 'no limit', fr: 'sans limite' }

const names = [
  ['per_payout', { en: 'At most per payout', fr: 'Au plus par versement' }, unlimited],
  ['per_day', { en: 'At most per day', fr: 'Au plus par jour' }, unlimited],
  [
    'approval_above',
    { en: 'Second approval above', fr: 'Deuxième accord au-dessus de' },
    { en: 'never asked for', fr: 'jamais demandé' },
  ],
] as const satisfies readonly (readonly [keyof Figures, Text, Text])[]

const colon: Text = { en: ':', fr: ' :' }

/** `At most per payout: FCFA 500,000`, a line for each. A key has no second approval of its own. */
function linesOf({ api_key_id, currency }: PayoutLimit, figures: Figures, locale: Locale): string {
  const isKeys = api_key_id !== wholeMerchant
  return names
    .filter(([figure]) => !isKeys || figure !== 'approval_above')
    .map(([figure, name, none]) => {
      const sum = figures[figure]
      const text = sum === null ? none[locale] : writeAmount(sum, currency, locale)
      return `${name[locale]}${colon[locale]} ${text}`
    })
    .join('\n')
}

function whereOf({ country, api_key_id }: PayoutLimit): Text {
  const nameIn = (locale: Locale) => countryName(country, country, locale)
  if (api_key_id === wholeMerchant) return { en: `in ${nameIn('en')}`, fr: `(${nameIn('fr')})` }
  return {
    en: `of an API key in ${nameIn('en')}`,
    fr: `d’une clé API (${nameIn('fr')})`,
  }
}

type Loosening = Readonly<{ limit: PayoutLimit; to: Figures }>

export function limitToComeEmail(
  { limit, to }: Loosening,
  { wait_h }: Readonly<{ wait_h: number }>,
): OwnersEmail {
  const where = whereOf(limit)
  return {
    kind: 'PAYOUT_LIMITS',
    subject: {
      en: 'A higher payout limit was requested',
      fr: 'Une limite de versement plus élevée a été demandée',
    },
    news: {
      en: [
        `A member requested this payout limit ${where.en}:`,
        linesOf(limit, to, 'en'),
        `It takes effect in ${wait_h} hours, or at once when a second member confirms it.`,
      ].join('\n\n'),
      fr: [
        `Un membre a demandé cette limite de versement ${where.fr} :`,
        linesOf(limit, to, 'fr'),
        `Elle prendra effet dans ${wait_h} heures, ou dès qu’un second membre l’aura confirmée.`,
      ].join('\n\n'),
    },
    advice: {
      en: 'If none of you did this, sign in now, cancel it on the limit, and change your password.',
      fr:
        'Si aucun de vous n’est à l’origine de cette demande, connectez-vous, annulez-la dans ' +
        'les limites et changez votre mot de passe.',
    },
  }
}

export function looserLimitEmail({ limit, to }: Loosening): OwnersEmail {
  const where = whereOf(limit)
  return {
    kind: 'PAYOUT_LIMITS',
    subject: { en: 'A higher payout limit', fr: 'Une limite de versement plus élevée' },
    news: {
      en: `This payout limit ${where.en} is now in force:\n\n${linesOf(limit, to, 'en')}`,
      fr: `Cette limite de versement ${where.fr} est en vigueur :\n\n${linesOf(limit, to, 'fr')}`,
    },
  }
}
