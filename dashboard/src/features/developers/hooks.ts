// The merchant's webhooks that there are: what was sent to one that was deleted since still stands
// in the list of deliveries, and nothing more is sent to it.

import type { GetMerchantWebhooksData, GetMerchantWebhooksResponse } from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { useHere } from '../../parts/place.tsx'

/** All of them: there are at most twenty. */
export function useHooks() {
  const { place } = useHere()
  return useRead<GetMerchantWebhooksData, GetMerchantWebhooksResponse>(place, {
    url: '/merchant-webhooks/',
    query: { page_size: 100 },
  })
}

/** Whether the webhook of this id is gone; not before the others are there. */
export function useIsDeleted(): (id: string) => boolean {
  const { data } = useHooks()
  return (id) => data !== undefined && !data.results.some((one) => one.id === id)
}
