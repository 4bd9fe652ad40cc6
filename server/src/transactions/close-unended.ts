// Closes a payment that its gateway has not ended (fifth wrong code, query time over): the
// transaction becomes FAILED, the attempt stays UNKNOWN and is still queried, and if the payer pays
// after all it is a late success.

import { endOf } from '../attempts/attempt-end.ts'
import type { TriggeredBy } from '../attempts/evidence.ts'
import { endAttempts } from '../attempts/statements.ts'
import { recordEvents } from '../events/statements.ts'
import type { FailureCode } from '../gateways/gateway.ts'
import { unknownOutcome } from '../incidents/open-unknown.ts'
import { openIncident } from '../incidents/statements.ts'
import { freeTarget, lockTarget, targetOf } from '../orders/statements.ts'
import { type Db, retryOnDeadlock } from '../platform/db.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, selectIds } from '../platform/sql.ts'
import { incidentEvent } from './incident-event.ts'
import { asMoved, eventOf, moveOf } from './move.ts'
import { moveStatus } from './statements.ts'
import type { TransactionContext } from './store.ts'

export type Closure = Readonly<{
  failure_code: FailureCode
  reason: string
  triggered_by: TriggeredBy
  request_id: string
  ask_after_s: number
  /** Also open an OUTCOME_UNKNOWN incident, which books nothing because nothing is known. */
  incident: boolean
}>

/** False when the payment moved meanwhile, so it must be read again. */
export async function closeUnended(
  { db, wake }: { db: Db; wake: () => void },
  context: TransactionContext,
  closure: Closure,
): Promise<boolean> {
  const { attempt, transaction } = context
  const move = moveOf(transaction, attempt, {
    to_status: 'FAILED',
    external_reference: attempt.external_reference,
    failure_code: closure.failure_code,
    reason: closure.reason,
    triggered_by: closure.triggered_by,
    evidence: { kind: 'RULE', id: null, hash: null, said: closure.reason },
    request_id: closure.request_id,
  })
  const end = endOf(attempt, {
    gate_id: transaction.id,
    status: 'UNKNOWN',
    gateway_ended: false,
    external_reference: '',
    failure_code: closure.failure_code,
    gateway_detail: closure.reason,
    ask_after_s: closure.ask_after_s,
  })
  const unknown = closure.incident ? unknownOutcome(attempt) : undefined
  const { merchant_id, environment } = attempt
  const left = { merchant_id, environment, ...asMoved(transaction, attempt, move) }
  const target = targetOf({ ...transaction, merchant_id })
  const locked = target && lockTarget(db, target)
  const moved = moveStatus(db, [move], { when: locked })
  const gate = { when: moved }
  const events = [
    eventOf(transaction, attempt, move),
    ...(unknown === undefined ? [] : [incidentEvent(transaction.id, unknown, left)]),
  ]
  const parts = [
    ...(locked === undefined ? [] : [locked]),
    moved,
    ...(target === undefined ? [] : [freeTarget(db, target, gate)]),
    endAttempts(db, [end], gate),
    recordEvents(db, events, gate),
    ...(unknown === undefined ? [] : [openIncident(db, unknown, gate)]),
  ]
  const rows = await retryOnDeadlock(() =>
    composed(homeOf(db, merchant_id), parts, selectIds(db, moved)),
  )
  if (rows.length === 0) return false
  wake()
  return true
}
