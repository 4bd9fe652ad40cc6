// One of the platform's staff.

import type { Sql, Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { accessErrors, transportErrors } from '../../platform/http/transport-errors.ts'
import { notByDemo } from './errors.ts'
import type { StaffMember } from './staff-member.ts'
import { findStaff, lockStaff } from './store.ts'

export { listStaff } from './store.ts'

/** Refuses an unknown id, or a member's. */
export async function getStaff(sql: Sql, id: string): Promise<StaffMember> {
  const member = await findStaff(sql, id)
  if (member === undefined) throw refuse(transportErrors.not_found)
  return member
}

// Before staff are changed: changes come one after another, and the caller must still be a
// superadmin when their turn comes. Of two who switch each other off at once, one is too late.

export async function requireSuperadmin(tx: Tx, { person_id }: Person): Promise<void> {
  await lockStaff(tx)
  const self = await findStaff(tx, person_id)
  if (self === undefined || self.disabled_at !== null || self.staff_role !== 'SUPERADMIN') {
    throw refuse(accessErrors.permission_denied)
  }
}

/** The demo's administrator has no second factor, and must not act through one who has. */
export function requireDemoTarget({ is_demo }: Person, other: StaffMember): void {
  if (is_demo && !other.is_demo) {
    throw refuse(accessErrors.permission_denied, { message: notByDemo })
  }
}
