// One page of a merchant's invitations, and how many there are.

import type { Sql } from '../../../platform/db.ts'
import type { Invitation } from './invitation.ts'
import { countRows, type InvitationsQuery, listRows } from './store.ts'

export async function listInvitations(
  sql: Sql,
  query: InvitationsQuery,
): Promise<{ count: number; rows: Invitation[] }> {
  const [count, rows] = await Promise.all([countRows(sql, query), listRows(sql, query)])
  return { count, rows }
}
