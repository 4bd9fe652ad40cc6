// The statements about invitations. They change under the merchant's lock.

import type { Fragment, Sql, Tx } from '../../../platform/db.ts'
import { assert } from '../../../platform/errors.ts'
import { ownershipOf } from '../../../platform/http/ownership.ts'
import type { Role } from '../../roles.ts'
import {
  type Invitation,
  type InvitationStatus,
  invitation_days,
  type TokenKey,
} from './invitation.ts'

const statusOf = (sql: Sql): Fragment => sql`
  case when i.accepted_at is not null then 'ACCEPTED'
       when i.revoked_at is not null then 'REVOKED'
       when i.expires_at <= now() then 'EXPIRED'
       else 'PENDING' end`

const invitationColumns = (sql: Sql): Fragment => sql`
  i.merchant_id, i.id, i.email, i.role, ${statusOf(sql)} as status, i.invited_by, i.expires_at,
  i.created_at`

export type InvitationKey = Readonly<{ merchant_id: string; id: string }>

export type InvitationsQuery = Readonly<{
  merchant_id: string
  status: InvitationStatus | undefined
  /** Part of the e-mail, in any case. */
  search: string | undefined
  descending: boolean
  limit: number
  offset: number
}>

const matchingRows = (sql: Sql, sought: InvitationsFilter): Fragment => {
  const { merchant_id, status = null, search } = sought
  return sql`
  invitations i
   where i.merchant_id = ${merchant_id}
     and (${status}::text is null or ${statusOf(sql)} = ${status}::text)
     ${search === undefined ? sql`` : sql`and strpos(lower(i.email), lower(${search})) > 0`}`
}

type InvitationsFilter = Readonly<{
  merchant_id: string
  status?: InvitationStatus | null | undefined
  search?: string | undefined
}>

export const listRows = (sql: Sql, query: InvitationsQuery): Promise<Invitation[]> => sql<
  Invitation[]
>`
  select ${invitationColumns(sql)}
    from ${matchingRows(sql, query)}
   order by ${query.descending ? sql`i.created_at desc, i.id desc` : sql`i.created_at, i.id`}
   limit ${query.limit} offset ${query.offset}`

export async function countRows(sql: Sql, query: InvitationsFilter): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from ${matchingRows(sql, query)}`
  return row?.count ?? 0
}

export async function findRow(sql: Sql, key: InvitationKey): Promise<Invitation | undefined> {
  const [row] = await sql<Invitation[]>`
    select ${invitationColumns(sql)}
      from invitations i
     where i.merchant_id = ${key.merchant_id} and i.id = ${key.id}`
  return row
}

const requireOwnInvitation = ownershipOf('invitations', { at_control: true })

/** Of the caller's merchant (contract 3.5). */
export const getInvitation = async (sql: Sql, key: InvitationKey): Promise<Invitation> =>
  requireOwnInvitation(sql, key, await findRow(sql, key))

/** One that was written in this transaction. */
export async function reread(sql: Sql, key: InvitationKey): Promise<Invitation> {
  const invitation = await findRow(sql, key)
  assert(invitation !== undefined, 'an invitation that was just written')
  return invitation
}

export type NewInvitation = InvitationKey &
  Readonly<{ email: string; role: Role; hash: Buffer; invited_by: string }>

export async function insertRow(tx: Tx, row: NewInvitation): Promise<void> {
  await tx`
    insert into invitations (merchant_id, id, email, role, token_hash, invited_by, expires_at)
    values (${row.merchant_id}, ${row.id}, ${row.email}, ${row.role}, ${row.hash},
      ${row.invited_by}, now() + ${invitation_days} * interval '1 day')`
}

/** A fresh token and fresh days; the old token finds nothing any more. */
export async function renewRow(
  tx: Tx,
  { merchant_id, id }: InvitationKey,
  { hash, invited_by }: Pick<NewInvitation, 'hash' | 'invited_by'>,
): Promise<void> {
  await tx`
    update invitations
       set token_hash = ${hash}, invited_by = ${invited_by},
           expires_at = now() + ${invitation_days} * interval '1 day'
     where merchant_id = ${merchant_id} and id = ${id}`
}

export async function revokeRow(tx: Tx, { merchant_id, id }: InvitationKey): Promise<void> {
  await tx`
    update invitations set revoked_at = now()
     where merchant_id = ${merchant_id} and id = ${id}`
}

/** The ids of those that went: of one e-mail there is at most one. */
export async function revokeOfEmail(
  tx: Tx,
  { merchant_id, email }: Pick<NewInvitation, 'merchant_id' | 'email'>,
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    update invitations set revoked_at = now()
     where merchant_id = ${merchant_id} and email = ${email}
       and accepted_at is null and revoked_at is null
    returning id`
  return rows.map(({ id }) => id)
}

/** Revokes those open invitations of a member that are for these roles; returns how many. */
export async function revokeOfSender(
  tx: Tx,
  sent: Readonly<{ merchant_id: string; invited_by: string; roles: readonly Role[] }>,
): Promise<number> {
  const rows = await tx`
    update invitations set revoked_at = now()
     where merchant_id = ${sent.merchant_id} and invited_by = ${sent.invited_by}
       and role = any(${[...sent.roles]}::text[])
       and accepted_at is null and revoked_at is null and expires_at > now()`
  return rows.count
}

export type OpenInvitation = InvitationKey &
  Readonly<{
    email: string
    role: Role
    merchant_name: string
    merchant_is_suspended: boolean
    /** Null: the sender is no member now, or is switched off. */
    sender_role: Role | null
  }>

export async function findOpenByToken(
  sql: Sql,
  { merchant_id, hash }: TokenKey,
): Promise<OpenInvitation | undefined> {
  const [row] = await sql<OpenInvitation[]>`
    select i.merchant_id, i.id, i.email, i.role, m.name as merchant_name,
           m.status = 'SUSPENDED' as merchant_is_suspended, b.role as sender_role
      from invitations i
      join merchants m on m.id = i.merchant_id
      left join (memberships b join people p on p.id = b.person_id and p.disabled_at is null)
        on b.merchant_id = i.merchant_id and b.person_id = i.invited_by
     where i.merchant_id = ${merchant_id} and i.token_hash = ${hash}
       and i.accepted_at is null and i.revoked_at is null and i.expires_at > now()`
  return row
}

export async function acceptRow(tx: Tx, { merchant_id, id }: InvitationKey): Promise<void> {
  await tx`
    update invitations set accepted_at = now()
     where merchant_id = ${merchant_id} and id = ${id}`
}

export type SenderFacts = Readonly<{ merchant_name: string; first_name: string; last_name: string }>

/** The names of the sender and the merchant, for the e-mail. */
export async function findSender(
  sql: Sql,
  of: Readonly<{ merchant_id: string; person_id: string }>,
): Promise<SenderFacts | undefined> {
  const [row] = await sql<SenderFacts[]>`
    select m.name as merchant_name, p.first_name, p.last_name
      from memberships b
      join merchants m on m.id = b.merchant_id
      join people p on p.id = b.person_id
     where b.merchant_id = ${of.merchant_id} and b.person_id = ${of.person_id}`
  return row
}
