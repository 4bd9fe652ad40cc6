// Every event of a feed since a moment, once more for one endpoint. It is queued little by little
// in the endpoint's own lane, where what is new goes first; one at a time for each endpoint.

import type { Environment } from '../../platform/http/route.ts'

export type ReplayKey = Readonly<{ merchant_id: string; id: string }>

export type Replay = ReplayKey &
  Readonly<{
    webhook_id: string
    environment: Environment
    since: Date
    /** Of those that the endpoint hears of, when it was asked for. */
    events_total: number
    events_queued: number
    /** Queued and not tried yet. */
    events_waiting: number
    finished_at: Date | null
    created_at: Date
  }>

/** No more is queued while so many wait for their first try. */
export const waiting_max = 500
/** Queued by one statement. */
export const portion_max = 500
