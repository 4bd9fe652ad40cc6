// A balance of any merchant, for staff who correct one; the platform merchant's is not found.

import type { Sql } from '../../platform/db.ts'
import { type BalanceKey, findBalance, type MerchantsBalance } from './store.ts'

export type { MerchantsBalance }

export const findAnyBalance = (sql: Sql, key: BalanceKey): Promise<MerchantsBalance | undefined> =>
  findBalance(sql, key)
