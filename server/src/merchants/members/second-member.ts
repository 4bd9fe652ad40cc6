// A second member may put in force at once what otherwise waits (contract 8.11): not the one who
// requested it, nor invited by them, and both in their roles, with their factors, for longer than
// that wait.

import type { Sql } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import { merchantErrors } from '../errors.ts'
import { isSecondMember, type SecondMember } from './store.ts'

export type Confirming = Omit<SecondMember, 'member_id' | 'asked_by'> &
  Readonly<{ member_id: string | null; asked_by: string | null }>

export async function requireSecondMember(
  sql: Sql,
  { member_id, asked_by, ...of }: Confirming,
): Promise<void> {
  const may =
    member_id !== null &&
    asked_by !== null &&
    member_id !== asked_by &&
    (await isSecondMember(sql, { ...of, member_id, asked_by }))
  if (!may) throw refuse(merchantErrors.second_member_required)
}
