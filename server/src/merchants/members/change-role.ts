// A member gets another role. It takes effect on their next request, in every process, since every
// call reads it. The last owner stays one; giving or taking OWNER is for owners.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import { emailOwners } from '../email-owners.ts'
import { type LiveDeps, openLiveIfReady } from '../open-live.ts'
import type { Role } from '../roles.ts'
import { isRaised, raisedEmail } from './emails.ts'
import { getMember } from './get-member.ts'
import { voidInvitations } from './invitations/void-invitations.ts'
import { type Member, permissionOver } from './member.ts'
import { requireAnotherOwner } from './require-another-owner.ts'
import { lockMembers, requireRight } from './require-right.ts'
import { updateRole } from './store.ts'

export const changeRole = (
  { db, keyring, cooling_hours }: LiveDeps & Readonly<{ db: Db; keyring: Keyring }>,
  caller: Caller,
  { id, role }: Readonly<{ id: string; role: Role }>,
): Promise<Member> =>
  inTransaction(db, async (tx) => {
    const key = { merchant_id: caller.merchant_id, person_id: id }
    await lockMembers(tx, caller)
    await requireRight(tx, caller, 'members')
    const was = await getMember(tx, key)
    if (was.role === role) return was
    for (const touched of [was.role, role]) await requireRight(tx, caller, permissionOver(touched))
    await requireAnotherOwner(tx, was)
    await updateRole(tx, key, role)
    const invitations_voided = await voidInvitations(tx, { ...key, role })
    await recordAct(tx, {
      merchant_id: caller.merchant_id,
      environment: null,
      actor: actorOf(caller),
      action: 'member.role_changed',
      target_kind: 'member',
      target_id: id,
      before: { role: was.role },
      after: { role, ...(invitations_voided === 0 ? {} : { invitations_voided }) },
    })
    if (isRaised(role)) await emailOwners(tx, keyring, caller.merchant_id, raisedEmail(was, role))
    // A new owner may be the first whose e-mail is proved.
    if (role === 'OWNER') await openLiveIfReady(tx, caller.merchant_id, cooling_hours)
    return { ...was, role }
  })
