// A callback that matched nothing for a quarter of an hour may mean somebody's money, so it opens
// an incident of the platform merchant, one for a gateway and hour: the callbacks of that hour are
// read together. One that comes when they were resolved already is another incident. Nothing is
// booked: nothing is known.

import { createHash } from 'node:crypto'
import type { Db } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { idFromHash } from '../platform/ids.ts'
import { homeOf } from '../platform/places/places.ts'
import { runPart } from '../platform/sql.ts'
import { openIncident } from './statements.ts'
import { isReportedUnmatched } from './store.ts'

export type UnmatchedCallback = Readonly<{
  merchant_id: string
  id: string
  environment: Environment
  gateway_id: string
}>

export async function openUnmatchedCallback(db: Db, callback: UnmatchedCallback): Promise<void> {
  const { merchant_id, gateway_id, id: callback_id } = callback
  // The same callback is looked at again where a process ended before it noted its report.
  for (let resolved = 0; ; resolved += 1) {
    const id = ofThisHour(gateway_id, resolved)
    if (await openOnce(db, callback, id)) return
    if (await isReportedUnmatched(db, { merchant_id, id, callback_id })) return
  }
}

async function openOnce(db: Db, callback: UnmatchedCallback, id: string): Promise<boolean> {
  const incident = {
    merchant_id: callback.merchant_id,
    environment: callback.environment,
    id,
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
  const at = homeOf(db, incident.merchant_id)
  return (await runPart(at, openIncident(db, incident))) > 0
}

const hour_ms = 3_600_000

/** The same id all hour long: the second to insert it finds it taken, in any process. */
function ofThisHour(gateway_id: string, resolved: number): string {
  const after = resolved === 0 ? '' : ` after ${resolved}`
  const hash = createHash('sha256').update(`unmatched ${gateway_id}${after}`).digest()
  return idFromHash(Math.floor(Date.now() / hour_ms) * hour_ms, hash)
}
