// Removes, in one statement, the counts of tries whose windows are over.

import type { Sql } from '../db.ts'
import { deleteOldTries } from './store.ts'

export const dropOldTries = (sql: Sql): Promise<number> => deleteOldTries(sql)
