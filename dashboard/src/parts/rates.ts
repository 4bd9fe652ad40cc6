// What each network takes and what it costs this merchant: asked for once an hour.

import type { GetPricingMyRatesData, GetPricingMyRatesResponse } from '../api/types.gen.ts'
import { useRead } from '../data/queries.ts'
import { useHere } from './place.tsx'

const stale_ms = 60 * 60_000

export function useRates() {
  const { place } = useHere()
  return useRead<GetPricingMyRatesData, GetPricingMyRatesResponse>(
    place,
    { url: '/pricing/my-rates/' },
    { stale_ms },
  )
}
