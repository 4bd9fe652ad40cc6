// One of the platform's staff.

import type { Sql } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import type { StaffMember } from './staff-member.ts'
import { findStaff } from './store.ts'

export { listStaff } from './store.ts'

/** Refuses an unknown id, or a member's. */
export async function getStaff(sql: Sql, id: string): Promise<StaffMember> {
  const member = await findStaff(sql, id)
  if (member === undefined) throw refuse(transportErrors.not_found)
  return member
}
