// Staff have paid a settlement by bank: its hold is spent, and the bank's reference is kept with
// it. Written once, however often it is reported.

import { actorOfPerson } from '../audit/audit.ts'
import { bankSettlementSuccess } from '../ledger/postings.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { settlementErrors } from './errors.ts'
import { getSeenSettlement } from './get-settlement.ts'
import { figuresOf, moved, placeOf, type Settlement } from './settlement.ts'
import { findApprover, type Seen } from './store.ts'
import { lockForStaff, requireMayLeave, requireNotEnded, writeDecision } from './write-decision.ts'

export type DecideDeps = Readonly<{
  db: Db
  /** After a commit that wrote an event. */
  wake: () => void
}>

export type Execution = Readonly<{
  id: string
  gateway_reference: string
  proof_url: string | undefined
}>

export async function executeSettlement(
  { db, wake }: DecideDeps,
  person: Person,
  execution: Execution,
): Promise<Seen> {
  await inTransaction(db, (tx) => execute(tx, person, execution))
  wake()
  return getSeenSettlement(db, person, execution.id)
}

async function execute(
  tx: Tx,
  person: Person,
  { id, gateway_reference, proof_url }: Execution,
): Promise<void> {
  const seen = await lockForStaff(tx, person, id)
  const { settlement: before, destination, now } = seen
  if (destination.type !== 'BANK_ACCOUNT') throw refuse(settlementErrors.settlement_not_by_bank)
  requireNotEnded(before)
  if (before.status === 'PENDING') throw refuse(settlementErrors.settlement_not_approved)
  requireMayLeave(seen)
  await requireAnother(tx, person, before)
  const after = moved(before, ['PROCESSING', 'SUCCESS'], now, {
    gateway_reference,
    proof_url: proof_url ?? before.proof_url,
  })
  await writeDecision(tx, {
    before,
    after,
    event: 'settlement.success',
    hold: { how: 'SPEND', on: spentBy(before) },
    actor: actorOfPerson(person),
    act: 'settlement.executed',
    more: { gateway_reference },
  })
}

/**
 * Real money: the person who approved it may not pay it too. Sandbox money needs no second person.
 */
async function requireAnother(tx: Tx, person: Person, settlement: Settlement): Promise<void> {
  if (settlement.environment !== 'LIVE') return
  const approver = await findApprover(tx, settlement)
  if (approver === person.person_id) throw refuse(settlementErrors.same_person)
}

const spentBy = (settlement: Settlement) => ({
  cause_kind: 'SETTLEMENT' as const,
  cause_id: settlement.id,
  attempt_id: null,
  lines: bankSettlementSuccess(placeOf(settlement), figuresOf(settlement)),
})
