// Who a member is and what they may do: found, checked under the merchant’s lock, and as the
// second person beside another.

import type { Sql, Tx } from '../../platform/db.ts'
import { assert, refuse, type Text } from '../../platform/errors.ts'
import type { Caller, Permission } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { merchantErrors } from '../errors.ts'
import { mayAs } from '../roles.ts'
import { lockMerchant } from '../store.ts'
import type { Member } from './member.ts'
import {
  type Approving,
  findRow,
  isSecondMember,
  type MemberKey,
  mayApprove,
  requireOwnMember,
  type SecondMember,
  shareActiveRole,
} from './store.ts'

export async function getMember(sql: Sql, key: MemberKey): Promise<Member> {
  const { merchant_id, person_id: id } = key
  return requireOwnMember(sql, { merchant_id, id }, await findRow(sql, key))
}

// Whether a member may act on a role now. The role read at authentication may have changed by the
// time the merchant's lock is taken, so it is read once more under the lock.

export function memberKeyOf({ merchant_id, member_id }: Caller): MemberKey {
  assert(member_id !== null, 'a member is meant')
  return { merchant_id, person_id: member_id }
}

/** Refuses with `permission_denied`. */
export async function requireRight(
  sql: Sql,
  caller: Caller,
  permission: Permission,
): Promise<void> {
  const member = await findRow(sql, memberKeyOf(caller))
  if (member !== undefined && mayAs[member.role].includes(permission)) return
  throw refuse(accessErrors.permission_denied)
}

/**
 * The same of whoever sends money, once all locks are taken: who lost the right or was switched off
 * meanwhile sends none.
 */
export async function requireMemberStillMay(
  tx: Tx,
  caller: Caller,
  permission: Permission,
): Promise<void> {
  const role = await shareActiveRole(tx, memberKeyOf(caller))
  if (role === undefined || !mayAs[role].includes(permission)) {
    throw refuse(accessErrors.permission_denied)
  }
}

/** Whether they own the merchant and may sign in, which stays so until the transaction ends. */
export const isActiveOwner = async (tx: Tx, key: MemberKey): Promise<boolean> =>
  (await shareActiveRole(tx, key)) === 'OWNER'

/** From here on nobody else changes the merchant's members or invitations. */
export const lockMembers = (tx: Tx, { merchant_id }: Pick<Caller, 'merchant_id'>): Promise<void> =>
  lockMerchant(tx, merchant_id)

// A second member may put in force at once what otherwise waits (contract 8.11): not the one who
// requested it, nor invited by them, and both in their roles, with their factors, for longer than
// that wait.

export type Confirming = Omit<SecondMember, 'member_id' | 'asked_by'> &
  Readonly<{ member_id: string | null; asked_by: string | null }>

const isThatMember = async (
  sql: Sql,
  { member_id, asked_by, ...of }: Confirming,
): Promise<boolean> =>
  member_id !== null &&
  asked_by !== null &&
  member_id !== asked_by &&
  (await isSecondMember(sql, { ...of, member_id, asked_by }))

export async function requireSecondMember(sql: Sql, of: Confirming): Promise<void> {
  if (!(await isThatMember(sql, of))) throw refuse(merchantErrors.second_member_required)
}

/** Whether whoever reads of a change could confirm it, by the same rule. It locks nothing. */
export const mayConfirm = async (
  sql: Sql,
  { session, merchant_id, member_id }: Caller,
  of: Omit<Confirming, 'merchant_id' | 'member_id'>,
): Promise<boolean> =>
  session?.permissions.includes('settings') === true &&
  (await isThatMember(sql, { ...of, merchant_id, member_id }))

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

/** Why a member who has the right may not agree to what another requested. */
export const hindrances = ['OWN', 'NO_SECOND_FACTOR', 'TOO_NEW'] as const
export type Hindrance = (typeof hindrances)[number]

/** Of a member whom `mayApprove` refuses, and who has not requested it. */
export async function hindranceOf(sql: Sql, key: MemberKey): Promise<Hindrance> {
  const member = await findRow(sql, key)
  return member?.totp_enabled === false ? 'NO_SECOND_FACTOR' : 'TOO_NEW'
}

const tooNew = (hours: number): Text => ({
  en:
    `Both members must have had their role for ${hours} hours, and the one who approves their ` +
    'second factor as well. Ask another member, or wait.',
  fr:
    `Les deux membres doivent avoir leur rôle depuis ${hours} heures, et celui qui approuve son ` +
    'second facteur aussi. Adressez-vous à un autre membre, ou attendez.',
})
