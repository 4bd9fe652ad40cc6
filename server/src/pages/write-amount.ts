// A sum the way people read it: "5 000 FCFA" in French, "XOF 5,000" in English. Cents only where
// the currency has them.

import { minorUnits } from '../money/currency.ts'
import { parseHundredths } from '../money/parse-amount.ts'
import { assert, type Locale } from '../platform/errors.ts'

const no_break = '\u00a0'

/** What stands after the figure in French, where it is not the code. */
const frenchNames: Readonly<Record<string, string>> = { XOF: 'FCFA', XAF: 'FCFA' }

export function writeAmount(hundredths: bigint, currency: string, locale: Locale): string {
  const digits = hundredths.toString().padStart(3, '0')
  const [units, cents] = [digits.slice(0, -2), digits.slice(-2)]
  const isWhole = minorUnits(currency) === 0 && cents === '00'
  const grouped = units.replace(/\B(?=(\d{3})+$)/g, locale === 'fr' ? no_break : ',')
  const figure = isWhole ? grouped : `${grouped}${locale === 'fr' ? ',' : '.'}${cents}`
  if (locale === 'en') return `${currency}${no_break}${figure}`
  return `${figure}${no_break}${frenchNames[currency] ?? currency}`
}

/** The same of an amount as our JSON writes it. */
export function writeDecimal(decimal: string, currency: string, locale: Locale): string {
  const hundredths = parseHundredths(decimal)
  assert(hundredths !== undefined, 'our own amount')
  return writeAmount(hundredths, currency, locale)
}

/** What a person typed, as the API reads it: spaces out, a comma before cents is a point. */
export const readTyped = (text: string): string =>
  text.replace(/\s/g, '').replace(/,(\d{1,2})$/, '.$1')
