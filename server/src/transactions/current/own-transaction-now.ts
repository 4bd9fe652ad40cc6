// The caller's own payment by id, or the right refusal (contract 3.5): 403 for another merchant's,
// 404 for the other environment, an unknown or an ill-formed id.

import type { Db } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import type { Input } from '../../platform/http/route.ts'
import { isUuid } from '../../platform/ids.ts'
import { getOwnTransaction } from '../get-own-transaction.ts'
import { readTransactionNow, type TransactionNow } from './read-transaction-now.ts'

export async function ownTransactionNow(
  db: Db,
  { caller, params }: Pick<Input, 'caller' | 'params'>,
): Promise<TransactionNow> {
  const id = params['payment_id'] ?? ''
  const { merchant_id, environment } = caller
  const now = isUuid(id) ? await readTransactionNow(db, { merchant_id, id }) : undefined
  if (now !== undefined && now.transaction.environment === environment) return now
  await getOwnTransaction(db, caller, id)
  assert(now !== undefined, 'a payment does not go away')
  return now
}
