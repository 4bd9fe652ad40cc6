// The first of the two people that an act of staff takes: they count as long as they may do it
// themselves. Whoever was switched off, perhaps because of just this, is nobody's second opinion.

import type { Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { StaffPermission } from '../../platform/http/route.ts'
import { control } from '../../platform/places/places.ts'
import { isStaffRole, mayAsStaff } from '../staff-roles.ts'
import { proposalErrors } from './errors.ts'
import { shareActiveRole } from './store.ts'

/**
 * Whether their account is on and has this right. It stays so until the end of the transaction: who
 * switches it off waits, or is waited for.
 */
export async function mayStill(tx: Tx, person_id: string, right: StaffPermission) {
  const role = await shareActiveRole(control(tx), person_id)
  return isStaffRole(role) && mayAsStaff[role].includes(right)
}

/** Refuses with `proposer_gone`. */
export async function requireProposer(tx: Tx, person_id: string, right: StaffPermission) {
  if (!(await mayStill(tx, person_id, right))) throw refuse(proposalErrors.proposer_gone)
}
