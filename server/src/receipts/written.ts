// Amounts and moments as a person reads them, in his language. The currency stands as its code:
// "F CFA" is two currencies.

import { minorUnits } from '../money/currency.ts'
import { formatAmount } from '../money/format.ts'
import type { Locale } from '../platform/errors.ts'

const tags: Readonly<Record<Locale, string>> = { en: 'en-GB', fr: 'fr-FR' }

const moment = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const
const moments = {
  en: new Intl.DateTimeFormat(tags.en, moment),
  fr: new Intl.DateTimeFormat(tags.fr, moment),
}

/** `5 000 XOF`, `1,250.50 GHS`: exact, because the digits never become a number of ours. */
export function writtenAmount(hundredths: bigint, currency: string, locale: Locale): string {
  const [units = '', cents = ''] = formatAmount(hundredths).split('.')
  const whole = new Intl.NumberFormat(tags[locale]).format(BigInt(units))
  const part = minorUnits(currency) === 0 ? '' : `${locale === 'fr' ? ',' : '.'}${cents}`
  return `${whole}${part}\u00a0${currency}`
}

export const writtenMoment = (moment: Date, locale: Locale): string =>
  `${moments[locale].format(moment)} UTC`
