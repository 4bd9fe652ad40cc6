// The statements about staff that are not part of a composed one. Changes of a role or an account
// queue up (`lockStaff`), so that the last superadmin can be counted.

import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import type { StaffRole } from '../staff-roles.ts'
import type { StaffMember } from './staff-member.ts'

const staffColumns = (sql: Sql): Fragment => sql`
  p.id, p.email, p.first_name, p.last_name, p.locale, p.staff_role, p.is_demo,
  p.totp_enrolled_at is not null as totp_enabled, p.totp_enrolled_at,
  p.password_hash is not null as has_password, p.disabled_at, p.last_login_at, p.created_at`

/** All of them, the first one first: a platform has few. */
export const listStaff = (sql: Sql): Promise<StaffMember[]> => sql<StaffMember[]>`
  select ${staffColumns(sql)}
    from people p
   where p.kind = 'STAFF'
   order by p.created_at, p.id`

export async function findStaff(sql: Sql, id: string): Promise<StaffMember | undefined> {
  const [row] = await sql<StaffMember[]>`
    select ${staffColumns(sql)} from people p where p.kind = 'STAFF' and p.id = ${id}`
  return row
}

export async function findStaffByEmail(sql: Sql, email: string): Promise<StaffMember | undefined> {
  const [row] = await sql<StaffMember[]>`
    select ${staffColumns(sql)} from people p where p.kind = 'STAFF' and p.email = ${email}`
  return row
}

/** Locked to the transaction's end: changes of staff come one after another, in every process. */
export async function lockStaff(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('staff', 0))`
}

/** How many superadmins can act if this person cannot. The demo's does not count. */
export async function countSuperadminsBeside(tx: Tx, id: string): Promise<number> {
  const [row] = await tx<{ others: number }[]>`
    select count(*)::int as others
      from people
     where kind = 'STAFF' and staff_role = 'SUPERADMIN' and disabled_at is null and not is_demo
       and id <> ${id}`
  return row?.others ?? 0
}

export type StaffChanges = Readonly<{
  staff_role?: StaffRole
  first_name?: string
  last_name?: string
  disabled?: boolean
}>

export async function updateStaff(tx: Tx, id: string, changes: StaffChanges): Promise<void> {
  const disabled = changes.disabled ?? null
  await tx`
    update people
       set staff_role = coalesce(${changes.staff_role ?? null}::text, staff_role),
           first_name = coalesce(${changes.first_name ?? null}::text, first_name),
           last_name = coalesce(${changes.last_name ?? null}::text, last_name),
           disabled_at = case when ${disabled}::boolean is null then disabled_at
                              when ${disabled}::boolean then coalesce(disabled_at, now()) end,
           updated_at = now()
     where kind = 'STAFF' and id = ${id}`
}

/** Every session ends at once, and no e-mail that was sent opens anything any more. */
export async function shutOut(tx: Tx, person_id: string): Promise<void> {
  await tx`
    with ended as (
      update sessions set ended_at = now() where person_id = ${person_id} and ended_at is null)
    update person_tokens set used_at = now()
     where person_id = ${person_id} and used_at is null`
}

/** The second factor is gone as if it had never been enrolled, and every session ends. */
export async function deleteSecondFactor(tx: Tx, person_id: string): Promise<void> {
  await tx`
    with ended as (
      update sessions set ended_at = now() where person_id = ${person_id} and ended_at is null
    ), codes as (
      delete from recovery_codes where person_id = ${person_id}
    )
    update people
       set sealed_totp = null, totp_enrolled_at = null, totp_last_step = 0, updated_at = now()
     where kind = 'STAFF' and id = ${person_id}`
}
