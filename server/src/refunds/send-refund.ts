// Sends a refund: to the operator that collected the money, or, as a payout, route after route, the
// next one only after proof that the one before took nothing. Its first attempt is written already;
// a crash from here on leaves it to the pollers, which query before they send again.

import { acceptAttempt, acceptanceOf, sentOnce } from '../attempts/acceptance.ts'
import { endOfRoute } from '../attempts/attempt-end.ts'
import type { Cause } from '../attempts/evidence.ts'
import { keyAtGateway } from '../attempts/query-attempt.ts'
import { attemptSentOnce, endAttempts, insertAttempts } from '../attempts/statements.ts'
import { leaseSeconds, type RouteDeps, type RouteStep, tryRoutes } from '../attempts/try-routes.ts'
import { retryOnDeadlock } from '../platform/db.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, selectIds } from '../platform/sql.ts'
import { attemptOn, type Drafted } from './make-refund.ts'
import type { Refund } from './refund.ts'
import { descriptionOf, refundPurpose } from './refund-purpose.ts'
import { goesOn, noteRefundReference, refundAsDecided } from './statements.ts'

/** `since_ms`: when the statement that wrote its first attempt was sent. Unix milliseconds. */
export async function sendRefund(
  deps: RouteDeps,
  { refund, collected, plans }: Drafted,
  cause: Cause & Readonly<{ since_ms: number }>,
): Promise<void> {
  const { merchant_id, id: refund_id } = refund
  const of = keyAtGateway(collected.attempt)
  const sequence = {
    ...cause,
    merchant_id,
    plans,
    otp: undefined,
    description: descriptionOf(refund),
    return_url: '',
    refund: refund.method === 'OPERATOR' ? { refund_id, of } : undefined,
  }
  await tryRoutes(deps, sequence, {
    purpose: refundPurpose,
    recordWaiting: async (plan, waiting) => {
      const taken = acceptanceOf(deps, sentOnce(merchant_id, plan), waiting)
      const noted = noteRefundReference(deps.db, refund, taken.external_reference)
      await acceptAttempt(deps.db, noted, { ...taken, gate_id: refund_id })
      return { is: 'moved' }
    },
    recordNextRoute: (step) => recordNextRoute(deps, refund, step),
  })
}

/**
 * One statement: this route's end and the next one's attempt, unless another process has had it.
 */
async function recordNextRoute(deps: RouteDeps, refund: Refund, step: RouteStep): Promise<boolean> {
  const { db } = deps
  const { merchant_id, id } = refund
  const next = nextOf(deps, refund, step)
  const unmoved = refundAsDecided(db, refund)
  const same = attemptSentOnce(db, { merchant_id, id: step.from.id }, { when: unmoved })
  const gate = goesOn(db, { unmoved, when: same })
  const ended = endAttempts(db, [endOfRoute(step, { merchant_id, gate_id: id })], { when: gate })
  const made = insertAttempts(db, [next], { when: gate, after: ended })
  const parts = [unmoved, same, gate, ended, made]
  const rows = await retryOnDeadlock(() =>
    composed(homeOf(db, merchant_id), parts, selectIds(db, made)),
  )
  return rows.length > 0
}

const nextOf = (deps: RouteDeps, refund: Refund, { to, at }: RouteStep) =>
  attemptOn(refund, to, at + 2, leaseSeconds(deps, to.gateway_code))
