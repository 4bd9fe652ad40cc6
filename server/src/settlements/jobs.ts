// Due work of this folder: approved settlements that no gateway could take yet.

import { insertAttempts } from '../attempts/statements.ts'
import { nilId } from '../ledger/account.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import type { SendFacts } from '../planning/plan-promised.ts'
import { inTransaction, type Tx } from '../platform/db.ts'
import { notOnce } from '../platform/http/route.ts'
import type { Job } from '../platform/jobs/worker.ts'
import { homeOf } from '../platform/places/places.ts'
import { runWhole } from '../platform/sql.ts'
import { sendFactsFor } from './approve-settlement.ts'
import { plansNow } from './plan-settlement.ts'
import { sendSettlementsAgain, settlements_at_once } from './send-again.ts'
import { attemptOn, type SettlementRun, sendSettlement } from './send-settlement.ts'
import { moved } from './settlement.ts'
import { moveSettlement } from './statements.ts'
import { findSeen, listUnsent, lockToLeave, type OfAny } from './store.ts'

// Due work: settlements that were approved when no gateway could take them (no float, no route) are
// sent when one can. The transaction that moves the status, under the settlement's lock, writes the
// attempt: of several workers one sends. What staff have stopped goes on waiting.

const batch = 20

/** Every one that waits is considered: none that cannot go, or that fails, holds up another. */
export async function startApproved(deps: PaymentDeps): Promise<void> {
  const failures: unknown[] = []
  let after: string | undefined = nilId
  while (after !== undefined) {
    const waiting: OfAny[] = await listUnsent(deps.db, after, batch)
    const started = await Promise.allSettled(waiting.map((one) => sendIfPossible(deps, one)))
    failures.push(...started.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])))
    after = waiting.length < batch ? undefined : waiting.at(-1)?.id
  }
  if (failures.length > 0) throw failures[0]
}

async function sendIfPossible(deps: PaymentDeps, one: OfAny): Promise<void> {
  const seen = await findSeen(deps.db, one)
  if (seen === undefined) return
  const facts = await sendFactsFor(deps, seen.catalogue_version, seen.settlement)
  // Checked before the lock is taken, because most that wait cannot go yet.
  if (plansNow(facts, seen.settlement, seen.destination).length === 0) return
  const at = homeOf(deps.db, seen.settlement.merchant_id)
  const sending = await inTransaction(at, (tx) => writeFirstAttempt(tx, deps, one, facts))
  if (sending !== undefined) await sendSettlement(deps, sending)
}

async function writeFirstAttempt(
  tx: Tx,
  deps: PaymentDeps,
  one: OfAny,
  facts: SendFacts,
): Promise<SettlementRun | undefined> {
  const seen = await lockToLeave(tx, one, { writes: false })
  if (seen === undefined || seen.settlement.status !== 'APPROVED') return undefined
  if (seen.is_stopped || seen.is_frozen) return undefined
  const { settlement: before, destination, now } = seen
  const plans = plansNow(facts, before, destination)
  const [first] = plans
  if (first === undefined) return undefined
  const since_ms = deps.clock()
  const settlement = moved(before, ['PROCESSING'], now)
  const attempt = attemptOn(deps, settlement, first, 1)
  await runWhole(tx, moveSettlement(tx, { before, after: settlement }), 1)
  await runWhole(tx, insertAttempts(tx, [attempt], { customer_id: null }), 1)
  const { request_id } = settlement
  return { settlement, plans, since_ms, triggered_by: 'SYSTEM', request_id, once: notOnce }
}

export const settlementJobs = (deps: PaymentDeps): Job[] => [
  {
    name: 'start-approved-settlements',
    poll_ms: 5_000,
    async run() {
      await startApproved(deps)
      return 'rest'
    },
  },
  {
    name: 'send-settlements-again',
    poll_ms: 5_000,
    async run() {
      return (await sendSettlementsAgain(deps)) < settlements_at_once ? 'rest' : 'more'
    },
  },
]
