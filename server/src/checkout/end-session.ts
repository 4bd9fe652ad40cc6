// A session ends unpaid: cancelled by its merchant, or because its time is over. Never while a
// payment is under way (money 2); one that succeeds later still pays it.

import { type Actor, actorOf, systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { recordEvents } from '../events/statements.ts'
import { findNow, findSession, listDueSessions } from '../orders/order-statements.ts'
import type { Session } from '../orders/session.ts'
import { sessionEvent } from '../orders/session-event.ts'
import { endSession } from '../orders/statements.ts'
import { paymentErrors } from '../planning/errors.ts'
import { transactInTurn } from '../platform/batch-calls.ts'
import type { Db } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { runWhole } from '../platform/sql.ts'

export type EndDeps = Readonly<{ db: Db; wake: () => void }>

type End = Readonly<{ status: 'EXPIRED' | 'CANCELLED'; actor: Actor }>

/** False when it is no longer as it was read. */
async function endUnpaid({ db, wake }: EndDeps, before: Session, end: End): Promise<boolean> {
  const expired = end.status === 'EXPIRED'
  const ended = await transactInTurn(db, before, async (tx) => {
    const updated_at = await findNow(tx)
    const after = { ...before, status: end.status, version: before.version + 1, updated_at }
    const type = expired ? 'checkout_session.expired' : 'checkout_session.cancelled'
    if (!(await endSession(tx, after, { only_due: expired }))) return false
    await runWhole(tx, recordEvents(tx, [sessionEvent(type, after, { gate_id: after.id })]), 1)
    await recordAct(tx, {
      merchant_id: after.merchant_id,
      environment: after.environment,
      actor: end.actor,
      action: type,
      target_kind: 'checkout_session',
      target_id: after.id,
      before: { status: before.status },
      after: { status: after.status },
    })
    return true
  })
  if (ended) wake()
  return ended
}

const triesMax = 5

/** Refuses what has ended, and what is being paid; a rival's change is judged again. */
export async function cancelSession(
  deps: EndDeps,
  caller: Caller,
  first: Session,
): Promise<Session> {
  let session = first
  for (let tries = 1; tries <= triesMax; tries += 1) {
    if (session.status !== 'PENDING') throw refuse(paymentErrors.transaction_terminal)
    if (session.pending_payment !== null) {
      throw refuse(paymentErrors.payment_already_pending, { retry_after_s: 5 })
    }
    const done = await endUnpaid(deps, session, { status: 'CANCELLED', actor: actorOf(caller) })
    const now = await findSession(deps.db, session)
    assert(now !== undefined, 'a session does not go away')
    if (done) return now
    session = now
  }
  throw refuse(paymentErrors.payment_already_pending, { retry_after_s: 1 })
}

/**
 * Of each environment at most `limit` of those whose time is over, LIVE first: however many of
 * SANDBOX are over at once, no event of LIVE is behind more than that. Returns how many were due
 * where most were. One failure holds up none.
 */
export async function expireSessions(deps: EndDeps, limit: number): Promise<number> {
  const failures: unknown[] = []
  let most = 0
  for (const environment of ['LIVE', 'SANDBOX'] as const) {
    const due = await listDueSessions(deps.db, environment, limit)
    most = Math.max(most, due.length)
    for (const session of due) {
      const end = { status: 'EXPIRED', actor: systemActor } as const
      await endUnpaid(deps, session, end).catch((error) => failures.push(error))
    }
  }
  if (failures.length > 0) throw failures[0]
  return most
}
