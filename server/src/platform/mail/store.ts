// The outbox's own statements.

import type { Sql } from '../db.ts'

export async function insertMail(sql: Sql, id: string, sealed: Buffer): Promise<void> {
  await sql`insert into mail_outbox (id, sealed) values (${id}, ${sealed})`
}
