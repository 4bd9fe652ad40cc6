// The balances under which made-up history is booked.

import type { Sql, Tx } from '../platform/db.ts'
import { homeOf } from '../platform/places/places.ts'
import { balanceId, type Place } from './account.ts'

export type BalanceState = { available: bigint; entry_no: bigint }

/**
 * When the available balance of a place was moved last, if it ever was: nothing can be booked
 * before it, because each entry has the balance after it.
 */
export async function findLastMovement(sql: Sql, place: Place): Promise<Date | undefined> {
  const { merchant_id, environment, country } = place
  const [row] = await homeOf(sql, merchant_id)<{ created_at: Date }[]>`
    select created_at from ledger_entries
     where merchant_id = ${merchant_id} and environment = ${environment} and country = ${country}
       and entry_no is not null
     order by created_at desc, id desc limit 1`
  return row?.created_at
}

/** The balance of a place, made if it is not there, and locked. */
export async function lockBalance(tx: Tx, place: Place): Promise<BalanceState> {
  const { merchant_id, environment, country, currency } = place
  await tx`
    insert into balances (merchant_id, id, environment, country, currency)
    values (${merchant_id}, ${balanceId(place)}, ${environment}, ${country}, ${currency})
    on conflict do nothing`
  const [row] = await tx<BalanceState[]>`
    select available, entry_no from balances
     where merchant_id = ${merchant_id} and environment = ${environment} and country = ${country}
       for update`
  return row ?? { available: 0n, entry_no: 0n }
}

export async function updateBalance(tx: Tx, place: Place, state: BalanceState): Promise<void> {
  await tx`
    update balances
       set available = ${state.available}, entry_no = ${state.entry_no}, updated_at = now()
     where merchant_id = ${place.merchant_id} and environment = ${place.environment}
       and country = ${place.country}`
}

/** Which of these accounts are there. */
export async function listAccounts(tx: Tx, merchant_id: string): Promise<Set<string>> {
  const rows = await tx<{ id: string }[]>`
    select id from accounts where merchant_id = ${merchant_id}`
  return new Set(rows.map(({ id }) => id))
}
