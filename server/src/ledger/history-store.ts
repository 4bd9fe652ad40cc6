// The balances under which made-up history is booked.

import type { Tx } from '../platform/db.ts'
import { balanceId, type Place } from './account.ts'

export type BalanceState = { available: bigint; entry_no: bigint }

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
