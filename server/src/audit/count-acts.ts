// How often something was done at a merchant since a moment.

import type { Sql } from '../platform/db.ts'
import { type ActsCounted, countActs as countRows } from './store.ts'

export const countActs = (sql: Sql, asked: ActsCounted): Promise<number> => countRows(sql, asked)
