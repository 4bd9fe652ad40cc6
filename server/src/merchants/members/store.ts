// The statements about the members of one merchant. A change is made under the merchant's lock
// (`lockMerchant`), so that there is always one answer to who the last owner is.

import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import { ownershipOf } from '../../platform/http/ownership.ts'
import { control } from '../../platform/places/places.ts'
import type { Role } from '../roles.ts'
import type { Member } from './member.ts'

export type MemberKey = Readonly<{ merchant_id: string; person_id: string }>

const memberColumns = (sql: Sql): Fragment => sql`
  b.merchant_id, b.person_id, p.email, p.first_name, p.last_name, b.role,
  p.totp_enrolled_at is not null as totp_enabled,
  p.email_verified_at is not null as email_verified, p.last_login_at, b.created_at`

/** The first one first. */
export const listRows = (sql: Sql, merchant_id: string): Promise<Member[]> => sql<Member[]>`
  select ${memberColumns(sql)}
    from memberships b
    join people p on p.id = b.person_id
   where b.merchant_id = ${merchant_id}
   order by b.created_at, b.person_id`

export async function findRow(sql: Sql, key: MemberKey): Promise<Member | undefined> {
  const [row] = await control(sql)<Member[]>`
    select ${memberColumns(sql)}
      from memberships b
      join people p on p.id = b.person_id
     where b.merchant_id = ${key.merchant_id} and b.person_id = ${key.person_id}`
  return row
}

/**
 * The role of a member who is not switched off, which stays so until the end of the transaction:
 * who changes it waits, or is waited for.
 */
export async function shareActiveRole(tx: Tx, key: MemberKey): Promise<Role | undefined> {
  const [row] = await control(tx)<{ role: Role }[]>`
    select b.role
      from memberships b
      join people p on p.id = b.person_id
     where b.merchant_id = ${key.merchant_id} and b.person_id = ${key.person_id}
       and p.disabled_at is null
       for share`
  return row?.role
}

export const requireOwnMember = ownershipOf('memberships', {
  id_column: 'person_id',
  at_control: true,
})

export async function isMembersEmail(
  sql: Sql,
  { merchant_id, email }: Readonly<{ merchant_id: string; email: string }>,
): Promise<boolean> {
  const rows = await sql`
    select 1 from memberships b
      join people p on p.id = b.person_id
     where b.merchant_id = ${merchant_id} and p.kind = 'MEMBER' and p.email = ${email}`
  return rows.count > 0
}

/** Other owners who can act: one who is switched off does not count. */
export async function countOtherOwners(tx: Tx, key: MemberKey): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count
      from memberships b
      join people p on p.id = b.person_id
     where b.merchant_id = ${key.merchant_id} and b.person_id <> ${key.person_id}
       and b.role = 'OWNER' and p.disabled_at is null`
  return row?.count ?? 0
}

export async function updateRole(tx: Tx, key: MemberKey, role: Role): Promise<void> {
  await tx`
    update memberships set role = ${role}, updated_at = now()
     where merchant_id = ${key.merchant_id} and person_id = ${key.person_id}`
}

export async function deleteRow(tx: Tx, key: MemberKey): Promise<void> {
  await tx`
    delete from memberships
     where merchant_id = ${key.merchant_id} and person_id = ${key.person_id}`
}

export type SecondMember = Readonly<{
  merchant_id: string
  member_id: string
  asked_by: string
  /** How long both must have been what they are. Hours. */
  wait_h: number
  /** Their second factors must be as old. */
  needs_factor: boolean
}>

/** Who requested something. */
export type Asker = Readonly<{
  asked_by: string | null
  /** The key that requested it, if it was one. */
  api_key_id: string | null
}>

/** A member who is to agree, and how long both must have been what they are. Hours. */
export type Approver = Readonly<{ merchant_id: string; member_id: string; wait_h: number }>

export type Approving = Approver & Asker

/**
 * The second in their role, with their factor, for longer than the wait, and whoever requested it a
 * member for as long; the key of a member who has left is as old. Otherwise a stolen session could
 * invite a second self that approves, or one that requests.
 */
export const mayApprove = async (sql: Sql, of: Approving): Promise<boolean> =>
  (await listApprovable(sql, of, [of])).length > 0

/** Of several requests the places, from 1, of those that the member may so agree to. */
export async function listApprovable(
  sql: Sql,
  of: Approver,
  askers: readonly Asker[],
): Promise<number[]> {
  const before = sql`now() - ${of.wait_h} * interval '1 hour'`
  const requester = sql`
    select 1 from memberships a
     where a.merchant_id = ${of.merchant_id} and a.person_id = q.asked_by`
  const rows = await sql<{ place: number }[]>`
    select q.place::int as place
      from unnest(${askers.map(({ asked_by }) => asked_by)}::uuid[],
                  ${askers.map(({ api_key_id }) => api_key_id)}::uuid[])
           with ordinality as q (asked_by, api_key_id, place)
      join memberships b on b.merchant_id = ${of.merchant_id} and b.person_id = ${of.member_id}
      join people p on p.id = b.person_id
     where b.updated_at <= ${before} and p.totp_enrolled_at <= ${before}
       and p.disabled_at is null
       and case when exists (${requester}) then exists (${requester} and a.updated_at <= ${before})
           else exists (select 1 from api_keys k
                         where k.id = q.api_key_id and k.created_at <= ${before}) end`
  return rows.map(({ place }) => place)
}

/**
 * Whether any member but the one who requested it could agree to it: who may log in, with the
 * right, and in LIVE as `mayApprove` requires.
 */
export async function hasApprover(
  sql: Sql,
  of: Omit<Approving, 'member_id'> & Readonly<{ roles: readonly Role[]; is_live: boolean }>,
): Promise<boolean> {
  const others = await sql<{ person_id: string }[]>`
    select b.person_id
      from memberships b
      join people p on p.id = b.person_id
     where b.merchant_id = ${of.merchant_id} and b.role = any(${[...of.roles]}::text[])
       and b.person_id is distinct from ${of.asked_by} and p.disabled_at is null
     order by b.updated_at limit 100`
  if (!of.is_live) return others.length > 0
  for (const { person_id: member_id } of others) {
    if (await mayApprove(sql, { ...of, member_id })) return true
  }
  return false
}

/**
 * Both in their roles (and with their factors) for longer than the wait, and the second not invited
 * by the first. The first as well: otherwise a stolen session could invite a second self that makes
 * the request.
 */
export async function isSecondMember(sql: Sql, of: SecondMember): Promise<boolean> {
  const isOld = (membership: Fragment, person: Fragment) => sql`
    ${membership}.updated_at <= now() - ${of.wait_h} * interval '1 hour'
      and (not ${of.needs_factor}
           or ${person}.totp_enrolled_at <= now() - ${of.wait_h} * interval '1 hour')`
  const rows = await sql`
    select 1
      from memberships b
      join people p on p.id = b.person_id
      join memberships a on a.merchant_id = b.merchant_id and a.person_id = ${of.asked_by}
      join people q on q.id = a.person_id
     where b.merchant_id = ${of.merchant_id} and b.person_id = ${of.member_id}
       and ${isOld(sql`b`, sql`p`)} and ${isOld(sql`a`, sql`q`)}
       and not exists (
         select 1 from invitations i
          where i.merchant_id = b.merchant_id and i.email = p.email
            and i.accepted_at is not null and i.invited_by = ${of.asked_by})`
  return rows.count > 0
}
