// Due work: what nobody has confirmed in time ends by itself. How many there were.

import type { Sql } from '../../platform/db.ts'
import { lapseOver } from './store.ts'

export const lapseProposals = (sql: Sql): Promise<number> => lapseOver(sql)
