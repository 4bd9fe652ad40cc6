// Whether a mobile-money number is the merchant's own: when money may be paid out to it now. It was
// added with a second factor, the owners were e-mailed, and its cooling-off is over.

import type { Sql } from '../../platform/db.ts'
import { hasUsableNumber } from './store.ts'

/** `msisdn` in E.164, whatever its network: numbers are portable. */
export const isOwnNumber = (sql: Sql, merchant_id: string, msisdn: string): Promise<boolean> =>
  hasUsableNumber(sql, merchant_id, msisdn)
