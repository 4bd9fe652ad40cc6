// Accepts the invitation of an e-mail: the receiver becomes a member, with an existing account or
// one made here. Of several calls at once with the same token one succeeds. They log in afterwards:
// no session is opened here, so the e-mail alone never replaces a password or a second factor.

import { recordAct } from '../../../audit/audit-log.ts'
import {
  hasAccount,
  type InvitedDeps,
  type InvitedFacts,
  proveInvited,
} from '../../../people/invited-person.ts'
import type { PersonFacts } from '../../../people/person.ts'
import type { Keyring } from '../../../platform/crypto/seal.ts'
import { type Db, inTransaction, type Sql, type Tx } from '../../../platform/db.ts'
import { refuse } from '../../../platform/errors.ts'
import { accessErrors } from '../../../platform/http/transport-errors.ts'
import { emailOwners } from '../../email-owners.ts'
import { type LiveDeps, openLiveIfReady } from '../../merchant.ts'
import { mayAs } from '../../roles.ts'
import { insertMembership } from '../../store.ts'
import { isRaised, raisedEmail } from '../change-members.ts'
import { permissionOver } from '../member.ts'
import { lockMembers } from '../member-rights.ts'
import { invitationErrors, opensNothing, readInvitationToken } from './invitation.ts'
import { acceptRow, findOpenByToken, type OpenInvitation } from './store.ts'

export type AcceptDeps = Omit<InvitedDeps, 'macs'> &
  LiveDeps &
  Readonly<{ db: Db; keyring: Keyring }>

export type Acceptance = Omit<InvitedFacts, 'email'> &
  Readonly<{ token: string; request_id: string }>

/** Refuses an invalid token, and a wrong password for an existing account. */
export async function acceptInvitation(
  deps: AcceptDeps,
  acceptance: Acceptance,
): Promise<OpenInvitation> {
  const { token, ip, request_id } = acceptance
  // Checked first: only a valid token makes us hash, or reveals who has an account.
  const { merchant_id, email } = await openInvitation(deps.db, token)
  const invited = await proveInvited({ ...deps, macs: deps.keyring }, { ...acceptance, email })
  return inTransaction(deps.db, async (tx) => {
    await lockMembers(tx, { merchant_id })
    const invitation = await openInvitation(tx, token)
    if (invitation.merchant_is_suspended) throw refuse(accessErrors.merchant_suspended)
    const person = await invited.admit(tx)
    await join(tx, deps, { invitation, person })
    await recordAct(tx, {
      merchant_id,
      environment: null,
      actor: { kind: 'MEMBER', id: person.id, role: invitation.role, ip, request_id },
      action: 'invitation.accepted',
      target_kind: 'invitation',
      target_id: invitation.id,
      after: { member: person.id, role: invitation.role },
    })
    return invitation
  })
}

type Joining = Readonly<{ invitation: OpenInvitation; person: PersonFacts }>

async function join(
  tx: Tx,
  { cooling_hours, keyring }: LiveDeps & Readonly<{ keyring: Keyring }>,
  { invitation: { role, ...key }, person }: Joining,
): Promise<void> {
  const { merchant_id } = key
  await acceptRow(tx, key)
  if (!(await insertMembership(tx, { merchant_id, person_id: person.id, role }))) {
    throw refuse(invitationErrors.already_member)
  }
  if (isRaised(role)) await emailOwners(tx, keyring, merchant_id, raisedEmail(person, role))
  // Their e-mail is proved: this may be the owner that LIVE waits for.
  if (role === 'OWNER') await openLiveIfReady(tx, merchant_id, cooling_hours)
}

// Whether a token opens anything: one answer for every reason why it does not.

/** Refuses with a 400 on `token`. */
async function openInvitation(sql: Sql, token: string): Promise<OpenInvitation> {
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

// What an invitation is for, for those who have its token: so that the page can ask for a password,
// or for everything that a new account needs.

export async function previewInvitation(
  sql: Sql,
  token: string,
): Promise<OpenInvitation & Readonly<{ has_account: boolean }>> {
  const invitation = await openInvitation(sql, token)
  return { ...invitation, has_account: await hasAccount(sql, invitation.email) }
}
