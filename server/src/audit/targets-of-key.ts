// What an API key has done certain acts on: told by the audit log, which nobody can change.

import type { Sql } from '../platform/db.ts'
import { listTargets, type Targets, type TargetsAsked } from './store.ts'

export type { Targets, TargetsAsked }

export const targetsOfKey = (sql: Sql, asked: TargetsAsked): Promise<Targets[]> =>
  listTargets(sql, asked)
