// The outbox's own statements. An e-mail belongs to one worker for as long as its lease lasts; the
// number of its tries distinguishes a worker that slept through that from the one that has it now.

import type { Sql } from '../db.ts'
import { control } from '../places/places.ts'

export async function insertMail(sql: Sql, id: string, sealed: Buffer): Promise<void> {
  await control(sql)`insert into mail_outbox (id, sealed) values (${id}, ${sealed})`
}

export type ClaimedMail = Readonly<{
  id: string
  sealed: Buffer
  /** This one included. */
  tries: number
  created_at: Date
  age_s: number
}>

/** Claims a few e-mails that are due longest and not leased; each counts this as a try. */
export const claimMails = (
  sql: Sql,
  { most, lease_s }: { most: number; lease_s: number },
): Promise<ClaimedMail[]> => sql<ClaimedMail[]>`
  update mail_outbox o
     set tries = o.tries + 1, leased_until = now() + ${lease_s} * interval '1 second'
    from (select id from mail_outbox
           where due_at <= now() and (leased_until is null or leased_until <= now())
           order by due_at
           limit ${most}
             for update skip locked) as due
   where o.id = due.id
  returning o.id, o.sealed, o.tries, o.created_at,
            extract(epoch from now() - o.created_at)::float8 as age_s`

/** A deferred e-mail has now been written. */
export async function updateSealed(sql: Sql, id: string, sealed: Buffer): Promise<void> {
  await sql`update mail_outbox set sealed = ${sealed} where id = ${id}`
}

/** Due again later, unless another worker has it meanwhile. */
export async function postponeMail(
  sql: Sql,
  { id, tries }: Pick<ClaimedMail, 'id' | 'tries'>,
  { after_s, fault }: { after_s: number; fault: string },
): Promise<void> {
  await sql`
    update mail_outbox
       set due_at = now() + ${after_s} * interval '1 second', leased_until = null,
           last_error = ${fault}
     where id = ${id} and tries = ${tries}`
}

export async function deleteMail(sql: Sql, id: string): Promise<void> {
  await sql`delete from mail_outbox where id = ${id}`
}
