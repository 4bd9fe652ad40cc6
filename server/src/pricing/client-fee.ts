// What the client pays for one amount (contract 2.4). Always on the requested amount, whichever
// side bears the fee.

import type { Currency } from '../money/currency.ts'
import { chargeOn } from './charge.ts'
import type { Tier } from './tier.ts'

/** percent · requested + fixed, within floor and cap, rounded once; in hundredths. */
export function clientFee(tier: Tier, requested: bigint, currency: Currency): bigint {
  const { percent_ppm, fixed, floor_amount: floor, cap_amount: cap } = tier
  return chargeOn({ percent_ppm, fixed, floor, cap }, requested, currency)
}
