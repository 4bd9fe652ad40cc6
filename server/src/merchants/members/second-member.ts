// A second member may put in force at once what otherwise waits (contract 8.11): not the one who
// requested it, nor invited by them, and both in their roles, with their factors, for longer than
// that wait.

import type { Sql } from '../../platform/db.ts'
import { refuse, type Text } from '../../platform/errors.ts'
import { merchantErrors } from '../errors.ts'
import { type Approving, isSecondMember, mayApprove, type SecondMember } from './store.ts'

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

/**
 * A second member may also agree to what another requested. Who invited whom does not matter then:
 * in most shops the owner invited everybody.
 */
export async function requireApprover(
  sql: Sql,
  { member_id, ...of }: Omit<Approving, 'member_id'> & Readonly<{ member_id: string | null }>,
): Promise<void> {
  if (member_id !== null && (await mayApprove(sql, { ...of, member_id }))) return
  throw refuse(merchantErrors.second_member_required, { message: tooNew(of.wait_h) })
}

const tooNew = (hours: number): Text => ({
  en:
    `Both members must have had their role for ${hours} hours, and the one who approves their ` +
    'second factor as well. Ask another member, or wait.',
  fr:
    `Les deux membres doivent avoir leur rôle depuis ${hours} heures, et celui qui approuve son ` +
    'second facteur aussi. Adressez-vous à un autre membre, ou attendez.',
})
