// The only divisions of money, each beside its rounding: half up, once (contract 2.2), and down
// where a merchant's own money becomes another currency (contract 8.13).
// Everything rounded here is zero or more, so "up" has one meaning.

import { assert } from './assert.ts'

/** `numerator / denominator` to the nearest whole, a half going up. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  assert(numerator >= 0n && denominator > 0n, `cannot round ${numerator}/${denominator}`)
  return (2n * numerator + denominator) / (2n * denominator)
}

/** `numerator / denominator` hundredths to the nearest multiple of `unit` (also hundredths). */
export function roundToUnit(numerator: bigint, denominator: bigint, unit: bigint): bigint {
  assert(unit > 0n, `unit ${unit}`)
  return divideHalfUp(numerator, denominator * unit) * unit
}

/** `numerator / denominator` hundredths to the multiple of `unit` that is not above it. */
export function roundDownToUnit(numerator: bigint, denominator: bigint, unit: bigint): bigint {
  assert(numerator >= 0n && denominator > 0n && unit > 0n, `cannot cut ${numerator}/${denominator}`)
  return (numerator / (denominator * unit)) * unit
}

/** The largest multiple of `step` that is not above `amount` (zero or more). */
export function roundDownToStep(amount: bigint, step: bigint): bigint {
  assert(amount >= 0n && step > 0n, `cannot step ${amount} by ${step}`)
  return amount - (amount % step)
}

/** The smallest multiple of `step` that is not below `amount` (zero or more). */
export function roundUpToStep(amount: bigint, step: bigint): bigint {
  return roundDownToStep(amount + step - 1n, step)
}
