// A callback that named nobody for a quarter of an hour: somebody's money may be meant, so staff
// are told by an incident of the house merchant. Nothing is booked: nothing is known.

import type { Db } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { newId } from '../platform/ids.ts'
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
    id: newId(),
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
