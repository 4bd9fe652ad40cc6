// A member invites somebody by e-mail. An open invitation for the same e-mail is replaced: only the
// last e-mail's token opens anything.

import { actorOf, masked } from '../../../audit/audit.ts'
import { recordAct } from '../../../audit/record-act.ts'
import { emailOf } from '../../../people/person.ts'
import { inTransaction } from '../../../platform/db.ts'
import { refuse } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/route.ts'
import { newId } from '../../../platform/ids.ts'
import type { Role } from '../../roles.ts'
import { permissionOver } from '../member.ts'
import { lockMembers, memberKeyOf, requireRight } from '../require-right.ts'
import { isMembersEmail } from '../store.ts'
import { countInvitation, emailInvitation, type InvitationEmailDeps } from './email-invitation.ts'
import { invitationErrors } from './errors.ts'
import type { Invitation } from './invitation.ts'
import { newInvitationToken } from './invitation-token.ts'
import { insertRow, reread, revokeOfEmail } from './store.ts'

/** Refuses to invite a member, and inviting an owner by anybody but owners. */
export async function inviteMember(
  deps: InvitationEmailDeps,
  caller: Caller,
  request: Readonly<{ email: string; role: Role }>,
): Promise<Invitation> {
  const { merchant_id } = caller
  const { role } = request
  const email = emailOf(request.email)
  const right = permissionOver(role)
  await requireRight(deps.db, caller, right)
  await countInvitation(deps, { merchant_id, email })
  const { token, hash } = newInvitationToken(merchant_id)
  const invitation = await inTransaction(deps.db, async (tx) => {
    await lockMembers(tx, caller)
    await requireRight(tx, caller, right)
    if (await isMembersEmail(tx, { merchant_id, email })) {
      throw refuse(invitationErrors.already_member)
    }
    const key = { merchant_id, id: newId() }
    const sender = memberKeyOf(caller)
    const replaced = await revokeOfEmail(tx, { merchant_id, email })
    await insertRow(tx, { ...key, email, role, hash, invited_by: sender.person_id })
    await emailInvitation(tx, deps, { email, role }, { sender, token, locale: caller.locale })
    await recordAct(tx, {
      merchant_id,
      environment: null,
      actor: actorOf(caller),
      action: 'invitation.sent',
      target_kind: 'invitation',
      target_id: key.id,
      before: replaced.length === 0 ? null : { replaced },
      after: { email: masked(email), role },
    })
    return reread(tx, key)
  })
  deps.wake('send-mail')
  return invitation
}
