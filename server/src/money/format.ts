// How amounts and rates leave us: always strings, two and eight fractional digits (contract 2.1).

import { assert } from './assert.ts'
import { minorUnits } from './currency.ts'

function withPoint(scaled: bigint, decimals: number): string {
  const sign = scaled < 0n ? '-' : ''
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(decimals + 1, '0')
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** Hundredths to `"123.00"`; a negative sum (a ledger difference) keeps its sign. */
export function formatAmount(hundredths: bigint): string {
  return withPoint(hundredths, 2)
}

/** A rate × 10⁸ to `"655.95700000"`. */
export function formatRate(rate_e8: bigint): string {
  assert(rate_e8 >= 0n, `rate ${rate_e8}`)
  return withPoint(rate_e8, 8)
}

// A sum the way people read it: "5 000 FCFA" in French, "FCFA 5,000" in English. Cents only where
// the currency has them. On every page, receipt and invoice alike: payers compare them.

const no_break = '\u00a0'

/** What people call a currency, in both languages, where it is not the code. */
const spokenNames: Readonly<Record<string, string>> = { XOF: 'FCFA', XAF: 'FCFA' }

export function writeAmount(hundredths: bigint, currency: string, locale: 'en' | 'fr'): string {
  const digits = hundredths.toString().padStart(3, '0')
  const [units, cents] = [digits.slice(0, -2), digits.slice(-2)]
  const isWhole = minorUnits(currency) === 0 && cents === '00'
  const grouped = units.replace(/\B(?=(\d{3})+$)/g, locale === 'fr' ? no_break : ',')
  const figure = isWhole ? grouped : `${grouped}${locale === 'fr' ? ',' : '.'}${cents}`
  const name = writeCurrency(currency)
  return locale === 'en' ? `${name}${no_break}${figure}` : `${figure}${no_break}${name}`
}

export const writeCurrency = (currency: string): string => spokenNames[currency] ?? currency
