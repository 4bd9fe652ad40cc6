// A person who signed up without proving the address loses their memberships by it: a merchant with
// another owner goes on without them, one without is closed.

import { type Actor, systemActor } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import type { Tx } from '../../platform/db.ts'
import { changeStatus } from '../admin/change-status.ts'
import { voidInvitations } from '../members/invitations/void-invitations.ts'
import { deletePlace, type Place, shutMerchant } from './store.ts'

type Ending = Readonly<{ person_id: string; reason: string; actor?: Actor }>

/** A merchant that has another owner goes on. Call with the merchant locked. */
export async function endPlace(
  tx: Tx,
  { merchant_id, has_other_owner }: Place,
  { person_id, reason, actor = systemActor }: Ending,
): Promise<void> {
  const place = { merchant_id, person_id }
  if (!has_other_owner) {
    await changeStatus(tx, { id: merchant_id, status: 'SUSPENDED', reason }, { actor })
    await shutMerchant(tx, merchant_id)
  }
  await deletePlace(tx, place)
  await voidInvitations(tx, { ...place, role: null })
  await recordAct(tx, {
    merchant_id,
    environment: null,
    actor,
    action: 'member.removed',
    target_kind: 'member',
    target_id: person_id,
    before: { role: 'OWNER' },
    after: { reason },
  })
}
