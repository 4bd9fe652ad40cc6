// A session ends: from the next call on it is refused everywhere, since every call reads its row.

import type { Sql } from '../platform/db.ts'
import { endSessionRow } from './store.ts'

export const endSession = (sql: Sql, session_id: string): Promise<void> =>
  endSessionRow(sql, session_id)
