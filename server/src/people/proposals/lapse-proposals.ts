// Due work: proposals that were not confirmed in time end by themselves. Returns how many.

import type { Sql } from '../../platform/db.ts'
import { lapseOver } from './store.ts'

export const lapseProposals = (sql: Sql): Promise<number> => lapseOver(sql)
