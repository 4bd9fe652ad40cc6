// Deletes old MAC keys, once nothing that matters was made under them: fingerprints last 30 days,
// callbacks of attempts and cursors less.

import type { Sql } from '../db.ts'
import { deleteOldMacKeys } from './store.ts'

export const dropMacKeys = (sql: Sql, days: number): Promise<number> => deleteOldMacKeys(sql, days)
