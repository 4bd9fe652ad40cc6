// Whether one of the staff may still do something. The first of the two people that an act takes
// counts as long as they may do it themselves: whoever was switched off, perhaps because of just
// this, is nobody's second opinion. And whoever sends money may still do so when their turn comes.

import type { Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Person, StaffPermission } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
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

/**
 * Refuses with `proposer_gone`. Asked when the second one acts, and never after that: what two
 * people did while both could goes on without them (a second factor's reset, after its day) until
 * somebody takes it back.
 */
export async function requireProposer(tx: Tx, person_id: string, right: StaffPermission) {
  if (!(await mayStill(tx, person_id, right))) throw refuse(proposalErrors.proposer_gone)
}

/**
 * The right that was read when the call was let in may be gone by the time that all locks are
 * taken. Refuses with `permission_denied`.
 */
export async function requireStaffStillMay(
  tx: Tx,
  { person_id }: Pick<Person, 'person_id'>,
  right: StaffPermission,
): Promise<void> {
  if (!(await mayStill(tx, person_id, right))) throw refuse(accessErrors.permission_denied)
}
