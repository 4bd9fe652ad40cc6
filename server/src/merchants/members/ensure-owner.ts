// An owner who must be there: the embedded demo's.

import type { Sql } from '../../platform/db.ts'
import { insertMembership } from '../store.ts'

export async function ensureOwner(
  sql: Sql,
  { merchant_id, person_id }: { merchant_id: string; person_id: string },
): Promise<void> {
  await insertMembership(sql, { merchant_id, person_id, role: 'OWNER' })
}
