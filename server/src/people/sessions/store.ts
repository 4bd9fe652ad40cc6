// Statements about the sessions of one person, and about those long over.

import type { Fragment, Sql } from '../../platform/db.ts'
import type { Kind } from '../person.ts'
import type { StaffRole } from '../staff-roles.ts'
import { second_factor_min, session_ends } from './session-token.ts'

export type OpenSession = Readonly<{
  id: string
  ip: string
  user_agent: string
  created_at: Date
  last_seen_at: Date
  ends_at: Date
  totp_at: Date | null
}>

export type SessionFound = Readonly<{
  session_id: string
  person_id: string
  kind: Kind
  email: string
  staff_role: StaffRole | null
  is_demo: boolean
  totp_enabled: boolean
  /** A code was given within the last ten minutes: until when it counts. Null: none was. */
  totp_until: Date | null
  /** When it ends in any case, and when it does unless it is used. */
  ends_at: Date
  idle_at: Date
  /** Ended, idle for too long, or its person switched off. */
  is_over: boolean
}>

/** How long a session of `people p` may be idle. */
export const idleOf = (sql: Sql): Fragment => sql`
  case when p.kind = 'STAFF' then ${session_ends.STAFF.idle_min}::int
       else ${session_ends.MEMBER.idle_min} end * interval '1 minute'`

/** Of `sessions s` and `people p`. */
export const sessionColumns = (sql: Sql): Fragment => sql`
  s.id as session_id, s.person_id, p.kind, p.email, p.staff_role, p.is_demo,
  p.totp_enrolled_at is not null as totp_enabled,
  case when s.totp_at > now() - ${second_factor_min} * interval '1 minute'
       then s.totp_at + ${second_factor_min} * interval '1 minute' end as totp_until,
  s.ends_at, s.last_seen_at + ${idleOf(sql)} as idle_at,
  s.ended_at is not null or s.ends_at <= now() or p.disabled_at is not null
    or s.last_seen_at <= now() - ${idleOf(sql)} as is_over`

/** Reads a session; where it `is_used`, notes that once a minute. */
export async function findSession(
  sql: Sql,
  { hash, is_used }: Readonly<{ hash: Buffer; is_used: boolean }>,
): Promise<SessionFound | undefined> {
  const [row] = await sql<SessionFound[]>`
    with found as (
      select ${sessionColumns(sql)}, s.last_seen_at
        from sessions s
        join people p on p.id = s.person_id
       where s.hash = ${hash}
    ), seen as (
      update sessions
         set last_seen_at = now()
       where hash = ${hash} and ${is_used} and last_seen_at < now() - interval '1 minute'
         and exists (select 1 from found where not is_over)
      returning 1
    )
    select session_id, person_id, kind, email, staff_role, is_demo, totp_enabled, totp_until,
           ends_at, is_over,
           case when exists (select 1 from seen) then idle_at + (now() - last_seen_at)
                else idle_at end as idle_at
      from found`
  return row
}

const lives = (sql: Sql): Fragment => sql`
  ended_at is null and ends_at > now()
  and last_seen_at > now() - (select ${idleOf(sql)} from people p where p.id = person_id)`

/** Those that still open something, newest first; without the old token of one that continues. */
export const listOpenSessions = (sql: Sql, person_id: string): Promise<OpenSession[]> => sql<
  OpenSession[]
>`
  select id, ip, user_agent, created_at, last_seen_at, ends_at, totp_at
    from sessions
   where person_id = ${person_id} and replaced_at is null and ${lives(sql)}
   order by created_at desc, id desc`

/** How many ended by it. A link that a start has printed opens none afterwards either. */
export async function endEverySession(sql: Sql, person_id: string): Promise<number> {
  const rows = await sql`
    with voided as (
      update person_tokens set used_at = now()
       where person_id = ${person_id} and purpose = 'SIGN_IN' and used_at is null)
    update sessions set ended_at = now() where person_id = ${person_id} and ${lives(sql)}`
  return rows.count
}

export type Portion = Readonly<{ days: number; limit: number }>

/** Over for so long. Younger ones show which addresses a person has signed in from. */
export async function deleteOldSessions(sql: Sql, { days, limit }: Portion): Promise<number> {
  const gone = await sql`
    delete from sessions where hash in (
      select hash from sessions
       where least(ended_at, ends_at,
                   last_seen_at + ${session_ends.MEMBER.idle_min} * interval '1 minute')
             < now() - ${days} * interval '1 day'
       limit ${limit} for update skip locked)`
  return gone.count
}

/** Used, or run out, so long ago. */
export async function deleteOldTokens(sql: Sql, { days, limit }: Portion): Promise<number> {
  const gone = await sql`
    delete from person_tokens where hash in (
      select hash from person_tokens
       where least(used_at, expires_at) < now() - ${days} * interval '1 day'
       limit ${limit} for update skip locked)`
  return gone.count
}
