// One invitation of the caller's merchant, or the right refusal (contract 3.5).

import type { Sql } from '../../../platform/db.ts'
import { assert, refuse } from '../../../platform/errors.ts'
import { transportErrors } from '../../../platform/http/transport-errors.ts'
import type { Invitation } from './invitation.ts'
import { findRow, type InvitationKey, isOfAnother } from './store.ts'

export async function getInvitation(sql: Sql, key: InvitationKey): Promise<Invitation> {
  const invitation = await findRow(sql, key)
  if (invitation !== undefined) return invitation
  const elsewhere = await isOfAnother(sql, key)
  throw refuse(elsewhere ? transportErrors.permission_denied : transportErrors.not_found)
}

/** One that was written in this transaction. */
export async function reread(sql: Sql, key: InvitationKey): Promise<Invitation> {
  const invitation = await findRow(sql, key)
  assert(invitation !== undefined, 'an invitation that was just written')
  return invitation
}
