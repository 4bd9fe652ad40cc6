// Staff give up a settlement that nobody has been asked to pay: its hold is released. What a
// gateway has ends only by the gateway's own answer, never by ours (money 1).

import { actorOfPerson } from '../audit/audit.ts'
import { inTransaction } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { settlementErrors } from './errors.ts'
import type { DecideDeps } from './execute-settlement.ts'
import { getSeenSettlement } from './get-settlement.ts'
import { isWaiting, moved } from './settlement.ts'
import type { Seen } from './store.ts'
import { lockForStaff, requireNotEnded, writeDecision } from './write-decision.ts'

export async function failSettlement(
  { db, wake }: DecideDeps,
  person: Person,
  { id, reason }: Readonly<{ id: string; reason: string }>,
): Promise<Seen> {
  await inTransaction(db, async (tx) => {
    const { settlement: before, now } = await lockForStaff(tx, person, id)
    requireNotEnded(before)
    // PROCESSING implies an attempt without a terminal answer: the two are written together.
    if (!isWaiting(before)) throw refuse(settlementErrors.settlement_in_flight)
    await writeDecision(tx, {
      before,
      after: moved(before, ['FAILED'], now, { failure_reason: reason }),
      event: 'settlement.failed',
      hold: { how: 'RELEASE' },
      actor: actorOfPerson(person),
      act: 'settlement.failed',
      more: { failure_reason: reason },
    })
  })
  wake()
  return getSeenSettlement(db, person, id)
}
