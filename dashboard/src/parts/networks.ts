// The names of networks, which records hold by code. Asked for once. Until they are there a row
// shows that something comes, not a code that turns into a name under the eye; the code itself is
// shown for one that is in no list, and where the list cannot be had. To a suspended merchant the
// list is refused, who still reads records by it: their prices name the same networks.

import { useMemo } from 'react'
import type {
  GetNetworksData,
  GetNetworksResponse,
  Network,
  NetworkRates,
} from '../api/types.gen.ts'
import { useRead } from '../data/queries.ts'
import { byName, countryName } from '../format/country.ts'
import { asWritten } from '../format/name.ts'
import { useHere } from './place.tsx'
import { useRates } from './rates.ts'

const stale_ms = 60 * 60_000

type Named = Pick<Network, 'code' | 'name' | 'country_code' | 'currency' | 'is_active'>

export function useNetworks() {
  const { place, merchant } = useHere()
  const isRefused = merchant.status === 'SUSPENDED'
  const { data, isPending } = useRead<GetNetworksData, GetNetworksResponse>(
    place,
    { url: '/networks/', query: { page_size: 100 } },
    { stale_ms, on: !isRefused },
  )
  const rates = useRates({ on: isRefused })
  const networks = useMemo(
    () =>
      isRefused
        ? (rates.data ?? []).map(namedIn)
        : (data?.results ?? []).map((one): Named => ({ ...one, name: asWritten(one.name) })),
    [isRefused, data, rates.data],
  )
  return { networks, isPending: isRefused ? !rates.isFetched : isPending }
}

const namedIn = ({ network_code, network_name, payin, payout, ...rates }: NetworkRates): Named => ({
  ...{ code: network_code, name: network_name },
  ...{ country_code: rates.country_code, currency: rates.currency },
  is_active: payin.available || payout.available,
})

export function useNetworkNames(): (code: string | null) => string {
  const { networks, isPending } = useNetworks()
  const names = new Map(networks.map(({ code, name }) => [code, name]))
  return (code) => (code === null ? '' : (names.get(code) ?? (isPending ? '…' : code)))
}

/** Those of a country that are open, as people there know them. */
export const useNetworksOf = (country: string): Named[] =>
  useNetworks().networks.filter(
    ({ country_code, is_active }) => is_active && country_code === country,
  )

/** What may be filtered by, once the list of networks is there: until then nothing is ruled out. */
export function useListed() {
  const { networks } = useNetworks()
  const isOne = (name: 'country_code' | 'code' | 'currency') => (value: string) =>
    networks.length === 0 || networks.some((one) => one[name] === value)
  return { country: isOne('country_code'), network: isOne('code'), currency: isOne('currency') }
}

/** Where there are networks, for a list of choices. */
export function useCountries(): (readonly [code: string, name: string])[] {
  const { language } = useHere()
  const codes = new Set(useNetworks().networks.map(({ country_code }) => country_code))
  return byName([...codes], language).map((code) => [code, countryName(code, language)])
}
