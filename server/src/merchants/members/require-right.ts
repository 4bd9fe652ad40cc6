// Whether a member may act on a role now. The role read at authentication may have changed by the
// time the merchant's lock is taken, so it is read once more under the lock.

import type { Sql, Tx } from '../../platform/db.ts'
import { assert, refuse } from '../../platform/errors.ts'
import type { Caller, Permission } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { mayAs } from '../roles.ts'
import { lockMerchant } from '../store.ts'
import { findRow, type MemberKey } from './store.ts'

export function memberKeyOf({ merchant_id, member_id }: Caller): MemberKey {
  assert(member_id !== null, 'a member is meant')
  return { merchant_id, person_id: member_id }
}

/** Refuses with `permission_denied`. */
export async function requireRight(
  sql: Sql,
  caller: Caller,
  permission: Permission,
): Promise<void> {
  const member = await findRow(sql, memberKeyOf(caller))
  if (member !== undefined && mayAs[member.role].includes(permission)) return
  throw refuse(accessErrors.permission_denied)
}

/** From here on nobody else changes the merchant's members or invitations. */
export const lockMembers = (tx: Tx, { merchant_id }: Pick<Caller, 'merchant_id'>): Promise<void> =>
  lockMerchant(tx, merchant_id)
