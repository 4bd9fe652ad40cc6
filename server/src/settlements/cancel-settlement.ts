// A merchant withdraws a settlement that is not approved yet: its hold is released.

import { actorOf } from '../audit/audit.ts'
import { inTransaction } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { settlementErrors } from './errors.ts'
import type { DecideDeps } from './execute-settlement.ts'
import { getOwnSettlement } from './get-settlement.ts'
import { moved, type Settlement } from './settlement.ts'
import { lockSettlement } from './store.ts'
import { writeDecision } from './write-decision.ts'

export async function cancelSettlement(
  { db, wake }: DecideDeps,
  caller: Caller,
  id: string,
): Promise<Settlement> {
  const own = await getOwnSettlement(db, caller, id)
  const cancelled = await inTransaction(db, async (tx) => {
    const locked = await lockSettlement(tx, own)
    assert(locked !== undefined, 'a settlement does not go away')
    const { settlement: before, now } = locked
    if (before.status !== 'PENDING') throw refuse(settlementErrors.transaction_terminal)
    const after = moved(before, ['CANCELLED'], now)
    await writeDecision(tx, {
      before,
      after,
      event: 'settlement.cancelled',
      hold: { how: 'RELEASE' },
      actor: actorOf(caller),
      act: 'settlement.cancelled',
    })
    return after
  })
  wake()
  return cancelled
}
