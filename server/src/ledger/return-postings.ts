// What a payout that came back books, line by line. Pure. The sum that the recipient had been sent
// is available again; of the fee, what the operator and our price give back.

import { type Account, account, type Place } from './account.ts'
import { type Line, lines } from './postings.ts'

/** The figures of the attempt that had paid it, in hundredths. */
export type ReturnFigures = Readonly<{
  net_amount: bigint
  gateway_fee: bigint
  platform_fee: bigint
  gateway_cost_excess: bigint
  /** Its operator gives its own fee back. */
  gateway_fee_returns: boolean
  /** Our price gives our part back. */
  platform_fee_returns: boolean
}>

/** What the merchant has again. Hundredths. */
export const returnedAmount = (figures: ReturnFigures): bigint =>
  figures.net_amount +
  (figures.gateway_fee_returns ? figures.gateway_fee : 0n) +
  (figures.platform_fee_returns ? figures.platform_fee : 0n)

/** `source`: the operator's account, or the suspense where it said so first. */
export function payoutReturned(place: Place, source: Account, figures: ReturnFigures): Line[] {
  const { net_amount, gateway_fee, platform_fee, gateway_cost_excess } = figures
  const { gateway_fee_returns, platform_fee_returns } = figures
  const available = account(place, 'available')
  const gatewayFees = account(place, 'gateway_fees')
  return lines([
    [source, available, net_amount],
    [gatewayFees, available, gateway_fee_returns ? gateway_fee : 0n],
    [account(place, 'platform_fees'), available, platform_fee_returns ? platform_fee : 0n],
    [gatewayFees, account(place, 'gateway_costs'), gateway_fee_returns ? gateway_cost_excess : 0n],
  ])
}
