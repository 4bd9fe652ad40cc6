// Staff approve a settlement. One that goes to a phone is given to a gateway: its attempt is
// written with the move, in one transaction, and sent after it; where no gateway can take it now it
// waits as APPROVED until one can. One for a bank waits for staff to pay it.

import { actorOfPerson } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { routesChosen } from '../gateways/routing.ts'
import { readDialects } from '../merchants/store.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import type { SendFacts } from '../planning/plan-promised.ts'
import { transactInTurn } from '../platform/batch-calls.ts'
import type { Tx } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import { notOnce, type Person } from '../platform/http/route.ts'
import {
  findLostApprover,
  lockToLeaveForStaff,
  requireMayLeave,
  requireNotEnded,
  writeDecision,
} from './decide-settlement.ts'
import { settlementErrors } from './errors.ts'
import { getSeenSettlement } from './get-settlement.ts'
import { plansNow } from './plan-settlement.ts'
import { attemptOn, type SettlementRun, sendSettlement } from './send-settlement.ts'
import { moved, type Settlement, sent } from './settlement.ts'
import { type Seen, updateApprover } from './store.ts'

/** Refuses a suspended merchant's, and what would leave a frozen balance. */
export async function approveSettlement(
  deps: PaymentDeps,
  person: Person,
  id: string,
): Promise<Seen> {
  const { catalogue_version, settlement } = await getSeenSettlement(deps.db, person, id)
  // Loaded before the lock is taken: nothing may wait for memory to fill under the lock.
  const facts = await sendFactsFor(deps, catalogue_version, settlement)
  const sending = await transactInTurn(deps.db, settlement, (tx) =>
    approve(tx, deps, { person, id, facts }),
  )
  deps.wake()
  if (sending !== undefined) await sendSettlement(deps, sending)
  return getSeenSettlement(deps.db, person, id)
}

/** Everything that the routes of a settlement are chosen by, from this process's memory. */
export async function sendFactsFor(
  deps: PaymentDeps,
  version: bigint,
  of: Pick<Settlement, 'merchant_id' | 'environment'>,
): Promise<SendFacts> {
  const [catalogue, routes, choices] = await Promise.all([
    deps.catalogue(version),
    deps.routes(version),
    readDialects(deps.db, of),
  ])
  const { gateways, health } = deps
  return { catalogue, routes: routesChosen(routes, choices), gateways, health }
}

type Approving = Readonly<{ person: Person; id: string; facts: SendFacts }>

async function approve(
  tx: Tx,
  deps: PaymentDeps,
  { person, id, facts }: Approving,
): Promise<SettlementRun | undefined> {
  const seen = await lockToLeaveForStaff(tx, person, { id, writes: false })
  const { settlement: before, destination, now } = seen
  requireNotEnded(before)
  if (before.status !== 'PENDING') return approveAgain(tx, person, seen)
  requireMayLeave(seen)
  await updateApprover(tx, before, person.person_id)
  const approved = moved(before, ['APPROVED'], now)
  const decision = {
    before,
    event: 'settlement.approved',
    event_state: approved,
    actor: actorOfPerson(person),
    act: 'settlement.approved',
  } as const
  const plans = plansNow(facts, before, destination)
  const [first] = plans
  if (first === undefined) {
    await writeDecision(tx, { ...decision, after: approved })
    return undefined
  }
  const since_ms = deps.clock()
  const settlement = sent(approved)
  const attempt = attemptOn(deps, settlement, first, 1)
  await writeDecision(tx, { ...decision, after: settlement, attempt })
  const { request_id } = person
  return { settlement, plans, since_ms, triggered_by: 'ADMIN', request_id, once: notOnce }
}

/**
 * Whoever approved it may not any more, so nobody may record that its bank has paid it: it gets an
 * approval that counts, and stays where it is. To fail one that the bank has paid by now would give
 * the money twice. Refuses every other that was approved.
 */
async function approveAgain(tx: Tx, person: Person, seen: Seen): Promise<undefined> {
  const { settlement, destination } = seen
  const takesTwo = settlement.environment === 'LIVE' && destination.type === 'BANK_ACCOUNT'
  const gone = takesTwo ? await findLostApprover(tx, settlement) : undefined
  if (gone === undefined) throw refuse(settlementErrors.settlement_already_approved)
  requireMayLeave(seen)
  await updateApprover(tx, settlement, person.person_id)
  const { status } = settlement
  await recordAct(tx, {
    merchant_id: settlement.merchant_id,
    environment: settlement.environment,
    actor: actorOfPerson(person),
    action: 'settlement.approved',
    target_kind: 'settlement',
    target_id: settlement.id,
    before: { status, approved_by: gone },
    after: { status },
  })
}
