// The member who answers for a call (contract: created_by_member), whom a session or a link names:
// the one who is signed in; for a key, the one who made it; for a key that no member made (the
// demo's, the command line's), the first owner. Null only where there is no owner yet.

import type { Sql } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import { findMemberBehindKey } from './store.ts'

export async function memberBehind(
  sql: Sql,
  { member_id, api_key_id }: Pick<Caller, 'member_id' | 'api_key_id'>,
): Promise<string | null> {
  if (member_id !== null || api_key_id === null) return member_id
  return findMemberBehindKey(sql, api_key_id)
}
