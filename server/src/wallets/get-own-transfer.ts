// A transfer of the caller: the one place that decides between 403 and 404 (contract 3.5).

import type { Sql } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { accessErrors, transportErrors } from '../platform/http/transport-errors.ts'
import { findTransfer, isTransferOfAnyone } from './store.ts'
import type { Transfer } from './transfer.ts'

/** Throws `permission_denied` for another merchant's, else `not_found`. */
export async function getOwnTransfer(
  sql: Sql,
  { merchant_id, environment }: Pick<Caller, 'merchant_id' | 'environment'>,
  id: string,
): Promise<Transfer> {
  const transfer = await findTransfer(sql, { merchant_id, id })
  if (transfer?.environment === environment) return transfer
  const isOthers = transfer === undefined && (await isTransferOfAnyone(sql, id))
  throw refuse(isOthers ? accessErrors.permission_denied : transportErrors.not_found)
}
