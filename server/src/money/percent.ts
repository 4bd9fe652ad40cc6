// Percentages are whole parts per million of the amount (`ppm`): 3.25 % is 32500n, 100 % is
// 1000000n. Four decimals of a percent can be written, and no fraction is ever kept.

import { assert } from './assert.ts'
import type { Currency } from './currency.ts'
import { smallestUnit } from './currency.ts'
import { roundToUnit } from './round.ts'

/** One whole, in parts per million. */
export const PPM = 1_000_000n

/** `ppm` of `amount` (hundredths), rounded half up to the currency's smallest unit. */
export function percentOf(amount: bigint, ppm: bigint, currency: Currency): bigint {
  assert(amount >= 0n && ppm >= 0n && ppm <= PPM, `${ppm} ppm of ${amount}`)
  return roundToUnit(amount * ppm, PPM, smallestUnit(currency))
}

/** The tax of `ppm` that is within `amount` (hundredths), rounded half up to the smallest unit. */
export function taxWithin(amount: bigint, ppm: bigint, currency: Currency): bigint {
  assert(amount >= 0n && ppm >= 0n && ppm <= PPM, `tax of ${ppm} ppm within ${amount}`)
  return roundToUnit(amount * ppm, PPM + ppm, smallestUnit(currency))
}

/** `"3.25"` (0 to 100, at most four decimals) to 32500n; undefined for anything else. */
export function parsePercent(text: string): bigint | undefined {
  const [, whole, part = ''] = /^(\d{1,3})(?:\.(\d{1,4}))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const ppm = BigInt(whole + part.padEnd(4, '0'))
  return ppm <= PPM ? ppm : undefined
}

/** 32500n to `"3.25"`: at least two decimals, more only where they are not zero. */
export function formatPercent(ppm: bigint): string {
  assert(ppm >= 0n, `${ppm} ppm`)
  const digits = ppm.toString().padStart(5, '0')
  const part = digits.slice(-4).replace(/0{1,2}$/, '')
  return `${digits.slice(0, -4)}.${part}`
}
