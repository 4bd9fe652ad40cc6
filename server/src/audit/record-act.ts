// Writes one line of the audit log, in the transaction of the change that it records.

import type { Sql } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { Act } from './audit.ts'
import { insertAct } from './store.ts'

export const recordAct = (sql: Sql, act: Act): Promise<void> => insertAct(sql, newId(), act)
