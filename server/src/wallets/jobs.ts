// Due work of this folder: transfers that were not approved in time.

import { systemActor } from '../audit/audit.ts'
import { inTransaction } from '../platform/db.ts'
import { type OnFault, Troubles } from '../platform/jobs/troubles.ts'
import type { Job } from '../platform/jobs/worker.ts'
import { homeOf } from '../platform/places/places.ts'
import { type DecideDeps, rejectWaiting } from './decide-transfer.ts'
import { type LapsedTransfer, listLapsed, lockTransfer } from './store.ts'

// A transfer that is not approved within its 24 hours is rejected (contract 5.10). Each in a
// transaction of its own, under its lock: several processes may do this at the same time, and an
// approval that came first holds.

const reason = 'not approved in time'

/** At most `limit` of them; how many were due. One that fails holds up no other, now or later. */
export async function lapseTransfers(
  deps: DecideDeps,
  limit: number,
  {
    troubles = new Troubles(),
    onFault,
  }: Readonly<{ troubles?: Troubles; onFault?: OnFault | undefined }> = {},
): Promise<number> {
  const due = await listLapsed(deps.db, limit, troubles.resting())
  for (const one of due) await troubles.spare(one.id, () => lapseTransfer(deps, one), onFault)
  if (due.length > 0) deps.wake()
  return due.length
}

const lapseTransfer = ({ db }: DecideDeps, one: LapsedTransfer): Promise<void> =>
  inTransaction(homeOf(db, one.merchant_id), async (tx) => {
    const locked = await lockTransfer(tx, one)
    if (locked === undefined || !locked.has_lapsed || locked.transfer.status !== 'PENDING') return
    await rejectWaiting(tx, locked.transfer, { reason, now: locked.now, actor: systemActor })
  })

const batchMax = 100

export function walletJobs(deps: DecideDeps): Job[] {
  const troubles = new Troubles()
  return [
    {
      name: 'lapse-transfers',
      poll_ms: 2_000,
      async run({ onFault }) {
        const due = await lapseTransfers(deps, batchMax, { troubles, onFault })
        return due === batchMax ? 'more' : 'rest'
      },
    },
  ]
}
