// What an account's limits are counted in. One account may carry several currencies, and a bare
// number would be both 50 000 francs and 50 000 dollars: limits are in XOF, and whatever else is
// sent counts for what it is worth at the rates of now. Pure. Law: what has no rate is above every
// limit.

import type { Currency } from '../money/currency.ts'
import { isCurrency } from '../money/currency.ts'
import { findPath, type RateRow, type Ratio } from '../rates/convert.ts'

export const limitCurrency: Currency = 'XOF'

/** Of one unit, in XOF; null: there is no rate. */
export function worthOf(rates: readonly RateRow[], currency: string): Ratio | null {
  if (!isCurrency(currency)) return null
  return findPath(rates, currency, limitCurrency)?.ratio ?? null
}

/** Whether hundredths of a currency are more than a limit, exactly. No worth: it is in XOF. */
export const isWorthMore = (
  hundredths: bigint,
  limit: bigint,
  worth: Ratio | null | undefined,
): boolean => {
  if (worth === null) return true
  if (worth === undefined) return hundredths > limit
  return hundredths * worth.numerator > limit * worth.denominator
}

export type SumOf = Readonly<{ currency: string; open: bigint }>

/** Hundredths of XOF, each currency's sum rounded up; undefined where one of them has no rate. */
export function worthOfAll(rates: readonly RateRow[], sums: readonly SumOf[]): bigint | undefined {
  let all = 0n
  for (const { currency, open } of sums) {
    const worth = worthOf(rates, currency)
    if (worth === null) return undefined
    const { numerator, denominator } = worth
    all += (open * numerator + denominator - 1n) / denominator
  }
  return all
}
