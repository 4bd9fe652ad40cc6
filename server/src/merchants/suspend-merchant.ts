// A merchant is stopped, or may go on (decisions 3.5): his own records stay readable, what is in
// flight ends. Every call reads the status with its key, so it counts at once.

import type { Sql } from '../platform/db.ts'
import { isUuid } from '../platform/ids.ts'
import { noMerchant } from './get-merchant.ts'
import { updateMerchantStatus } from './store.ts'

/** Refuses an id that is nobody's. Suspending again replaces the reason. */
export async function suspendMerchant(sql: Sql, id: string, reason: string): Promise<void> {
  const done = isUuid(id) && (await updateMerchantStatus(sql, { id, status: 'SUSPENDED', reason }))
  if (!done) throw noMerchant(id)
}

export async function restoreMerchant(sql: Sql, id: string): Promise<void> {
  const change = { id, status: 'ACTIVE' as const, reason: '' }
  const done = isUuid(id) && (await updateMerchantStatus(sql, change))
  if (!done) throw noMerchant(id)
}
