// Invitations are sent, resent, revoked and listed by members. They change under the merchant’s
// lock.

import { actorOf, masked } from '../../../audit/audit.ts'
import { recordAct } from '../../../audit/audit-log.ts'
import { emailOf } from '../../../people/person.ts'
import { writeInTurn } from '../../../platform/batch-calls.ts'
import type { Db, Sql, Tx } from '../../../platform/db.ts'
import { refuse } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/route.ts'
import { newId } from '../../../platform/ids.ts'
import { mayAs, type Role, roles } from '../../roles.ts'
import { permissionOver } from '../member.ts'
import { lockMembers, memberKeyOf, requireRight } from '../member-rights.ts'
import { isMembersEmail } from '../store.ts'
import { countInvitation, emailInvitation, type InvitationEmailDeps } from './email-invitation.ts'
import { type Invitation, invitationErrors, newInvitationToken } from './invitation.ts'
import {
  countRows,
  getInvitation,
  type InvitationsQuery,
  insertRow,
  listRows,
  renewRow,
  reread,
  revokeOfEmail,
  revokeOfSender,
  revokeRow,
} from './store.ts'

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
  const invitation = await writeInTurn(deps.db, caller, async (tx) => {
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

// Sends an invitation once more, with a new token and new days: the e-mail before opens nothing.
// The member who resends it answers for it from now on.

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
  const invitation = await writeInTurn(deps.db, caller, async (tx) => {
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

// Revokes an invitation: its e-mail opens nothing from now on.

/** Again: nothing more happens. One that was accepted is a membership by now. */
export const revokeInvitation = (db: Db, caller: Caller, id: string): Promise<void> =>
  writeInTurn(db, caller, async (tx) => {
    const { merchant_id } = caller
    const key = { merchant_id, id }
    await lockMembers(tx, caller)
    const was = await getInvitation(tx, key)
    await requireRight(tx, caller, permissionOver(was.role))
    if (was.status === 'REVOKED') return
    if (was.status === 'ACCEPTED') throw refuse(invitationErrors.invitation_not_open)
    await revokeRow(tx, key)
    await recordAct(tx, {
      merchant_id,
      environment: null,
      actor: actorOf(caller),
      action: 'invitation.revoked',
      target_kind: 'invitation',
      target_id: id,
      before: { status: was.status, role: was.role },
      after: { status: 'REVOKED' },
    })
  })

// What a member sent is void when they may not invite for that role any more: it survives neither
// their removal nor their demotion, and stays void when they come back.

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

// One page of a merchant's invitations, and how many there are.

export async function listInvitations(
  sql: Sql,
  query: InvitationsQuery,
): Promise<{ count: number; rows: Invitation[] }> {
  const [count, rows] = await Promise.all([countRows(sql, query), listRows(sql, query)])
  return { count, rows }
}
