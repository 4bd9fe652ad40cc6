// Sends an invitation once more, with a new token and new days: the e-mail before opens nothing.
// The member who resends it answers for it from now on.

import { actorOf } from '../../../audit/audit.ts'
import { recordAct } from '../../../audit/record-act.ts'
import { inTransaction } from '../../../platform/db.ts'
import { refuse } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/route.ts'
import { permissionOver } from '../member.ts'
import { lockMembers, memberKeyOf, requireRight } from '../require-right.ts'
import { isMembersEmail } from '../store.ts'
import { countInvitation, emailInvitation, type InvitationEmailDeps } from './email-invitation.ts'
import { invitationErrors } from './errors.ts'
import type { Invitation } from './invitation.ts'
import { newInvitationToken } from './invitation-token.ts'
import { getInvitation, renewRow, reread } from './store.ts'

/** An expired one may be resent; an accepted or revoked one may not. */
export async function resendInvitation(
  deps: InvitationEmailDeps,
  caller: Caller,
  id: string,
): Promise<Invitation> {
  const { merchant_id } = caller
  const key = { merchant_id, id }
  const { email } = await getInvitation(deps.db, key)
  await countInvitation(deps, { merchant_id, email })
  const { token, hash } = newInvitationToken(merchant_id)
  const invitation = await inTransaction(deps.db, async (tx) => {
    await lockMembers(tx, caller)
    const was = await getInvitation(tx, key)
    await requireRight(tx, caller, permissionOver(was.role))
    requireOpen(was)
    if (await isMembersEmail(tx, was)) throw refuse(invitationErrors.already_member)
    const sender = memberKeyOf(caller)
    await renewRow(tx, key, { hash, invited_by: sender.person_id })
    await emailInvitation(tx, deps, was, { sender, token, locale: caller.locale })
    await recordAct(tx, {
      merchant_id,
      environment: null,
      actor: actorOf(caller),
      action: 'invitation.resent',
      target_kind: 'invitation',
      target_id: id,
      before: { status: was.status, invited_by: was.invited_by },
      after: { status: 'PENDING', invited_by: sender.person_id },
    })
    return reread(tx, key)
  })
  deps.wake('send-mail')
  return invitation
}

function requireOpen({ status }: Invitation): void {
  if (status === 'PENDING' || status === 'EXPIRED') return
  throw refuse(invitationErrors.invitation_not_open)
}
