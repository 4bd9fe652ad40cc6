// How often something was done at a merchant since a moment, or to one thing of theirs ever.

import type { Sql } from '../platform/db.ts'
import {
  type ActsCounted,
  type ActsOn,
  countActs as countRows,
  countActsOn as countRowsOn,
} from './store.ts'

export const countActs = (sql: Sql, query: ActsCounted): Promise<number> => countRows(sql, query)

/** In the whole history of one thing: the acts that found a value in a field. */
export const countActsOn = (sql: Sql, query: ActsOn): Promise<number> => countRowsOn(sql, query)
