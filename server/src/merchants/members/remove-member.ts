// A member is removed, or leaves. His sessions open nothing of this merchant from the next call on,
// in every process, since every call reads his place; so do the invitations that he sent.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import { type Db, inTransaction } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import { getMember } from './get-member.ts'
import { insistAnotherOwner } from './insist-another-owner.ts'
import { insistRight, lockMembers } from './insist-right.ts'
import { voidInvitations } from './invitations/void-invitations.ts'
import { permissionOver } from './member.ts'
import { deleteRow } from './store.ts'

/** Anybody may remove himself. The last owner stays. */
export const removeMember = (db: Db, caller: Caller, id: string): Promise<void> =>
  inTransaction(db, async (tx) => {
    const { merchant_id } = caller
    const key = { merchant_id, person_id: id }
    const leaves = id === caller.member_id
    await lockMembers(tx, caller)
    if (!leaves) await insistRight(tx, caller, 'members')
    const member = await getMember(tx, key)
    if (!leaves) await insistRight(tx, caller, permissionOver(member.role))
    await insistAnotherOwner(tx, member)
    await deleteRow(tx, key)
    const invitations_voided = await voidInvitations(tx, { ...key, role: null })
    await recordAct(tx, {
      merchant_id,
      environment: null,
      actor: actorOf(caller),
      action: leaves ? 'member.left' : 'member.removed',
      target_kind: 'member',
      target_id: id,
      before: { role: member.role },
      after: invitations_voided === 0 ? null : { invitations_voided },
    })
  })
