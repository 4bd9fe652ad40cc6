// A decision of staff or of the merchant about a settlement that waits: under the settlement's own
// lock, so of several who decide at the same time one does; with the move, its event, the end of
// the hold and the line of the audit log in one transaction, or none of it.

import { insertAttempts, type NewAttempt } from '../attempts/statements.ts'
import type { Actor } from '../audit/audit.ts'
import { recordAct } from '../audit/record-act.ts'
import { recordEvents } from '../events/statements.ts'
import type { HoldEnd } from '../ledger/holds/hold.ts'
import { insertHoldEnd } from '../ledger/holds/statements.ts'
import { payoutErrors } from '../payouts/errors.ts'
import type { Tx } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { runWhole } from '../platform/sql.ts'
import { settlementErrors } from './errors.ts'
import { holdOf, type Settlement } from './settlement.ts'
import { type SettlementEventType, settlementEvent } from './settlement-event.ts'
import { moveSettlement } from './statements.ts'
import { lockSeen, type Seen } from './store.ts'

export type SettlementDecision = Readonly<{
  before: Settlement
  after: Settlement
  event: SettlementEventType
  /** The state that the event reports, where the move continues at once. */
  event_state?: Settlement
  hold?: HoldEnd
  attempt?: NewAttempt
  actor: Actor
  /** `settlement.…` */
  act: string
  /** Further new facts, for the audit log. */
  more?: Readonly<Record<string, unknown>>
}>

/** A settlement has no customer. */
const ofNobody = { customer_id: null }

/** The caller has the settlement's lock and has read `before` under it. */
export async function writeDecision(tx: Tx, decision: SettlementDecision): Promise<void> {
  const { before, after, hold, attempt } = decision
  const event = settlementEvent(decision.event, decision.event_state ?? after)
  await runWhole(tx, moveSettlement(tx, { before, after }), 1)
  if (hold !== undefined) await runWhole(tx, insertHoldEnd(tx, holdOf(before), hold), 1)
  if (attempt !== undefined) await runWhole(tx, insertAttempts(tx, [attempt], ofNobody), 1)
  await runWhole(tx, recordEvents(tx, [event]), 1)
  await recordAct(tx, {
    merchant_id: before.merchant_id,
    environment: before.environment,
    actor: decision.actor,
    action: decision.act,
    target_kind: 'settlement',
    target_id: before.id,
    before: { status: before.status },
    after: { status: after.status, ...decision.more },
  })
}

/** For staff, in the environment that they look at; elsewhere it is not found. */
export async function lockForStaff(
  tx: Tx,
  { environment }: Pick<Person, 'environment'>,
  id: string,
): Promise<Seen> {
  const seen = await lockSeen(tx, { id, environment })
  if (seen === undefined) throw refuse(transportErrors.not_found)
  return seen
}

/**
 * Nothing leaves that staff have stopped: a suspended merchant, a frozen balance (contract 3.5,
 * 5.12).
 */
export function requireMayLeave({ is_suspended, is_frozen }: Seen): void {
  if (is_suspended) throw refuse(settlementErrors.merchant_suspended)
  if (is_frozen) throw refuse(payoutErrors.balance_frozen)
}

export function requireNotEnded({ status }: Settlement): void {
  if (status === 'SUCCESS' || status === 'FAILED' || status === 'CANCELLED') {
    throw refuse(settlementErrors.transaction_terminal)
  }
}
