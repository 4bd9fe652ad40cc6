// What is open, for those who resolve it: staff and the command line.

import type { Sql } from '../platform/db.ts'
import { listOpenIncidents, type OpenIncident } from './store.ts'

export type { OpenIncident }

/** Up to `limit` open incidents of all merchants, the newest first. */
export const openIncidents = (sql: Sql, limit: number): Promise<OpenIncident[]> =>
  listOpenIncidents(sql, limit)
