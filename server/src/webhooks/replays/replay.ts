// Every event of a feed since a moment, once more for one endpoint. It is queued little by little
// in the endpoint's own queue, where new events go first; one replay at a time for each endpoint.

import type { Environment } from '../../platform/http/route.ts'

export type ReplayKey = Readonly<{ merchant_id: string; id: string }>

export type Replay = ReplayKey &
  Readonly<{
    webhook_id: string
    environment: Environment
    since: Date
    /** How many events the endpoint was subscribed to when the replay was requested. */
    events_total: number
    events_queued: number
    /** Queued and not tried yet. */
    events_waiting: number
    finished_at: Date | null
    created_at: Date
  }>

/** No more are queued while so many wait for their first try. */
export const waiting_max = 500
/** How many one statement queues. */
export const portion_max = 500
