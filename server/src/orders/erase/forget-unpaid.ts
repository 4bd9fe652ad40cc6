// A session that ended unpaid long ago keeps what was requested, and forgets the payer.

import type { Sql } from '../../platform/db.ts'
import { eraseUnpaid } from './statements.ts'

export const forgetUnpaid = (
  sql: Sql,
  portion: Readonly<{ days: number; limit: number }>,
): Promise<number> => eraseUnpaid(sql, portion)
