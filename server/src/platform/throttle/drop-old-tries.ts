// Counts of tries whose windows are over, removed in one statement.

import type { Sql } from '../db.ts'
import { deleteOldTries } from './store.ts'

export const dropOldTries = (sql: Sql): Promise<number> => deleteOldTries(sql)
