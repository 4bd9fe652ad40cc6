// T1 of a settlement: its key, the record, the hold, its events and, where its amount needs no
// approval, its attempt together, or none of them. The statement that takes from the balance locks
// it, so no two outflows spend the same franc, and a freeze that came first is seen.

import { insertAttempts, type NewAttempt } from '../attempts/statements.ts'
import { systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
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
import { holdOf, type Settlement, sent } from './settlement.ts'
import { insertSettlement } from './statements.ts'
import { lockAutomatic } from './store.ts'
import { settlementEvent } from './view.ts'

export type NewSettlement = Readonly<{
  once: Once
  /** PENDING, as it is requested. */
  requested: Settlement
  /** APPROVED, where its amount needs no approval. */
  approved: Settlement | null
  /**
   * As long as the day's automatic ones, this one included, stay below this; else it waits for
   * staff.
   */
  auto_below: bigint
  /** Its attempt, where it is then sent at once. */
  attempt: NewAttempt | null
}>

/**
 * `made_waiting`: alone it needed no approval, but does together with what left before.
 * `balance_not_open`: it is frozen, or there is none. Then only the key was written.
 */
export type SettlementResult =
  | 'made'
  | 'made_waiting'
  | 'key_taken'
  | 'balance_not_open'
  | 'insufficient_balance'

export async function makeSettlement(db: Db, draft: NewSettlement): Promise<SettlementResult> {
  try {
    return await (draft.approved === null
      ? inTurn(db, draft.requested, () =>
          writeSettlement(homeOf(db, draft.requested.merchant_id), draft),
        )
      : beginApproved(db, draft, draft.approved))
  } catch (error) {
    if (isBalanceTooLow(error)) return 'insufficient_balance'
    throw error
  }
}

const beginApproved = (
  db: Db,
  draft: NewSettlement,
  approved: Settlement,
): Promise<SettlementResult> =>
  transactInTurn(db, approved, async (tx) => {
    const today = await lockAutomatic(tx, approved)
    if (today + approved.requested_amount >= draft.auto_below) {
      const result = await writeSettlement(tx, { ...draft, approved: null, attempt: null })
      return result === 'made' ? 'made_waiting' : result
    }
    const result = await writeSettlement(tx, draft)
    if (result === 'made') {
      await recordAct(tx, {
        merchant_id: approved.merchant_id,
        environment: approved.environment,
        actor: { ...systemActor, request_id: approved.request_id },
        action: 'settlement.approved',
        target_kind: 'settlement',
        target_id: approved.id,
        before: { status: draft.requested.status },
        after: { status: stateAfter(draft).status, automatic: true },
      })
    }
    return result
  })

/** Its state when all of it is written. */
export function stateAfter({ requested, approved, attempt }: NewSettlement): Settlement {
  if (approved === null) return requested
  return attempt === null ? approved : sent(approved)
}

// How long a replay waits for a call whose answer was not stored, where no gateway is involved.
const lease_alone_s = 10

async function writeSettlement(sql: Sql, draft: NewSettlement): Promise<SettlementResult> {
  const { once, requested, approved, attempt } = draft
  const { id } = requested
  const hold = { ...holdOf(requested), cause_kind: 'SETTLEMENT' as const, cause_id: id }
  const claim = {
    transaction_id: id,
    attempt_id: attempt?.plan.id ?? id,
    lease_s: attempt?.lease_s ?? lease_alone_s,
  }
  const events = [
    settlementEvent('settlement.requested', requested),
    ...(approved === null ? [] : [settlementEvent('settlement.approved', approved)]),
  ]
  const claimed = claimKeys(sql, [{ once, claim }])
  const unfrozen = lockUnfrozen(sql, hold, { when: claimed })
  const made = insertSettlement(sql, stateAfter(draft), { when: unfrozen })
  const gate = { when: made }
  const parts = [
    claimed,
    unfrozen,
    made,
    insertHold(sql, hold, gate),
    ...(attempt === null ? [] : [insertAttempts(sql, [attempt], gate)]),
    recordEvents(sql, events, gate),
  ]
  const [row] = await composed(sql, parts, selectReached(sql, claimed, made))
  if (row === undefined) return 'key_taken'
  return row['reached'] === true ? 'made' : 'balance_not_open'
}
