// Sends a transaction to its gateway, route after route, and what is written between two calls:
// T2 when one took it and waits, the next route's attempt when one took nothing.

import { acceptanceOf, sentOnce, type WaitingAnswer } from '../attempts/acceptance.ts'
import type { AttemptPlan } from '../attempts/attempt.ts'
import { endOfRoute } from '../attempts/attempt-end.ts'
import { attemptSentOnce, endAttempts, insertAttempts } from '../attempts/statements.ts'
import {
  leaseSeconds,
  type RouteDeps,
  type RouteOutcome,
  type RouteSequence,
  type RouteStep,
  tryRoutes,
} from '../attempts/try-routes.ts'
import { retryOnDeadlock } from '../platform/db.ts'
import type { Environment, Once } from '../platform/http/route.ts'
import { renewKey } from '../platform/idempotency/statements.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, selectIds } from '../platform/sql.ts'
import { adoptedFrom } from './move.ts'
import { recordAccepted } from './record-accepted.ts'
import { adoptFigures, transactionAsDecided } from './statements.ts'
import { transactionPurpose } from './transaction-purpose.ts'

export type TransactionRun = RouteSequence &
  Readonly<{
    environment: Environment
    transaction_id: string
    /** The version under which the transaction is PENDING now. */
    version: number
    first_priority: number
    once: Once
    /** What is answered (and stored in the same statement) when a gateway took it and waits. */
    answerWaiting: (plan: AttemptPlan, waiting: WaitingAnswer) => { status: number; json: string }
  }>

export const sendTransaction = (deps: RouteDeps, run: TransactionRun): Promise<RouteOutcome> =>
  tryRoutes(deps, run, {
    purpose: transactionPurpose,
    recordWaiting: (plan, waiting) => recordWaiting(deps, run, plan, waiting),
    recordNextRoute: (step) => recordNextRoute(deps, run, step),
  })

async function recordWaiting(
  deps: RouteDeps,
  run: TransactionRun,
  plan: AttemptPlan,
  waiting: WaitingAnswer,
): Promise<RouteOutcome> {
  const answer = run.answerWaiting(plan, waiting)
  const { merchant_id, environment, transaction_id, version, once } = run
  const { external_reference } = waiting
  const accepted = {
    ...acceptanceOf(deps, sentOnce(merchant_id, plan), waiting),
    gate_id: transaction_id,
  }
  const noted = { merchant_id, id: transaction_id, version, external_reference }
  const done = await recordAccepted(deps.db, { environment, noted, accepted, once, answer })
  return done ? { is: 'waiting', reply: answer } : { is: 'moved' }
}

/**
 * One statement: this route's end, the figures of the next one, and its attempt. Not when another
 * process has had the attempt meanwhile (this one slept): that process may have sent it again.
 */
async function recordNextRoute(
  deps: RouteDeps,
  run: TransactionRun,
  step: RouteStep,
): Promise<boolean> {
  const { db } = deps
  const { merchant_id, environment, transaction_id, version } = run
  const { from, to } = step
  const lease_s = leaseSeconds(deps, to.gateway_code)
  const attempt = {
    merchant_id,
    environment,
    transaction_id,
    priority: run.first_priority + step.at + 1,
    plan: to,
    lease_s,
  }
  const key = { merchant_id, id: transaction_id, version }
  const unmoved = transactionAsDecided(db, key)
  const same = attemptSentOnce(db, { merchant_id, id: from.id }, { when: unmoved })
  const adopted = adoptFigures(db, key, adoptedFrom(to), { when: same })
  const gate = { when: adopted }
  const ended = endAttempts(db, [endOfRoute(step, { merchant_id, gate_id: transaction_id })], gate)
  const made = insertAttempts(db, [attempt], { ...gate, after: ended })
  const claim = { transaction_id, attempt_id: to.id, lease_s }
  const parts = [unmoved, same, adopted, ended, made, renewKey(db, run.once, claim, gate)]
  const rows = await retryOnDeadlock(() =>
    composed(homeOf(db, merchant_id), parts, selectIds(db, made)),
  )
  return rows.length > 0
}
