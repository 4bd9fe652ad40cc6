// Counters of minutes long gone, removed in one small statement.

import type { Db } from '../platform/db.ts'
import { deleteOldWindows } from './store.ts'

export function dropOldWindows(db: Db): Promise<number> {
  return deleteOldWindows(db)
}
