// What a merchant owes in one place. Debts are made and paid by few kinds of causes, so the sum
// looks at those entries alone: it is made while his balance is locked, and payments wait for that.

import type { Sql } from '../platform/db.ts'
import { account, accountId, debtCauses, type Place } from './account.ts'
import { sumByCause } from './store.ts'

/** Whoever makes or pays a debt holds the balance's lock: under it this stays as it is read. */
export async function debtOf(sql: Sql, place: Place): Promise<bigint> {
  const id = accountId(account(place, 'merchant_debt'))
  return sumByCause(sql, { merchant_id: place.merchant_id, account_id: id, causes: debtCauses })
}
