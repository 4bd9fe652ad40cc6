// Staff change a merchant: its name, its allowance of calls, the note on its KYC, how long a new
// payout method cools off. What is read with each call takes effect on the next request.

import { actorOfPerson, changedFields } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { requireNotDemo } from '../../catalogue/admin/require-not-demo.ts'
import { type Db, inTransaction, type Sql } from '../../platform/db.ts'
import type { Person } from '../../platform/http/route.ts'
import { isUuid } from '../../platform/ids.ts'
import { noMerchant } from '../merchant.ts'
import { setCoolingOffByStaff } from '../settings/cooling-off.ts'
import {
  type BalanceRow,
  findMerchantRow,
  listBalancesOf,
  listMembersOf,
  lockMerchantRow,
  type MemberRow,
  type MerchantChanges,
  type MerchantRow,
  updateMerchant,
} from './store.ts'

// One merchant as staff see it, with its people and its balances.

export type MerchantDetail = Readonly<{
  merchant: MerchantRow
  members: readonly MemberRow[]
  balances: readonly BalanceRow[]
}>

/** Refuses an unknown id, and the platform merchant's. */
export async function readMerchant(sql: Sql, id: string): Promise<MerchantDetail> {
  const merchant = isUuid(id) ? await findMerchantRow(sql, id) : undefined
  if (merchant === undefined) throw noMerchant(id)
  const [members, balances] = await Promise.all([listMembersOf(sql, id), listBalancesOf(sql, id)])
  return { merchant, members, balances }
}

/** The demo's administrator is shown no balance of LIVE, wherever they look (contract 3.3). */
export const seenBy = (
  { is_demo }: Pick<Person, 'is_demo'>,
  { balances, ...detail }: MerchantDetail,
): MerchantDetail => ({
  ...detail,
  balances: is_demo ? balances.filter(({ environment }) => environment === 'SANDBOX') : balances,
})

/** The same for a change: the merchant is locked until the transaction ends. */
export async function holdMerchant(sql: Sql, id: string): Promise<MerchantRow> {
  const merchant = isUuid(id) ? await lockMerchantRow(sql, id) : undefined
  if (merchant === undefined) throw noMerchant(id)
  return merchant
}

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
