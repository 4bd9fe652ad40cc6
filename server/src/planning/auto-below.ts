// Sums by currency that the environment sets, and the one below which staff need not approve. Law:
// a sum names its currency, and counts in no other.

import { type Currency, isCurrency, smallestUnit } from '../money/currency.ts'
import { parseHundredths } from '../money/parse-amount.ts'
import type { Environment } from '../platform/http/route.ts'
import type { Reader } from '../platform/settings/reader.ts'

/** Hundredths of each currency that is named; one that is not has none (zero). */
export type SumsByCurrency = Readonly<Record<Currency, bigint>>

export type AutoBelow = Readonly<{ auto_below: Readonly<Record<Environment, SumsByCurrency>> }>

/** Below this many hundredths of `currency` nobody approves; zero: staff approve every one. */
export const autoBelow = (terms: AutoBelow, environment: Environment, currency: Currency) =>
  sumOf(terms.auto_below[environment], currency)

export const sumOf = (sums: SumsByCurrency, currency: Currency): bigint => sums[currency] ?? 0n

/** Limits for both environments, or for each, which then names its currencies anew. */
export function readAutoBelow(reader: Reader, name: string, what: string) {
  const none = `staff approve every ${what}`
  const sums = (end: string) => readSums(reader, `${name}_AUTO_BELOW${end}`, none)
  const both = sums('') ?? {}
  return { SANDBOX: sums('_SANDBOX') ?? both, LIVE: sums('_LIVE') ?? both }
}

/** `none`: what `0` means, and what a currency gets that is not named. */
export const readSums = (reader: Reader, name: string, none: string) =>
  reader.value(
    name,
    parseSums,
    `currencies with their amounts such as XOF:50000,GHS:300.50; 0 or a currency left out: ${none}`,
  )

/**
 * `"XOF:50000,GHS:300"`; undefined for anything else, above all a bare number, which would be both
 * 50 000 francs and 50 000 dollars. `"0"` is the same in every currency.
 */
function parseSums(text: string): SumsByCurrency | undefined {
  if (/^0+(\.0{1,2})?$/.test(text)) return {}
  const sums: Record<Currency, bigint> = {}
  for (const part of text.split(',')) {
    const [, code = '', amount = ''] = /^\s*([A-Z]{3})\s*:\s*([\d.]+)\s*$/.exec(part) ?? []
    const sum = parseHundredths(amount)
    if (sum === undefined || !isCurrency(code) || Object.hasOwn(sums, code)) return undefined
    if (sum % smallestUnit(code) !== 0n) return undefined
    sums[code] = sum
  }
  return sums
}
