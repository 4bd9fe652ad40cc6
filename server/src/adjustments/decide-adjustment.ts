// The second person's decision on an adjustment, under its lock: of several who decide at the same
// time, one does. When it is confirmed, the transaction that moves its status books it, or nothing
// happens.

import type { AuditAction } from '../audit/actions.ts'
import { actorOfPerson } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { isBalanceTooLow } from '../ledger/holds/hold.ts'
import { debtOf } from '../ledger/read-balance.ts'
import { lockAvailable, postEntries } from '../ledger/statements.ts'
import { formatAmount } from '../money/format.ts'
import { requireProposer } from '../people/proposals/first-person.ts'
import { type RowOfAny, transactInTurnOfRow } from '../platform/batch-calls.ts'
import type { Db, Tx } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { runPart } from '../platform/sql.ts'
import { type Adjustment, balancePlace, linesOf, lowersDebt } from './adjustment.ts'
import { adjustmentErrors } from './errors.ts'
import { getAdjustment } from './request-adjustment.ts'
import { lockAdjustment, type MerchantsAdjustment, updateVerdict } from './store.ts'

/**
 * Refuses the person who requested it, a request of somebody who may not any more, and what the
 * balance or the debt does not cover.
 */
export async function confirmAdjustment(
  db: Db,
  person: Person,
  id: string,
): Promise<MerchantsAdjustment> {
  await transactInTurnOfRow(db, rowOf(person, id), async (tx) => {
    const before = await lockWaiting(tx, person, id)
    if (before.asked_by === person.person_id) {
      throw refuse(adjustmentErrors.second_person_required)
    }
    await requireProposer(tx, before.asked_by, 'balances')
    await book(tx, person, before)
    await recordDecision(tx, person, { before, action: 'adjustment.booked', after: 'BOOKED' })
  })
  return getAdjustment(db, person, id)
}

/** Refused by another, or withdrawn by the person who requested it. */
export async function refuseAdjustment(
  db: Db,
  person: Person,
  { id, reason }: Readonly<{ id: string; reason: string }>,
): Promise<MerchantsAdjustment> {
  await transactInTurnOfRow(db, rowOf(person, id), async (tx) => {
    const before = await lockWaiting(tx, person, id)
    const verdict = { to: 'REFUSED', by: person.person_id, refusal_reason: reason } as const
    assert(await updateVerdict(tx, before, verdict), 'refused under its lock')
    await recordDecision(tx, person, { before, action: 'adjustment.refused', after: 'REFUSED' })
  })
  return getAdjustment(db, person, id)
}

const rowOf = ({ environment }: Person, id: string): RowOfAny => ({
  table: 'adjustments',
  id,
  environment,
})

async function lockWaiting(tx: Tx, { environment }: Person, id: string): Promise<Adjustment> {
  const adjustment = await lockAdjustment(tx, { id, environment })
  if (adjustment === undefined) throw refuse(transportErrors.not_found)
  if (adjustment.status !== 'PENDING') throw refuse(adjustmentErrors.adjustment_decided)
  return adjustment
}

async function book(tx: Tx, person: Person, adjustment: Adjustment): Promise<void> {
  const { merchant_id, environment, id } = adjustment
  // Making or paying a debt requires this lock, so what is owed stays as it is read.
  await lockAvailable(tx, adjustment)
  if (lowersDebt(adjustment)) await requireOwed(tx, adjustment)
  const posting = {
    merchant_id,
    environment,
    gate_id: id,
    cause_kind: 'ADJUSTMENT' as const,
    cause_id: id,
    attempt_id: null,
    lines: linesOf(adjustment),
  }
  const verdict = { to: 'BOOKED', by: person.person_id, refusal_reason: '' } as const
  assert(await updateVerdict(tx, adjustment, verdict), 'booked under its lock')
  const entries = await runPart(tx, postEntries(tx, [posting])).catch((error: unknown) => {
    throw isBalanceTooLow(error) ? refuse(adjustmentErrors.insufficient_balance) : error
  })
  assert(entries === 1, 'an adjustment books one entry')
}

async function requireOwed(tx: Tx, adjustment: Adjustment): Promise<void> {
  const owed = await debtOf(tx, balancePlace(adjustment))
  if (adjustment.amount > owed) throw refuse(adjustmentErrors.debt_exceeded)
}

type DecisionRecord = Readonly<{ before: Adjustment; action: AuditAction; after: string }>

const recordDecision = (
  tx: Tx,
  person: Person,
  { before, action, after }: DecisionRecord,
): Promise<void> =>
  recordAct(tx, {
    merchant_id: before.merchant_id,
    environment: before.environment,
    actor: actorOfPerson(person),
    action,
    target_kind: 'adjustment',
    target_id: before.id,
    before: { status: before.status, asked_by: before.asked_by },
    after: { status: after, kind: before.kind, amount: formatAmount(before.amount) },
  })
