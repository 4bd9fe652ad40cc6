// A settlement, as its merchant or staff may read it (contract 3.5).

import type { Sql } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import { inEnvironment } from '../platform/http/ownership.ts'
import type { Caller, Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import type { Settlement } from './settlement.ts'
import { findSeen, findSettlement, requireOwnSettlement, type Seen } from './store.ts'

/** Throws `permission_denied` for another merchant's, else `not_found`. */
export async function getOwnSettlement(
  sql: Sql,
  { merchant_id, environment }: Pick<Caller, 'merchant_id' | 'environment'>,
  id: string,
): Promise<Settlement> {
  const key = { merchant_id, id }
  const settlement = inEnvironment(await findSettlement(sql, key), environment)
  return requireOwnSettlement(sql, key, settlement)
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
