// A settlement of the caller: the one place that decides between 403 and 404 (contract 3.5).

import type { Sql } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Caller, Person } from '../platform/http/route.ts'
import { accessErrors, transportErrors } from '../platform/http/transport-errors.ts'
import type { Settlement } from './settlement.ts'
import { findSeen, findSettlement, isSettlementOfAnyone, type Seen } from './store.ts'

/** Throws `permission_denied` for another merchant's, else `not_found`. */
export async function getOwnSettlement(
  sql: Sql,
  { merchant_id, environment }: Pick<Caller, 'merchant_id' | 'environment'>,
  id: string,
): Promise<Settlement> {
  const settlement = await findSettlement(sql, { merchant_id, id })
  if (settlement?.environment === environment) return settlement
  const isOthers = settlement === undefined && (await isSettlementOfAnyone(sql, id))
  throw refuse(isOthers ? accessErrors.permission_denied : transportErrors.not_found)
}

/** Any merchant's, in the environment that staff look at; elsewhere it is not found. */
export async function getSeenSettlement(
  sql: Sql,
  { environment }: Pick<Person, 'environment'>,
  id: string,
): Promise<Seen> {
  const seen = await findSeen(sql, { id, environment })
  if (seen === undefined) throw refuse(transportErrors.not_found)
  return seen
}
