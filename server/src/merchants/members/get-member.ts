// A member of the caller's merchant (contract 3.5): a member of another merchant only is refused.

import type { Sql } from '../../platform/db.ts'
import type { Member } from './member.ts'
import { findRow, type MemberKey, requireOwnMember } from './store.ts'

export async function getMember(sql: Sql, key: MemberKey): Promise<Member> {
  const { merchant_id, person_id: id } = key
  return requireOwnMember(sql, { merchant_id, id }, await findRow(sql, key))
}
