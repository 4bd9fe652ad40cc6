// Statements about merchants that were signed up with an unproved address.

import type { Sql, Tx } from '../platform/db.ts'
import type { Role } from './roles.ts'

export type Place = Readonly<{
  merchant_id: string
  /** What the person is there now: who signed up may have been lowered since. */
  role: Role
  name: string
  country: string | null
  rate_limit_per_minute: number
  /** Staff have approved it. */
  is_approved: boolean
  /** Another owner who can act, and whose address is proved. */
  has_other_owner: boolean
}>

/**
 * The merchants that a person belongs to, in whatever role, locked in their order. They are read
 * after all of them are locked: what was changed while this waited counts.
 */
export async function lockPlaces(tx: Tx, person_id: string): Promise<Place[]> {
  await tx`
    select 1 from merchants m
     where m.id in (select merchant_id from memberships where person_id = ${person_id})
     order by m.id
       for update of m`
  return tx<Place[]>`
    select m.id as merchant_id, b.role, m.name, m.country, m.rate_limit_per_minute,
           m.approved_at is not null or m.live_enabled as is_approved,
           exists (select 1 from memberships o
                     join people p on p.id = o.person_id
                    where o.merchant_id = m.id and o.role = 'OWNER'
                      and o.person_id <> b.person_id
                      and p.email_verified_at is not null and p.disabled_at is null)
             as has_other_owner
      from memberships b
      join merchants m on m.id = b.merchant_id
     where b.person_id = ${person_id}
     order by m.id`
}

export async function deletePlace(
  tx: Tx,
  { merchant_id, person_id }: Readonly<{ merchant_id: string; person_id: string }>,
): Promise<void> {
  await tx`
    delete from memberships where merchant_id = ${merchant_id} and person_id = ${person_id}`
}

/** Nothing opens it any more: keys and open invitations end. */
export async function shutMerchant(tx: Tx, merchant_id: string): Promise<void> {
  await tx`
    with keys as (
      update api_keys set revoked_at = now()
       where merchant_id = ${merchant_id} and environment in ('SANDBOX', 'LIVE')
         and revoked_at is null
    )
    update invitations set revoked_at = now()
     where merchant_id = ${merchant_id} and accepted_at is null and revoked_at is null`
}

/** Unproved for so long, and of no merchant that staff have approved: candidates, not locked. */
export async function listUnproved(sql: Sql, days: number, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select p.id from people p
     where p.kind = 'MEMBER' and p.email_verified_at is null and p.disabled_at is null
       and not p.is_demo and p.created_at < now() - ${days} * interval '1 day'
       and not exists (select 1 from memberships b
                         join merchants m on m.id = b.merchant_id
                        where b.person_id = p.id
                          and (m.approved_at is not null or m.live_enabled))
     order by p.created_at
     limit ${limit}`
  return rows.map(({ id }) => id)
}

/** False when the address was proved meanwhile, or a rival has locked the row. */
export async function lockUnproved(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx`
    select 1 from people
     where id = ${id} and email_verified_at is null and disabled_at is null
       for no key update skip locked`
  return rows.count === 1
}
