// How our pages write sums and countries, and which addresses they may lead to.

import { writeAmount } from '../money/format.ts'
import { parseHundredths } from '../money/parse-amount.ts'
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

// Countries in the reader's language; what is no country (cards of anywhere) as in the catalogue.

const names = {
  en: new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }),
  fr: new Intl.DisplayNames('fr', { type: 'region', fallback: 'none' }),
}

export const countryName = (iso_code: string, name: string, locale: Locale): string =>
  names[locale].of(iso_code) ?? name

// An address that a page may lead to: on the web. It is the operator's or the merchant's stored
// one, never one that the request brought.

export const webAddress = (text: string): string | undefined =>
  /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined
