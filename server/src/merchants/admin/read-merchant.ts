// One merchant as staff see it, with its people and its balances.

import type { Sql } from '../../platform/db.ts'
import { isUuid } from '../../platform/ids.ts'
import { noMerchant } from '../get-merchant.ts'
import {
  type BalanceRow,
  findMerchantRow,
  listBalancesOf,
  listMembersOf,
  lockMerchantRow,
  type MemberRow,
  type MerchantRow,
} from './store.ts'

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

/** The same for a change: the merchant is locked until the transaction ends. */
export async function holdMerchant(sql: Sql, id: string): Promise<MerchantRow> {
  const merchant = isUuid(id) ? await lockMerchantRow(sql, id) : undefined
  if (merchant === undefined) throw noMerchant(id)
  return merchant
}
