// How often something was done at a merchant since a moment.

import type { Sql } from '../platform/db.ts'
import { type ActsCounted, countActs as countRows } from './store.ts'

export const countActs = (sql: Sql, query: ActsCounted): Promise<number> => countRows(sql, query)
