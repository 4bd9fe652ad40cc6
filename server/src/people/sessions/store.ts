// Statements about the sessions of one person, and about those long over.

import type { Fragment, Sql } from '../../platform/db.ts'
import { idleOf } from '../store.ts'
import { session_ends } from './session-token.ts'

export type OpenSession = Readonly<{
  id: string
  ip: string
  user_agent: string
  created_at: Date
  last_seen_at: Date
  ends_at: Date
  totp_at: Date | null
}>

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

/** How many ended by it. */
export async function endEverySession(sql: Sql, person_id: string): Promise<number> {
  const rows = await sql`
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
