// An adjustment of any merchant, in the environment that staff look at; elsewhere it is not found.

import type { Sql } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { findAdjustment, type MerchantsAdjustment } from './store.ts'

export async function getAdjustment(
  sql: Sql,
  { environment }: Pick<Person, 'environment'>,
  id: string,
): Promise<MerchantsAdjustment> {
  const adjustment = await findAdjustment(sql, { id, environment })
  if (adjustment === undefined) throw refuse(transportErrors.not_found)
  return adjustment
}
