// Whether a call from this address may pay out for the merchant (contract: Payouts).

import type { Sql } from '../../platform/db.ts'
import { isInside } from './ip-network.ts'
import { listActiveNetworks } from './store.ts'

/** One query: a change of the list takes effect on the next request, in every process. */
export async function isWhitelisted(sql: Sql, merchant_id: string, ip: string): Promise<boolean> {
  return isInside(await listActiveNetworks(sql, merchant_id), ip)
}
