// Whose number it is, by the national numbering plan alone (contract 8.17): no history, and no
// operator is asked. Where numbers are portable this is a guess, so nothing is ever forced by it.
// Pure.

import { parsePhoneNumberFromString } from 'libphonenumber-js/mobile'
import type { Catalogue, Network } from '../catalogue/catalogue.ts'
import { countryOfPhone, isOfOldPlan, isPortable, readAnyPhone, readPhone } from './phone.ts'

/** The network of the longest prefix that the number begins with; undefined where none is known. */
export function networkOfPhone(
  { networks }: Pick<Catalogue, 'networks'>,
  e164: string,
): Network | undefined {
  const phone = parsePhoneNumberFromString(e164)
  if (phone?.country === undefined) return undefined
  let [found, longest]: [Network | undefined, number] = [undefined, 0]
  for (const network of networks) {
    if (network.country_code !== phone.country) continue
    for (const prefix of network.prefixes) {
      if (prefix.length <= longest || !phone.nationalNumber.startsWith(prefix)) continue
      ;[found, longest] = [network, prefix.length]
    }
  }
  return found
}

/**
 * The network that the number seems to be of, where the chosen one is another. Undefined where it
 * fits or nothing is known, and for wallets that take numbers of any operator.
 */
export function otherNetworkOf(
  catalogue: Pick<Catalogue, 'networks'>,
  chosen: Pick<Network, 'code' | 'prefixes'>,
  e164: string,
): Network | undefined {
  if (chosen.prefixes.length === 0) return undefined
  const seems = networkOfPhone(catalogue, e164)
  return seems?.code === chosen.code ? undefined : seems
}

export type Prediction = Readonly<{
  /** E.164, in today's plan. */
  msisdn: string
  /** Alpha-2; null for a number of no country. */
  country: string | null
  /** A network code, or null. */
  network: string | null
  is_sure: boolean
  was_old_plan: boolean
}>

/**
 * Undefined for what is no number, or one that names no country. `near` (alpha-2): where a number
 * without a calling code is of; one that has its own is read by that.
 */
export function predictNetwork(
  catalogue: Catalogue,
  typed: string,
  near: string | null = null,
): Prediction | undefined {
  const known = catalogue.countries.map(({ iso_code }) => iso_code)
  const here = readAnyPhone(typed, near, known)
  const read = here.is === 'phone' ? here : readAnyPhone(typed, null, known)
  if (read.is !== 'phone') return undefined
  const country = countryOfPhone(read.e164) ?? null
  // What no operator of a served country could ever have given out is no number there.
  if (country !== null && known.includes(country)) {
    if (readPhone(read.e164, country).is === 'impossible') return undefined
  }
  const network = networkOfPhone(catalogue, read.e164)
  return {
    msisdn: read.e164,
    country,
    network: network?.code ?? null,
    is_sure: network !== undefined && !isPortable(network.country_code),
    was_old_plan: isOfOldPlan(typed, country),
  }
}
