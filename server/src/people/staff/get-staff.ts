// The platform's staff: one of them, and those a search finds.

import type { Sql } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import type { StaffRole } from '../staff-roles.ts'
import type { StaffMember } from './staff-member.ts'
import { findStaff, listStaff } from './store.ts'

/** Refuses an unknown id, or a member's. */
export async function getStaff(sql: Sql, id: string): Promise<StaffMember> {
  const member = await findStaff(sql, id)
  if (member === undefined) throw refuse(transportErrors.not_found)
  return member
}

export type StaffSearch = Readonly<{
  search?: string | undefined
  role?: StaffRole | undefined
  disabled?: boolean | undefined
}>

/** `search` looks in e-mail and names, in any case. */
export async function searchStaff(sql: Sql, query: StaffSearch): Promise<StaffMember[]> {
  const { role, disabled } = query
  const wanted = (query.search ?? '').toLowerCase()
  const all = await listStaff(sql)
  return all.filter(
    (one) =>
      `${one.email}\n${one.first_name} ${one.last_name}`.toLowerCase().includes(wanted) &&
      (role === undefined || one.staff_role === role) &&
      (disabled === undefined || (one.disabled_at !== null) === disabled),
  )
}
