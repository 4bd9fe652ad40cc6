// How amounts and rates leave us: always strings, two and eight fractional digits (contract 2.1).

import { assert } from './assert.ts'

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
