// A registration whose address is not proved within a week ends: nothing pends for ever, and nobody
// blocks an address that is not theirs. Each in a transaction of its own; one failure stops none.

import { lapsePerson } from '../../people/lapse-person.ts'
import { type Db, inTransaction } from '../../platform/db.ts'
import { endPlace } from './end-places.ts'
import { listUnproved, lockOwnedPlaces, lockUnproved } from './store.ts'

export const unproved_days_max = 7
const reason = 'The address that this account was registered with was never verified.'
const portion = 100

/** How many there were. */
export async function lapseRegistrations(db: Db): Promise<number> {
  const due = await listUnproved(db, unproved_days_max, portion)
  const failures: unknown[] = []
  for (const id of due) await lapse(db, id).catch((error) => failures.push(error))
  if (failures.length > 0) throw failures[0]
  return due.length
}

const lapse = (db: Db, person_id: string): Promise<void> =>
  inTransaction(db, async (tx) => {
    if (!(await lockUnproved(tx, person_id))) return
    for (const place of await lockOwnedPlaces(tx, person_id)) {
      await endPlace(tx, place, { person_id, reason })
    }
    await lapsePerson(tx, person_id)
  })
