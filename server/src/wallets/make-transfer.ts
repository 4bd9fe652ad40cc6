// T1 of a transfer: its key, the record, the hold and the event together, or none of them. The
// statement that takes from the balance locks it, so no two outflows spend the same franc, and a
// freeze that came first is seen. One that needs no approval is booked in the same transaction: no
// crash can leave it waiting.

import { recordEvents } from '../events/statements.ts'
import { isBalanceTooLow } from '../ledger/holds/hold.ts'
import { insertHold } from '../ledger/holds/statements.ts'
import { lockUnfrozen } from '../ledger/statements.ts'
import { inTurn, transactInTurn } from '../platform/batch-calls.ts'
import type { Db, Sql } from '../platform/db.ts'
import type { Once } from '../platform/http/route.ts'
import { claimKeys } from '../platform/idempotency/statements.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, selectReached } from '../platform/sql.ts'
import { completeTransfer } from './complete-transfer.ts'
import { insertTransfer } from './statements.ts'
import { lockAutomatic, lockBalances } from './store.ts'
import { holdOf, type Transfer } from './transfer.ts'
import { transferEvent } from './view.ts'

export type NewTransfer = Readonly<{
  once: Once
  transfer: Transfer
  /**
   * It needs no approval while the day's automatic ones, this one included, stay below this. Null:
   * it does.
   */
  auto_below: bigint | null
}>

/** `balance_not_open`: it is frozen, or there is none. Nothing but the key was written then. */
export type TransferResult =
  | Readonly<{ is: 'made'; transfer: Transfer }>
  | Readonly<{ is: 'key_taken' | 'balance_not_open' | 'insufficient_balance' }>

export async function makeTransfer(db: Db, draft: NewTransfer): Promise<TransferResult> {
  try {
    return await (draft.auto_below === null
      ? inTurn(db, draft.transfer, () =>
          writeTransfer(homeOf(db, draft.transfer.merchant_id), draft),
        )
      : makeAndComplete(db, draft, draft.auto_below))
  } catch (error) {
    if (isBalanceTooLow(error)) return { is: 'insufficient_balance' }
    throw error
  }
}

/**
 * Both balances first, by id: two transfers the opposite ways do not wait for each other. Before
 * them, the merchant's automatic ones: split into small parts a large one still waits for staff.
 */
const makeAndComplete = (db: Db, draft: NewTransfer, auto_below: bigint): Promise<TransferResult> =>
  transactInTurn(db, draft.transfer, async (tx) => {
    const { transfer } = draft
    const today = await lockAutomatic(tx, transfer)
    await lockBalances(tx, transfer)
    const result = await writeTransfer(tx, draft)
    if (result.is !== 'made' || today + transfer.from_amount >= auto_below) return result
    const now = transfer.created_at
    return { is: 'made', transfer: await completeTransfer(tx, transfer, { by: null, now }) }
  })

// How long a replay waits for a call whose answer was not stored: there is no gateway to wait for.
const lease_s = 10

async function writeTransfer(sql: Sql, { once, transfer }: NewTransfer): Promise<TransferResult> {
  const { id } = transfer
  const hold = { ...holdOf(transfer), cause_kind: 'TRANSFER' as const, cause_id: id }
  const claim = { transaction_id: id, attempt_id: id, lease_s }
  const event = transferEvent('wallet_transfer.requested', transfer)
  const claimed = claimKeys(sql, [{ once, claim }])
  const unfrozen = lockUnfrozen(sql, hold, { when: claimed })
  const made = insertTransfer(sql, transfer, { when: unfrozen })
  const placed = insertHold(sql, hold, { when: made })
  const parts = [claimed, unfrozen, made, placed, recordEvents(sql, [event], { when: made })]
  const [row] = await composed(sql, parts, selectReached(sql, claimed, made))
  if (row === undefined) return { is: 'key_taken' }
  return row['reached'] === true ? { is: 'made', transfer } : { is: 'balance_not_open' }
}
