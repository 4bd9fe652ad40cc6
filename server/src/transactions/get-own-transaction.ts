// A transaction of the caller: the one place that decides between 403 and 404 (contract 3.5).

import type { Sql } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { accessErrors, transportErrors } from '../platform/http/transport-errors.ts'
import { isUuid } from '../platform/ids.ts'
import { findTransaction, isTransactionOfAnyone, type MarkedTransaction } from './store.ts'

/**
 * The caller's transaction. Throws `permission_denied` for a known id of another merchant, and
 * `not_found` for an unknown or ill-formed one and for one of the caller's other environment.
 */
export async function getOwnTransaction(
  db: Sql,
  caller: Pick<Caller, 'merchant_id' | 'environment'>,
  id: string,
): Promise<MarkedTransaction> {
  if (!isUuid(id)) throw refuse(transportErrors.not_found)
  const transaction = await findTransaction(db, { merchant_id: caller.merchant_id, id })
  if (transaction?.environment === caller.environment) return transaction
  const isOthers = transaction === undefined && (await isTransactionOfAnyone(db, id))
  throw refuse(isOthers ? accessErrors.permission_denied : transportErrors.not_found)
}
