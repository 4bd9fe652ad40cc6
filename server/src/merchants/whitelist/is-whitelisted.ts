// May a call from this address pay out for the merchant? (contract: Payouts)

import type { Sql } from '../../platform/db.ts'
import { isInside } from './ip-network.ts'
import { listActiveNetworks } from './store.ts'

/** One query: a change of the list counts from the next call on, in every process. */
export async function isWhitelisted(sql: Sql, merchant_id: string, ip: string): Promise<boolean> {
  return isInside(await listActiveNetworks(sql, merchant_id), ip)
}
