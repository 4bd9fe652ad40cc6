// What signing in leaves behind, removed when nothing asks for it any more: sessions and letters'
// tokens over for 30 days, counts of tries of more than a day ago.

import type { Db } from '../../platform/db.ts'
import { dropOldTries } from '../../platform/throttle/drop-old-tries.ts'
import { deleteOldSessions, deleteOldTokens } from './store.ts'

export async function dropOldSessions(db: Db): Promise<void> {
  await deleteOldSessions(db)
  await deleteOldTokens(db)
  await dropOldTries(db)
}
