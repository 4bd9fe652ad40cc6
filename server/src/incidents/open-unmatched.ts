// A callback that named nobody for a quarter of an hour: somebody's money may be meant, so staff
// are told by an incident of the house merchant, one for a gateway and hour: the callbacks of that
// hour are read together. Nothing is booked: nothing is known.

import { createHash } from 'node:crypto'
import type { Db } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { idFromHash } from '../platform/ids.ts'
import { idsOf, joined } from '../platform/sql.ts'
import { openIncident } from './statements.ts'

export type UnmatchedCallback = Readonly<{
  merchant_id: string
  id: string
  environment: Environment
  gateway_id: string
}>

export async function openUnmatchedCallback(db: Db, callback: UnmatchedCallback): Promise<void> {
  const incident = {
    merchant_id: callback.merchant_id,
    environment: callback.environment,
    id: ofThisHour(callback.gateway_id),
    type: 'UNMATCHED_CALLBACK' as const,
    attempt_id: null,
    transaction_id: null,
    settlement_id: null,
    callback_id: callback.id,
    gateway_id: callback.gateway_id,
    country: '',
    currency: '',
    amount: 0n,
    suspense_side: null,
    detail: {},
  }
  await joined(db, [openIncident(db, incident, null)], idsOf(db, 'opened'))
}

const hour_ms = 3_600_000

/** The same id all hour long: whoever comes second finds it taken, in any process. */
function ofThisHour(gateway_id: string): string {
  const hash = createHash('sha256').update(`unmatched ${gateway_id}`).digest()
  return idFromHash(Math.floor(Date.now() / hour_ms) * hour_ms, hash)
}
