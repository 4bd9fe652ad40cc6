// The one formula of a charge, ours or a route's: percent + fixed, within floor and cap, rounded
// once. It is computed in millionths of a hundredth, so that nothing is lost before the rounding.

import { type Currency, smallestUnit } from '../money/currency.ts'
import { PPM } from '../money/percent.ts'
import { roundToUnit } from '../money/round.ts'
import { assert } from '../platform/errors.ts'
import type { Tier } from './tier.ts'

export type Charge = Readonly<{
  /** Parts per million: 3.25 % is 32500n. */
  percent_ppm: bigint
  /** Hundredths, as are floor and cap; null = no bound. */
  fixed: bigint
  floor: bigint | null
  cap: bigint | null
}>

/** The charge on `amount` (hundredths), half up to the smallest unit. A cap wins over a floor. */
export function chargeOn(charge: Charge, amount: bigint, currency: Currency): bigint {
  const { percent_ppm, fixed, floor, cap } = charge
  assert(amount >= 0n && percent_ppm >= 0n && fixed >= 0n, 'a charge is never negative')
  assert((floor ?? 0n) >= 0n && (cap ?? 0n) >= 0n, 'a bound is never negative')
  const exact = amount * percent_ppm + fixed * PPM
  const raised = floor !== null && exact < floor * PPM ? floor * PPM : exact
  const bounded = cap !== null && raised > cap * PPM ? cap * PPM : raised
  return roundToUnit(bounded, PPM, smallestUnit(currency))
}

// What the client pays for one amount (contract 2.4). Always on the requested amount, whichever
// side bears the fee.

/** percent · requested + fixed, within floor and cap, rounded once; in hundredths. */
export function clientFee(tier: Tier, requested: bigint, currency: Currency): bigint {
  const { percent_ppm, fixed, floor_amount: floor, cap_amount: cap } = tier
  return chargeOn({ percent_ppm, fixed, floor, cap }, requested, currency)
}

// What a route costs us for one amount: the gateway's price, which is not the client's (money 3).

/** `{percent_ppm, fixed, floor, cap}`, in hundredths of the network's currency. */
export type RouteCost = Charge

/**
 * The cost on `amount` (hundredths), half up to the smallest unit. Each example of money 3 takes it
 * on the requested amount, in both modes.
 */
export function routeCost(cost: RouteCost, amount: bigint, currency: Currency): bigint {
  return chargeOn(cost, amount, currency)
}
