// A log of the caller's, or the right refusal (contract 3.5).

import type { Sql } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import type { LogDetail } from './log.ts'
import { findLog, isLogOfAnother } from './store.ts'

export async function getLog(
  sql: Sql,
  { merchant_id, environment }: Pick<Caller, 'merchant_id' | 'environment'>,
  id: string,
): Promise<LogDetail> {
  const key = { merchant_id, environment, id }
  const log = await findLog(sql, key)
  if (log !== undefined) return log
  const isOthers = await isLogOfAnother(sql, key)
  throw refuse(isOthers ? transportErrors.permission_denied : transportErrors.not_found)
}
