// What an API key has done certain acts on, according to the audit log, which nobody can change.

import type { Sql } from '../platform/db.ts'
import { listTargets, type Targets, type TargetsQuery } from './store.ts'

export type { Targets, TargetsQuery }

export const targetsOfKey = (sql: Sql, query: TargetsQuery): Promise<Targets[]> =>
  listTargets(sql, query)
