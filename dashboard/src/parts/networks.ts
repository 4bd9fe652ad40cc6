// The names of networks, which records hold by code. Asked for once; until then, and for a code
// that is in no list, the code itself is shown.

import type { GetNetworksData, GetNetworksResponse } from '../api/types.gen.ts'
import { useRead } from '../data/queries.ts'
import { useHere } from './place.tsx'

const stale_ms = 60 * 60_000

export function useNetworkNames(): (code: string | null) => string {
  const { place } = useHere()
  const { data } = useRead<GetNetworksData, GetNetworksResponse>(
    place,
    { url: '/networks/', query: { page_size: 100 } },
    { stale_ms },
  )
  const names = new Map(data?.results.map(({ code, name }) => [code, name]))
  return (code) => (code === null ? '' : (names.get(code) ?? code))
}
