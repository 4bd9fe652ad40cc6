// A merchant's balance in one country, as it is shown to the merchant.

import type { Db, Sql } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { account, accountId, balanceId, debtCauses, type Place } from './account.ts'
import {
  type BalanceKey,
  findBalance as findBalanceOfAny,
  type MerchantsBalance,
} from './admin/store.ts'
import { findBalance, findFrozen, sumByCause } from './store.ts'
import { viewBalance } from './view.ts'

/** Fails as a bug when there is none: for callers that have just written to it. */
export async function readBalance(
  db: Db,
  { merchant_id, environment }: Pick<Caller, 'merchant_id' | 'environment'>,
  country: string,
) {
  const id = balanceId({ merchant_id, environment, country, currency: '' })
  const balance = await findBalance(db, { merchant_id, id })
  assert(balance !== undefined, `no balance in ${country}`)
  return viewBalance(balance)
}

/** Whether staff have frozen it. False where there is none. */
export const isFrozen = (
  sql: Sql,
  { merchant_id, environment }: Pick<Caller, 'merchant_id' | 'environment'>,
  country: string,
): Promise<boolean> => findFrozen(sql, { merchant_id, environment, country })

// A balance of any merchant, for staff who correct one; the platform merchant's is not found.

export type { MerchantsBalance }

export const findAnyBalance = (sql: Sql, key: BalanceKey): Promise<MerchantsBalance | undefined> =>
  findBalanceOfAny(sql, key)

// What a merchant owes in one place. Only a few kinds of causes make and pay debts, so the sum
// reads those entries alone: it is taken while the merchant's balance is locked, and payments wait
// for that.

/** Making or paying a debt requires the balance's lock: under it this sum stays as it is read. */
export async function debtOf(sql: Sql, place: Place): Promise<bigint> {
  const id = accountId(account(place, 'merchant_debt'))
  return sumByCause(sql, { merchant_id: place.merchant_id, account_id: id, causes: debtCauses })
}
