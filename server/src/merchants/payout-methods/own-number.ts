// Is a mobile-money number the merchant's own? It is when money may be paid out to it now: somebody
// added it with a second factor, the owners were told, and its cooling-off is over.

import type { Sql } from '../../platform/db.ts'
import { hasUsableNumber } from './store.ts'

/** `msisdn` in E.164, whatever its network: numbers are portable. */
export const isOwnNumber = (sql: Sql, merchant_id: string, msisdn: string): Promise<boolean> =>
  hasUsableNumber(sql, merchant_id, msisdn)
