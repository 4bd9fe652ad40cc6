// The statements about helping members. Law: changing a member, or a member's reset, requires the
// lock on the member's row.

import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import type { PersonFacts } from '../person.ts'
import { personColumns } from '../store.ts'
import { type FactorReset, unconfirmed_h, wait_h } from './factor-reset.ts'

export type HelpedMember = PersonFacts & Readonly<{ disabled_at: Date | null }>

const memberColumns = (sql: Sql): Fragment => sql`${personColumns(sql)}, p.disabled_at`

export async function findMember(sql: Sql, id: string): Promise<HelpedMember | undefined> {
  const [row] = await sql<HelpedMember[]>`
    select ${memberColumns(sql)} from people p where p.kind = 'MEMBER' and p.id = ${id}`
  return row
}

export async function lockMember(tx: Tx, id: string): Promise<HelpedMember | undefined> {
  const [row] = await tx<HelpedMember[]>`
    select ${memberColumns(tx)}
      from people p
     where p.kind = 'MEMBER' and p.id = ${id}
       for no key update`
  return row
}

export async function updateDisabled(tx: Tx, id: string, disabled: boolean): Promise<void> {
  await tx`
    update people
       set disabled_at = case when ${disabled}::boolean then coalesce(disabled_at, now()) end,
           updated_at = now()
     where id = ${id}`
}

/**
 * Returns how many sessions ended; with `tokens`, no e-mail that was sent opens anything any more.
 */
export async function shutOut(
  tx: Tx,
  person_id: string,
  { tokens }: Readonly<{ tokens: boolean }>,
): Promise<number> {
  const rows = await tx`
    with voided as (
      update person_tokens set used_at = now()
       where person_id = ${person_id} and used_at is null and (${tokens} or purpose = 'SIGN_IN'))
    update sessions set ended_at = now()
     where person_id = ${person_id} and ended_at is null and ends_at > now()`
  return rows.count
}

export async function deleteFactor(tx: Tx, person_id: string): Promise<void> {
  await tx`
    with codes as (delete from recovery_codes where person_id = ${person_id})
    update people
       set sealed_totp = null, totp_enrolled_at = null, totp_last_step = 0, updated_at = now()
     where id = ${person_id}`
}

const resetColumns = (sql: Sql): Fragment => sql`
  r.id, r.person_id, r.reason, r.status, r.asked_by, r.asked_at, r.confirmed_by, r.due_at,
  r.due_at <= now() as is_due`

/** Under the member's lock: there is a second factor, and it is the one that the reset is of. */
export async function hasFactorOf(
  tx: Tx,
  { person_id, asked_at }: Pick<FactorReset, 'person_id' | 'asked_at'>,
): Promise<boolean> {
  const rows = await tx`
    select 1 from people where id = ${person_id} and totp_enrolled_at <= ${asked_at}`
  return rows.count > 0
}

/** The one that is under way: of a person there is at most one. */
export async function findOpenReset(sql: Sql, person_id: string): Promise<FactorReset | undefined> {
  const [row] = await sql<FactorReset[]>`
    select ${resetColumns(sql)} from factor_resets r
     where r.person_id = ${person_id} and r.ended_at is null`
  return row
}

type NewReset = Pick<FactorReset, 'id' | 'person_id' | 'reason' | 'asked_by'>

export async function insertReset(tx: Tx, { id, person_id, reason, asked_by }: NewReset) {
  await tx`
    insert into factor_resets (id, person_id, reason, asked_by, due_at)
    values (${id}, ${person_id}, ${reason}, ${asked_by},
      now() + ${unconfirmed_h} * interval '1 hour')`
}

export async function confirmReset(
  tx: Tx,
  { id, confirmed_by, cancel_hash }: { id: string; confirmed_by: string; cancel_hash: Buffer },
): Promise<void> {
  await tx`
    update factor_resets
       set status = 'CONFIRMED', confirmed_by = ${confirmed_by}, cancel_hash = ${cancel_hash},
           due_at = now() + ${wait_h} * interval '1 hour'
     where id = ${id}`
}

export async function endReset(
  tx: Tx,
  id: string,
  status: 'DONE' | 'CANCELLED' | 'LAPSED',
): Promise<void> {
  await tx`
    update factor_resets set status = ${status}, ended_at = now()
     where id = ${id} and ended_at is null`
}

/** The reset that the e-mail's token stops; null when it stops none. */
export async function findByCancelHash(sql: Sql, hash: Buffer): Promise<string | undefined> {
  const [row] = await sql<{ person_id: string }[]>`
    select person_id from factor_resets where cancel_hash = ${hash} and ended_at is null`
  return row?.person_id
}

/** Candidates; nothing is locked. */
export async function listDue(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ person_id: string }[]>`
    select person_id from factor_resets
     where ended_at is null and due_at <= now()
     order by due_at
     limit ${limit}`
  return rows.map(({ person_id }) => person_id)
}
