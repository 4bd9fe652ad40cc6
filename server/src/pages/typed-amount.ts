// Sums as our JSON writes them and as people type them.

import { parseHundredths } from '../money/parse-amount.ts'
import { writeAmount } from '../money/write-amount.ts'
import { assert, type Locale } from '../platform/errors.ts'

/** An amount as our JSON writes it, the way people read it. */
export function writeDecimal(decimal: string, currency: string, locale: Locale): string {
  const hundredths = parseHundredths(decimal)
  assert(hundredths !== undefined, 'our own amount')
  return writeAmount(hundredths, currency, locale)
}

/** A typed amount, as the API reads it: spaces out, a comma before cents is a point. */
export const readTyped = (text: string): string =>
  text.replace(/\s/g, '').replace(/,(\d{1,2})$/, '.$1')
