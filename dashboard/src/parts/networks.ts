// The names of networks, which records hold by code. Asked for once; until then, and for a code
// that is in no list, the code itself is shown.

import type { GetNetworksData, GetNetworksResponse, Network } from '../api/types.gen.ts'
import { useRead } from '../data/queries.ts'
import { useHere } from './place.tsx'

const stale_ms = 60 * 60_000

function useNetworks(): readonly Network[] {
  const { place } = useHere()
  const { data } = useRead<GetNetworksData, GetNetworksResponse>(
    place,
    { url: '/networks/', query: { page_size: 100 } },
    { stale_ms },
  )
  return data?.results ?? []
}

export function useNetworkNames(): (code: string | null) => string {
  const names = new Map(useNetworks().map(({ code, name }) => [code, name]))
  return (code) => (code === null ? '' : (names.get(code) ?? code))
}

/** Those of a country that are open, as people there know them. */
export const useNetworksOf = (country: string): Network[] =>
  useNetworks().filter(({ country_code, is_active }) => is_active && country_code === country)
