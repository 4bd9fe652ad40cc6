// Due work: payouts that wait for an operator (its float, its hours, its health) are sent when one
// can take them again, and given up when none could for too long. The statement that ends the wait
// writes the attempt, so of several workers one sends; a payout that fails is tried less often and
// holds up no other, and merchants take turns.

import { inTurns } from '../attempts/attempt.ts'
import { insertAttempts, type NewAttempt } from '../attempts/statements.ts'
import { systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import type { Room } from '../gateways/read-balances.ts'
import { hasUndecided, listTried } from '../incidents/sent-again-statements.ts'
import { readDialects } from '../merchants/store.ts'
import { factsFor, type PaymentDeps } from '../planning/facts.ts'
import { isAboveEveryLimit, planPromised } from '../planning/plan-promised.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import type { OnFault } from '../platform/jobs/troubles.ts'
import { homeOf } from '../platform/places/places.ts'
import { runPart, runWhole } from '../platform/sql.ts'
import { firstAttempt } from '../transactions/begin-transaction.ts'
import { failUnsent } from '../transactions/fail-unsent.ts'
import { lockUnsent, transactionAsDecided } from '../transactions/statements.ts'
import { findTransaction } from '../transactions/store.ts'
import type { Transaction } from '../transactions/transaction.ts'
import {
  claimDueWaits,
  type DueWait,
  endWait,
  hastenWaits,
  isLongSo,
  lockToLeave,
  mayLeave,
  noteWaiting,
  putWaitOff,
  waits_at_most_h,
} from '../transactions/wait-statements.ts'
import { sendLater } from './initiate-payout.ts'
import { opensAt, sendable, waitedFor } from './plan-payout.ts'

/** One portion. */
export const waits_at_once = 20

/**
 * Returns how many were considered. What one of them failed at is shown to `onFault`, and
 * thrown where there is none: they have all been looked at by then.
 */
export async function startWaiting(deps: PaymentDeps, onFault: OnFault = rethrow): Promise<number> {
  const due = await claimDueWaits(deps.db, waits_at_once)
  const leaving = due.filter(({ may_leave }) => may_leave)
  const ended = await Promise.allSettled(leaving.map((wait) => startOrPutOff(deps, wait)))
  for (const [at, one] of ended.entries()) {
    if (one.status === 'rejected') onFault(`payout ${leaving[at]?.transaction_id}`, one.reason)
  }
  return due.length
}

const rethrow: OnFault = (_about, error) => {
  throw error
}

/** What may go out by now is looked at now, and not when its next look was due. */
export async function hastenWaiting(
  { db, wake }: Readonly<{ db: Db; wake: (job: string) => void }>,
  room: Room,
): Promise<void> {
  if ((await hastenWaits(db, room)) > 0) wake('start-waiting-payouts')
}

async function startOrPutOff(deps: PaymentDeps, wait: DueWait): Promise<void> {
  try {
    await sendOrWait(deps, wait)
  } catch (error) {
    await putWaitOff(deps.db, wait, 'FAILED')
    throw error
  }
}

async function sendOrWait(deps: PaymentDeps, wait: DueWait): Promise<void> {
  const { merchant_id, transaction_id: id, catalogue_version } = wait
  const sandbox_dialects = await readDialects(deps.db, wait)
  const transaction = await findTransaction(deps.db, { merchant_id, id })
  if (transaction === undefined) return
  if (transaction.status !== 'PENDING') return dropWait(deps.db, transaction, wait)
  if (wait.is_over) return giveUp(deps, transaction, { wait, ...outOfTime })
  const facts = await factsFor(deps, { merchant_id, catalogue_version, sandbox_dialects })
  const { plans: planned, passed_over } = planPromised(facts, transaction)
  if (planned.length === 0) {
    // Waiting ends nothing of that: as it would be refused if it were made now, it ends.
    const is_above_limits = isAboveEveryLimit(facts, transaction)
    const isInVain = is_above_limits && (await isLongSo(deps.db, wait))
    if (isInVain) return giveUp(deps, transaction, { wait, ...aboveLimits })
    return putWaitOff(deps.db, wait, { passed_over, is_above_limits })
  }
  const tried = await listTried(deps.db, { merchant_id, by: 'transaction_id', id })
  const [first, ...others] = inTurns(sendable(planned), tried)
  if (first === undefined) {
    const opens_ms = opensAt(planned)
    return noteWaiting(deps.db, wait, { reason: waitedFor(planned), passed_over, opens_ms })
  }
  const attempt = firstAttempt(deps, transaction, first)
  const since_ms = deps.clock()
  const is_sent = await inTransaction(homeOf(deps.db, merchant_id), (tx) =>
    leave(tx, { wait, transaction, attempt }),
  )
  if (!is_sent) return
  const plans = [first, ...others]
  await sendLater(deps, transaction, { plans, since_ms, triggered_by: 'SYSTEM', request_id: '' })
}

type Leaving = Readonly<{ wait: DueWait; transaction: Transaction; attempt: NewAttempt }>

/**
 * Ends the wait and writes the attempt; false while staff have stopped the payout, or where it may
 * have been paid, and when another worker has sent it. All locks are taken before it looks.
 */
async function leave(tx: Tx, { wait, transaction, attempt }: Leaving): Promise<boolean> {
  const unsent = await lockUnsent(tx, transaction)
  if (unsent === undefined) return false
  await lockToLeave(tx, wait, transaction.country_code)
  if (!(await mayLeave(tx, wait))) return false
  if ((await runPart(tx, endWait(tx, wait))) === 0) return false
  await runWhole(tx, insertAttempts(tx, [attempt], unsent), 1)
  return true
}

/** An operator that had refused it paid it after all, or people closed it: it waits no more. */
const dropWait = (db: Db, transaction: Transaction, wait: DueWait): Promise<void> =>
  inTransaction(homeOf(db, transaction.merchant_id), async (tx) => {
    if ((await runPart(tx, transactionAsDecided(tx, transaction))) === 0) return
    await runPart(tx, endWait(tx, wait))
  })

const outOfTime = {
  failure_code: 'EXPIRED',
  reason: `no operator could pay it within ${waits_at_most_h} hours`,
} as const

const aboveLimits = {
  failure_code: 'LIMIT_REACHED',
  reason: 'every account that could pay it has a limit below it by now',
} as const

type GivingUp = (typeof outOfTime | typeof aboveLimits) & Readonly<{ wait: DueWait }>

/** No operator has received it, so its money goes back at once. */
async function giveUp(
  deps: Pick<PaymentDeps, 'db' | 'wake'>,
  transaction: Transaction,
  { wait, failure_code, reason }: GivingUp,
): Promise<void> {
  const { merchant_id, environment, id } = transaction
  const end = { failure_code, reason, triggered_by: 'SYSTEM' as const, request_id: '' }
  await inTransaction(homeOf(deps.db, merchant_id), async (tx) => {
    if ((await runPart(tx, transactionAsDecided(tx, transaction))) === 0) return
    // An operator that had refused it may have paid it after all: it, or people, say so first.
    if (await hasUndecided(tx, { merchant_id, by: 'transaction_id', id })) return
    if ((await runPart(tx, endWait(tx, wait))) === 0) return
    // A payout without its wait would hold its money for ever.
    assert(await failUnsent(tx, transaction, end), `payout ${id} waits no more and did not move`)
    await recordAct(tx, {
      merchant_id,
      environment,
      actor: systemActor,
      action: 'payout.expired',
      target_kind: 'transaction',
      target_id: id,
    })
  })
  deps.wake()
}
