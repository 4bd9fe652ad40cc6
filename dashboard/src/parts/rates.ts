// What each network takes and what it costs this merchant: asked for once an hour.

import { useMemo } from 'react'
import type { GetPricingMyRatesData, GetPricingMyRatesResponse } from '../api/types.gen.ts'
import { useRead } from '../data/queries.ts'
import { asWritten } from '../format/name.ts'
import { useHere } from './place.tsx'

const stale_ms = 60 * 60_000

export function useRates() {
  const { place } = useHere()
  const { data, error, isPlaceholderData, isFetched, refetch } = useRead<
    GetPricingMyRatesData,
    GetPricingMyRatesResponse
  >(place, { url: '/pricing/my-rates/' }, { stale_ms })
  const rates = useMemo(
    () => data?.map((one) => ({ ...one, network_name: asWritten(one.network_name) })),
    [data],
  )
  return { data: rates, error, isPlaceholderData, isFetched, refetch }
}
