// A session ends: from the next call on it is refused everywhere, since every call reads its row.

import { actorOfPerson } from '../audit/audit.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import type { Person } from '../platform/http/route.ts'
import { recordOwnAct } from './record-own-act.ts'
import { endSessionRow } from './store.ts'

/** Only the person's own; false when they have no such open session. */
export const endSession = (db: Db, person: Person, session_id: string): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    const { person_id } = person
    if (!(await endSessionRow(tx, { person_id, id: session_id }))) return false
    await recordOwnAct(tx, actorOfPerson(person), {
      action: 'session.ended',
      target_kind: 'session',
      target_id: session_id,
    })
    return true
  })
