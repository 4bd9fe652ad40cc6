// A person logs out everywhere, here too: from the next request on none of their sessions opens
// anything.

import { actorOfPerson } from '../../audit/audit.ts'
import { type Db, inTransaction } from '../../platform/db.ts'
import type { Person } from '../../platform/http/route.ts'
import { recordOwnAct } from '../record-own-act.ts'
import { endEverySession as endRows } from './store.ts'

/** How many sessions ended. */
export const endEverySession = (db: Db, person: Person): Promise<number> =>
  inTransaction(db, async (tx) => {
    const { person_id } = person
    const ended = await endRows(tx, person_id)
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'person.logged_out',
      target_kind: 'person',
      target_id: person_id,
      after: { sessions_ended: ended },
    })
    return ended
  })
