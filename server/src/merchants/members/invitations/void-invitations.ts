// What a member sent is void when they may not invite for that role any more: it survives neither
// their removal nor their demotion, and stays void when they come back.

import type { Tx } from '../../../platform/db.ts'
import { mayAs, type Role, roles } from '../../roles.ts'
import { permissionOver } from '../member.ts'
import { revokeOfSender } from './store.ts'

/** `role`: the member's role from now on; null when they leave. Returns how many became void. */
export async function voidInvitations(
  tx: Tx,
  member: Readonly<{ merchant_id: string; person_id: string; role: Role | null }>,
): Promise<number> {
  const may = member.role === null ? [] : mayAs[member.role]
  const lost = roles.filter((role) => !may.includes(permissionOver(role)))
  const { merchant_id, person_id: invited_by } = member
  return revokeOfSender(tx, { merchant_id, invited_by, roles: lost })
}
