// Due work: refunds that wait for a route (our float with an operator is used up, it is closed, or
// none may be taken) are sent, at growing intervals, until 72 hours are over. The transaction that
// ends the wait writes the attempt, under the payment's lock: of several workers one sends, and
// nothing leaves that people look into.

import { inTurns } from '../attempts/attempt.ts'
import { lockAttempt } from '../attempts/attempt-statements.ts'
import { insertAttempts } from '../attempts/statements.ts'
import { leaseSeconds } from '../attempts/try-routes.ts'
import { getCatalogueVersion } from '../catalogue/store.ts'
import type { Room } from '../gateways/read-balances.ts'
import { listTried, mayBePaid } from '../incidents/sent-again-statements.ts'
import { readDialects } from '../merchants/store.ts'
import { factsFor, type PaymentDeps } from '../planning/facts.ts'
import type { SendFacts } from '../planning/plan-promised.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { assert, Refusal } from '../platform/errors.ts'
import { homeOf } from '../platform/places/places.ts'
import { runWhole } from '../platform/sql.ts'
import { lockWaiting, requireMayLeave } from './decide-refund.ts'
import { keepLook } from './look-statements.ts'
import { attemptOn, type Drafted } from './make-refund.ts'
import { payoutWays, type Ways, waysOf } from './plan-refund.ts'
import { type Refund, type RefundKey, sendingWaits, waitsToBeSent } from './refund.ts'
import { sendRefund } from './send-refund.ts'
import { endRouteWait, noteWaitingFor } from './statements.ts'
import { claimSentAgain, findRefund, hastenSentAgain } from './store.ts'

/** One portion. */
export const refunds_at_once = 20

/** Returns how many were considered. */
export async function sendRefundsAgain(deps: PaymentDeps): Promise<number> {
  const due = await claimSentAgain(deps.db, refunds_at_once)
  const ended = await Promise.allSettled(due.map((key) => sendOrWait(deps, key)))
  const failed = ended.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return due.length
}

/** What may go by now is looked at now, and not when its next look was due. */
export async function hastenRefunds({ db, wake }: Hastening, room: Room): Promise<void> {
  if ((await hastenSentAgain(db, room)) > 0) wake('send-refunds-again')
}

type Hastening = Readonly<{ db: Db; wake: (job: string) => void }>

async function sendOrWait(deps: PaymentDeps, key: RefundKey): Promise<void> {
  const refund = await findRefund(deps.db, key)
  if (refund === undefined || !waitsToBeSent(refund.waiting_for)) return
  const { merchant_id } = refund
  const catalogue_version = await getCatalogueVersion(deps.db)
  const sandbox_dialects = await readDialects(deps.db, refund)
  const facts = await factsFor(deps, { merchant_id, catalogue_version, sandbox_dialects })
  if (refund.method === 'PAYOUT') {
    // Mostly none may be taken yet: that is seen without a lock.
    const ways = payoutWays(facts, refund)
    if (ways.plans.length === 0) return noteWhy(deps.db, refund, ways)
  }
  const since_ms = deps.clock()
  const drafted = await unlessStopped(() =>
    inTransaction(homeOf(deps.db, merchant_id), (tx) => draftAgain(tx, deps, { refund, facts })),
  )
  if (drafted === undefined) return
  const { request_id } = refund
  await sendRefund(deps, drafted, { since_ms, triggered_by: 'SYSTEM', request_id })
}

/**
 * Cancelled meanwhile, looked into, frozen: it goes on waiting, and its time runs out all the same.
 */
async function unlessStopped<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

type Again = Readonly<{ refund: Refund; facts: SendFacts }>

/** Undefined while no operator can take it, or its money may be there already. */
async function draftAgain(
  tx: Tx,
  deps: PaymentDeps,
  { refund, facts }: Again,
): Promise<Drafted | undefined> {
  const { before, payment } = await lockWaiting(tx, refund, sendingWaits)
  const { merchant_id, id, refund_of } = before
  const attempt = await lockAttempt(tx, { merchant_id, id: refund_of })
  assert(attempt !== undefined, `refund ${id} of no attempt`)
  await requireMayLeave(tx, before, payment)
  const attempts = { merchant_id, by: 'refund_id', id } as const
  if (await mayBePaid(tx, attempts)) return undefined
  const collected = { payment, attempt }
  const ways = waysOf(facts, collected, { ...before, one_at_a_time: false })
  const plans = inTurns(ways.plans, await listTried(tx, attempts))
  const [first] = plans
  if (first === undefined || !(await endRouteWait(tx, before))) return undefined
  const made = attemptOn(before, first, 1, leaseSeconds(deps, first.gateway_code))
  await runWhole(tx, insertAttempts(tx, [made], { customer_id: null }), 1)
  return { refund: { ...before, waiting_for: null }, collected, plans }
}

/** It goes on waiting, for what this look has found: mostly what it was before. */
async function noteWhy(db: Db, refund: Refund, { waits_for, passed_over }: Ways): Promise<void> {
  const reason = waits_for ?? 'NO_ROUTE'
  await keepLook(db, refund, { reason, passed_over })
  await noteWaitingFor(db, refund, reason)
}
