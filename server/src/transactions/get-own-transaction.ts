// A transaction of the caller (contract 3.5).

import type { Sql } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import { inEnvironment } from '../platform/http/ownership.ts'
import type { Caller } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { isUuid } from '../platform/ids.ts'
import { findTransaction, type MarkedTransaction, requireOwnTransaction } from './store.ts'

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
  const key = { merchant_id: caller.merchant_id, id }
  const transaction = inEnvironment(await findTransaction(db, key), caller.environment)
  return requireOwnTransaction(db, key, transaction)
}
