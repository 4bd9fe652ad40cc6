// The tickets for files. Law: one is taken by removing its row, so of two connections that show it
// at the same time one finds it.

import type { Sql } from '../../platform/db.ts'
import type { Locale } from '../../platform/errors.ts'
import type { Environment } from '../../platform/http/route.ts'
import { type SessionFound, sessionColumns } from '../sessions/store.ts'

/** Where the session acts: as its headers said when the ticket was made. */
export type Place = Readonly<{
  /** Null: staff, who act for none. */
  acts_for: string | null
  environment: Environment
  locale: Locale
}>

export type NewTicket = Place &
  Readonly<{ hash: Buffer; target: Buffer; session_id: string; valid_s: number }>

/** Answers when it ends. */
export async function insertTicket(sql: Sql, ticket: NewTicket): Promise<Date> {
  const [row] = await sql<{ expires_at: Date }[]>`
    insert into download_tickets
      (hash, target, session_id, acts_for, environment, locale, expires_at)
    values (${ticket.hash}, ${ticket.target}, ${ticket.session_id}, ${ticket.acts_for},
      ${ticket.environment}, ${ticket.locale}, now() + ${ticket.valid_s} * interval '1 second')
    returning expires_at`
  if (row === undefined) throw new Error('bug: a ticket without a row')
  return row.expires_at
}

/** At another address than its own it stays, for whoever it was made for. */
export async function takeTicket(
  sql: Sql,
  { hash, target }: Readonly<{ hash: Buffer; target: Buffer }>,
): Promise<(SessionFound & Place) | undefined> {
  const [row] = await sql<(SessionFound & Place)[]>`
    with taken as (
      delete from download_tickets
       where hash = ${hash} and target = ${target} and expires_at > now()
      returning session_id, acts_for, environment, locale)
    select ${sessionColumns(sql)}, t.acts_for, t.environment, t.locale
      from taken t
      join sessions s on s.id = t.session_id
      join people p on p.id = s.person_id`
  return row
}

/** Those that nobody has used. */
export async function deleteOldTickets(sql: Sql): Promise<number> {
  const gone = await sql`delete from download_tickets where expires_at < now()`
  return gone.count
}
