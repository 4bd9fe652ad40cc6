// A balance of any merchant, for those whose staff correct one; the house's is nobody's.

import type { Sql } from '../../platform/db.ts'
import { type BalanceKey, findBalance, type MerchantsBalance } from './store.ts'

export type { MerchantsBalance }

export const findAnyBalance = (sql: Sql, key: BalanceKey): Promise<MerchantsBalance | undefined> =>
  findBalance(sql, key)
