// Staff change a merchant: its name, its allowance of calls, the note on its KYC, how long a new
// payout method cools off. What is read with each call takes effect on the next request.

import { actorOfPerson } from '../../audit/audit.ts'
import { changedFields } from '../../audit/changed-fields.ts'
import { recordAct } from '../../audit/record-act.ts'
import { requireNotDemo } from '../../catalogue/admin/require-not-demo.ts'
import { type Db, inTransaction } from '../../platform/db.ts'
import type { Person } from '../../platform/http/route.ts'
import { setCoolingOffByStaff } from '../cooling-off/change-cooling-off.ts'
import { holdMerchant } from './read-merchant.ts'
import { type MerchantChanges, type MerchantRow, updateMerchant } from './store.ts'

export type { MerchantChanges }

const auditView = (merchant: MerchantRow) => ({
  name: merchant.name,
  rate_limit_per_minute: merchant.rate_limit_per_minute,
  kyc_note: merchant.kyc_note,
  cooling_off_hours: merchant.cooling_off_hours,
})

export const changeMerchant = (
  db: Db,
  person: Person,
  { id, ...changes }: MerchantChanges & Readonly<{ id: string }>,
): Promise<void> =>
  inTransaction(db, async (tx) => {
    await requireNotDemo(tx, person)
    const was = auditView(await holdMerchant(tx, id))
    await updateMerchant(tx, id, changes)
    const { cooling_off_hours } = changes
    if (cooling_off_hours !== undefined) await setCoolingOffByStaff(tx, id, cooling_off_hours)
    const changed = changedFields(was, auditView(await holdMerchant(tx, id)))
    if (changed === undefined) return
    await recordAct(tx, {
      merchant_id: id,
      environment: null,
      actor: actorOfPerson(person),
      action: 'merchant.changed',
      target_kind: 'merchant',
      target_id: id,
      ...changed,
    })
  })
