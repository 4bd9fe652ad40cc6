// Whether a token opens anything: one answer for every reason why it does not.

import type { Sql } from '../../../platform/db.ts'
import { mayAs } from '../../roles.ts'
import { permissionOver } from '../member.ts'
import { opensNothing } from './errors.ts'
import { readInvitationToken } from './invitation-token.ts'
import { findOpenByToken, type OpenInvitation } from './store.ts'

/** Refuses with a 400 on `token`. */
export async function openInvitation(sql: Sql, token: string): Promise<OpenInvitation> {
  const key = readInvitationToken(token)
  const invitation = key && (await findOpenByToken(sql, key))
  if (invitation === undefined || !isVouchedFor(invitation)) throw opensNothing()
  return invitation
}

/**
 * Its sender may still invite for this role; a sender who was demoted, removed or switched off may
 * not.
 */
const isVouchedFor = ({ sender_role, role }: OpenInvitation): boolean =>
  sender_role !== null && mayAs[sender_role].includes(permissionOver(role))
