// A member of the caller's merchant, or the right refusal (contract 3.5): a member of another
// merchant only is refused, an unknown or ill-formed id is not found.

import type { Sql } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import type { Role } from '../roles.ts'
import type { Member } from './member.ts'
import { findRow, isElsewhere, listRows, type MemberKey } from './store.ts'

export async function getMember(sql: Sql, key: MemberKey): Promise<Member> {
  const member = await findRow(sql, key)
  if (member !== undefined) return member
  const elsewhere = await isElsewhere(sql, key)
  throw refuse(elsewhere ? transportErrors.permission_denied : transportErrors.not_found)
}

/** `search` looks in name and e-mail, in any case. */
export async function searchMembers(
  sql: Sql,
  merchant_id: string,
  { search = '', role }: Readonly<{ search?: string | undefined; role?: Role | undefined }>,
): Promise<Member[]> {
  const wanted = search.toLowerCase()
  return (await listRows(sql, merchant_id)).filter((one) => {
    const words = `${one.first_name} ${one.last_name}\n${one.email}`.toLowerCase()
    return words.includes(wanted) && (role === undefined || one.role === role)
  })
}
