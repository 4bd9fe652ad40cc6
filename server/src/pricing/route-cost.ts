// What a route costs us for one amount: the gateway's price, which is not the client's (money 3).

import type { Currency } from '../money/currency.ts'
import type { Charge } from './charge.ts'
import { chargeOn } from './charge.ts'

/** `{percent_ppm, fixed, floor, cap}`, in hundredths of the network's currency. */
export type RouteCost = Charge

/**
 * The cost on `amount` (hundredths), half up to the smallest unit. Each example of money 3 takes it
 * on the requested amount, in both modes.
 */
export function routeCost(cost: RouteCost, amount: bigint, currency: Currency): bigint {
  return chargeOn(cost, amount, currency)
}
