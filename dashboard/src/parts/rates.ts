// What each network takes and what it costs this merchant: asked for once an hour. A suspended one
// may read it, which it may not of the networks themselves.

import { useMemo } from 'react'
import type { GetPricingMyRatesData, GetPricingMyRatesResponse } from '../api/types.gen.ts'
import { useRead } from '../data/queries.ts'
import { asWritten } from '../format/name.ts'
import { useHere } from './place.tsx'

const stale_ms = 60 * 60_000

export function useRates({ on = true }: Readonly<{ on?: boolean }> = {}) {
  const { place } = useHere()
  const { data, error, isPlaceholderData, isFetched, refetch } = useRead<
    GetPricingMyRatesData,
    GetPricingMyRatesResponse
  >(place, { url: '/pricing/my-rates/' }, { stale_ms, on })
  const rates = useMemo(
    () => data?.map((one) => ({ ...one, network_name: asWritten(one.network_name) })),
    [data],
  )
  return { data: rates, error, isPlaceholderData, isFetched, refetch }
}
