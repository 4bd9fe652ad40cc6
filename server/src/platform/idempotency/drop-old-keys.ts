// Answers are kept for thirty days at least (contract 4.1); then their keys are free again.

import type { Sql } from '../db.ts'
import { deleteOldKeys } from './store.ts'

export const dropOldKeys = (
  sql: Sql,
  portion: Readonly<{ days: number; limit: number }>,
): Promise<number> => deleteOldKeys(sql, portion)
