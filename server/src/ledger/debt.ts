// What a merchant owes in one place. Only a few kinds of causes make and pay debts, so the sum
// reads those entries alone: it is taken while the merchant's balance is locked, and payments wait
// for that.

import type { Sql } from '../platform/db.ts'
import { account, accountId, debtCauses, type Place } from './account.ts'
import { sumByCause } from './store.ts'

/** Making or paying a debt requires the balance's lock: under it this sum stays as it is read. */
export async function debtOf(sql: Sql, place: Place): Promise<bigint> {
  const id = accountId(account(place, 'merchant_debt'))
  return sumByCause(sql, { merchant_id: place.merchant_id, account_id: id, causes: debtCauses })
}
