// Removes what signing in leaves behind: sessions and e-mailed tokens that have been over for so
// many days.

import type { Sql } from '../../platform/db.ts'
import { deleteOldSessions, deleteOldTokens, type Portion } from './store.ts'

export async function dropOldSessions(sql: Sql, portion: Portion): Promise<number> {
  const gone = await deleteOldSessions(sql, portion)
  return Math.max(gone, await deleteOldTokens(sql, portion))
}
