// A merchant's balance in one country, as it is shown to the merchant.

import type { Db, Sql } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { balanceId } from './account.ts'
import { findBalance, findFrozen } from './store.ts'
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
