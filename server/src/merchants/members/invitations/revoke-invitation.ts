// Revokes an invitation: its e-mail opens nothing from now on.

import { actorOf } from '../../../audit/audit.ts'
import { recordAct } from '../../../audit/record-act.ts'
import { type Db, inTransaction } from '../../../platform/db.ts'
import { refuse } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/route.ts'
import { permissionOver } from '../member.ts'
import { lockMembers, requireRight } from '../require-right.ts'
import { invitationErrors } from './errors.ts'
import { getInvitation, revokeRow } from './store.ts'

/** Again: nothing more happens. One that was accepted is a membership by now. */
export const revokeInvitation = (db: Db, caller: Caller, id: string): Promise<void> =>
  inTransaction(db, async (tx) => {
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
