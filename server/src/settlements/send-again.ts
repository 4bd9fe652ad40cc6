// Due work: settlements whose operator has taken nothing for want of our float are sent again, at
// growing intervals; after 72 hours they fail. The transaction that ends the wait, under the
// settlement's lock, writes the attempt or releases the hold: of several workers one does it.

import { inTurns } from '../attempts/attempt.ts'
import { failureText } from '../attempts/failure-texts.ts'
import { insertAttempts } from '../attempts/statements.ts'
import { systemActor } from '../audit/audit.ts'
import type { Room } from '../gateways/read-balances.ts'
import { listTried, mayBePaid } from '../incidents/sent-again-statements.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import type { SendFacts } from '../planning/plan-promised.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { notOnce } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'
import { runWhole } from '../platform/sql.ts'
import { sendFactsFor } from './approve-settlement.ts'
import { mayBeEnded, writeDecision } from './decide-settlement.ts'
import { plansNow } from './plan-settlement.ts'
import { attemptOn, type SettlementRun, sendSettlement } from './send-settlement.ts'
import { moved } from './settlement.ts'
import { endFloatWait } from './statements.ts'
import {
  claimSentAgain,
  findSeen,
  hastenSentAgain,
  lockSeen,
  lockToLeave,
  type SentAgain,
} from './store.ts'

/** One portion. */
export const settlements_at_once = 20

/** Returns how many were considered. */
export async function sendSettlementsAgain(deps: PaymentDeps): Promise<number> {
  const due = await claimSentAgain(deps.db, settlements_at_once)
  const ended = await Promise.allSettled(due.map((one) => sendOrEnd(deps, one)))
  const failed = ended.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return due.length
}

/**
 * What may go by now is looked at now, and not when its next look was due; so is what was approved
 * while no operator could take it.
 */
export async function hastenSettlements({ db, wake }: Hastening, room: Room): Promise<void> {
  wake('start-approved-settlements')
  if ('waited_for' in room && room.waited_for !== 'GATEWAY_FLOAT') return
  if ((await hastenSentAgain(db, room)) > 0) wake('send-settlements-again')
}

type Hastening = Readonly<{ db: Db; wake: (job: string) => void }>

async function sendOrEnd(deps: PaymentDeps, one: SentAgain): Promise<void> {
  if (one.is_over) return giveUp(deps, one)
  const seen = await findSeen(deps.db, one)
  if (seen === undefined) return
  const facts = await sendFactsFor(deps, seen.catalogue_version, seen.settlement)
  const at = homeOf(deps.db, one.merchant_id)
  const sending = await inTransaction(at, (tx) => writeAgain(tx, deps, one, facts))
  if (sending !== undefined) await sendSettlement(deps, sending)
}

/** Undefined while no operator can take it, staff have stopped it, or its money may be there. */
async function writeAgain(
  tx: Tx,
  deps: PaymentDeps,
  one: SentAgain,
  facts: SendFacts,
): Promise<SettlementRun | undefined> {
  const seen = await lockToLeave(tx, one, { writes: false })
  if (seen === undefined || seen.settlement.waits_until === null) return undefined
  if (seen.is_stopped || seen.is_frozen) return undefined
  const { merchant_id, id, request_id } = seen.settlement
  const attempts = { merchant_id, by: 'settlement_id', id } as const
  if (await mayBePaid(tx, attempts)) return undefined
  const planned = plansNow(facts, seen.settlement, seen.destination)
  const plans = inTurns(planned, await listTried(tx, attempts))
  const [first] = plans
  if (first === undefined || !(await endFloatWait(tx, seen.settlement))) return undefined
  const since_ms = deps.clock()
  const settlement = { ...seen.settlement, waits_until: null }
  const attempt = attemptOn(deps, settlement, first, 1)
  await runWhole(tx, insertAttempts(tx, [attempt], { customer_id: null }), 1)
  return { settlement, plans, since_ms, triggered_by: 'SYSTEM', request_id, once: notOnce }
}

/**
 * No operator has received it, so its money goes back; not while one's last word is still to come.
 */
async function giveUp({ db, wake }: PaymentDeps, one: SentAgain): Promise<void> {
  await inTransaction(homeOf(db, one.merchant_id), async (tx) => {
    const seen = await lockSeen(tx, one)
    if (seen === undefined || !(await mayBeEnded(tx, seen.settlement))) return
    const { settlement: before, now } = seen
    const failure_code = 'EXPIRED'
    const failure_reason = failureText(failure_code, 'en')
    await writeDecision(tx, {
      before,
      after: moved(before, ['FAILED'], now, { failure_code, failure_reason }),
      event: 'settlement.failed',
      hold: { how: 'RELEASE' },
      actor: systemActor,
      act: 'settlement.expired',
    })
  })
  wake()
}
