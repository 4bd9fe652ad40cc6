// Suspends or restores a merchant (contract 3.5): its own records stay readable, and what is in
// flight ends. Every call reads the status with its key, so it takes effect at once.

import type { Sql } from '../platform/db.ts'
import { type By, changeStatus } from './admin/change-status.ts'

/** Refuses an unknown id. Suspending again replaces the reason. */
export const suspendMerchant = (sql: Sql, id: string, reason: string, by: By = {}): Promise<void> =>
  changeStatus(sql, { id, status: 'SUSPENDED', reason }, by)

/** Restoring one who is active changes nothing. */
export const restoreMerchant = (sql: Sql, id: string, by: By = {}): Promise<void> =>
  changeStatus(sql, { id, status: 'ACTIVE', reason: '' }, by)
