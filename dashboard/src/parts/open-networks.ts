// Which networks are offered where one is chosen beside the forms of money: those that take it now,
// so that nothing is chosen that is then refused.

import type { Network, NetworkRates, TransactionDetail } from '../api/types.gen.ts'
import { isOwn } from './advice-on.ts'

type Failed = Pick<TransactionDetail, 'country_code' | 'currency' | 'transaction_type'>

/** By which a payment that failed can be asked for again: its sum stays in its currency. */
export const networksToRetry = (rates: readonly NetworkRates[], of: Failed): NetworkRates[] =>
  rates.filter(
    ({ country_code, currency, payin, top_up }) =>
      country_code === of.country_code &&
      currency === of.currency &&
      (isOwn(of) ? top_up : payin).available,
  )

/**
 * Of the networks of a country those that an account for settlements may be on. Of a country where
 * the shop works no more the rates say nothing, and what is left of its balance has to leave it.
 */
export function networksForMethod<Of extends Pick<Network, 'code'>>(
  networks: readonly Of[],
  rates: readonly NetworkRates[],
): readonly Of[] {
  const own = rates.filter(({ network_code }) => networks.some(({ code }) => code === network_code))
  if (!own.some(({ payin, payout }) => payin.available || payout.available)) return networks
  return networks.filter(({ code }) =>
    own.some(({ network_code, payout }) => network_code === code && payout.available),
  )
}
