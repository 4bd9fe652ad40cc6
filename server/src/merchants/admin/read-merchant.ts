// One merchant as staff see him, with his people and what he has.

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

/** Refuses an id that is nobody's, and the house's. */
export async function readMerchant(sql: Sql, id: string): Promise<MerchantDetail> {
  const merchant = isUuid(id) ? await findMerchantRow(sql, id) : undefined
  if (merchant === undefined) throw noMerchant(id)
  const [members, balances] = await Promise.all([listMembersOf(sql, id), listBalancesOf(sql, id)])
  return { merchant, members, balances }
}

/** The same to change him: in a transaction he is held to its end. */
export async function holdMerchant(sql: Sql, id: string): Promise<MerchantRow> {
  const merchant = isUuid(id) ? await lockMerchantRow(sql, id) : undefined
  if (merchant === undefined) throw noMerchant(id)
  return merchant
}
