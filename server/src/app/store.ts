// What the metrics read: the ages that matter, each from an index, none growing with history. And
// what keeps the planner's picture of young tables true.

import type { Sql } from '../platform/db.ts'

export type Ages = Readonly<{
  oldest_unnumbered_event_s: number
  oldest_undelivered_s: number
  oldest_due_attempt_s: number
  open_incidents: number
  upload_bytes: number
}>

export async function readAges(sql: Sql): Promise<Ages> {
  const [row] = await sql<Ages[]>`
    select
      coalesce((select extract(epoch from now() - min(created_at)) from events
                 where seq is null), 0)::float8 as oldest_unnumbered_event_s,
      coalesce((select extract(epoch from now() - min(due_at)) from webhook_lanes
                 where due_at <= now()), 0)::float8 as oldest_undelivered_s,
      coalesce((select extract(epoch from now() - min(due_at)) from attempts
                 where due_at <= now()), 0)::float8 as oldest_due_attempt_s,
      (select count(*)::int from incidents where status = 'OPEN') as open_incidents,
      (select coalesce(sum(size_bytes), 0)::float8 from kyc_documents
        where deleted_at is null) as upload_bytes`
  return (
    row ?? {
      oldest_unnumbered_event_s: 0,
      oldest_undelivered_s: 0,
      oldest_due_attempt_s: 0,
      open_incidents: 0,
      upload_bytes: 0,
    }
  )
}

/** Since when each kind of expiring data has not been looked after; few rows, ever. */
export const readRetentionAges = (sql: Sql): Promise<{ kind: string; age_s: number }[]> => sql<
  { kind: string; age_s: number }[]
>`
  select kind, extract(epoch from now() - finished_at)::float8 as age_s
    from retention_runs where finished_at is not null`

/** The names of the migrations that this database has. */
export async function listMigrations(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select name from schema_migrations`
  return rows.map((row) => row.name)
}

/** Locks nothing that anyone waits for; reads at most 30,000 rows of each table it counts. */
export async function countOutgrownTables(sql: Sql): Promise<void> {
  await sql`select count_outgrown_tables()`
}
