// Sends a settlement to its gateway, route after route, as a payout: the next one only after proof
// that the one before took nothing. Its first attempt is written already, with the move to
// PROCESSING; a crash from here on leaves it to the pollers, which query before they send again.

import { acceptAttempt, acceptanceOf, sentOnce } from '../attempts/acceptance.ts'
import type { AttemptPlan } from '../attempts/attempt.ts'
import { endOfRoute } from '../attempts/attempt-end.ts'
import type { TriggeredBy } from '../attempts/evidence.ts'
import {
  attemptSentOnce,
  endAttempts,
  insertAttempts,
  type NewAttempt,
} from '../attempts/statements.ts'
import { leaseSeconds, type RouteDeps, type RouteStep, tryRoutes } from '../attempts/try-routes.ts'
import { retryOnDeadlock } from '../platform/db.ts'
import type { Once } from '../platform/http/route.ts'
import { renewKey } from '../platform/idempotency/statements.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, selectIds } from '../platform/sql.ts'
import type { Settlement } from './settlement.ts'
import { settlementPurpose } from './settlement-purpose.ts'
import { goesOn, noteGatewayReference, settlementAsDecided } from './statements.ts'

export type SettlementRun = Readonly<{
  /** Its current state: PROCESSING, with the first of the plans as its attempt. */
  settlement: Settlement
  plans: readonly AttemptPlan[]
  /** When the statement that wrote the first was sent, by `clock`. Unix milliseconds. */
  since_ms: number
  triggered_by: TriggeredBy
  request_id: string
  once: Once
}>

export async function sendSettlement(deps: RouteDeps, run: SettlementRun): Promise<void> {
  const { settlement } = run
  const { merchant_id, reference } = settlement
  const routeRun = { ...run, merchant_id, otp: undefined, description: reference, return_url: '' }
  await tryRoutes(deps, routeRun, {
    purpose: settlementPurpose,
    recordWaiting: async (plan, waiting) => {
      const taken = acceptanceOf(deps, sentOnce(merchant_id, plan), waiting)
      const noted = noteGatewayReference(deps.db, settlement, taken.external_reference)
      await acceptAttempt(deps.db, noted, { ...taken, gate_id: settlement.id })
      return { is: 'moved' }
    },
    recordNextRoute: (step) => recordNextRoute(deps, run, step),
  })
}

/** Its attempt on a route, to be written by the statement that begins it. */
export function attemptOn(
  deps: RouteDeps,
  { merchant_id, environment, id }: Settlement,
  plan: AttemptPlan,
  priority: number,
): NewAttempt {
  const lease_s = leaseSeconds(deps, plan.gateway_code)
  return {
    merchant_id,
    environment,
    transaction_id: null,
    settlement_id: id,
    priority,
    plan,
    lease_s,
  }
}

/**
 * One statement: this route's end and the next one's attempt, unless another process has had it.
 */
async function recordNextRoute(
  deps: RouteDeps,
  { settlement, once }: SettlementRun,
  step: RouteStep,
): Promise<boolean> {
  const { db } = deps
  const { merchant_id, id } = settlement
  const next = attemptOn(deps, settlement, step.to, step.at + 2)
  const claim = { transaction_id: id, attempt_id: step.to.id, lease_s: next.lease_s }
  const unmoved = settlementAsDecided(db, settlement)
  const same = attemptSentOnce(db, { merchant_id, id: step.from.id }, { when: unmoved })
  const gate = goesOn(db, { unmoved, when: same })
  const ended = endAttempts(db, [endOfRoute(step, { merchant_id, gate_id: id })], { when: gate })
  const made = insertAttempts(db, [next], { when: gate, after: ended })
  const parts = [unmoved, same, gate, ended, made, renewKey(db, once, claim, { when: gate })]
  const rows = await retryOnDeadlock(() =>
    composed(homeOf(db, merchant_id), parts, selectIds(db, made)),
  )
  return rows.length > 0
}
