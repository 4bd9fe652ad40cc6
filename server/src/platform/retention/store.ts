// The statements of retention: when each kind of data was last brought to its end date, and the
// months of partitioned tables, made ahead and dropped.

import type { Sql } from '../db.ts'

export async function addRemoved(
  sql: Sql,
  kind: string,
  { removed, is_finished, days }: RunPortion,
): Promise<void> {
  await sql`
    insert into retention_runs as r (kind, removed, finished_at, days)
    values (${kind}, ${removed}, case when ${is_finished}::boolean then now() end, ${days}::int)
    on conflict (kind) do update
       set removed = r.removed + excluded.removed,
           finished_at = coalesce(excluded.finished_at, r.finished_at),
           days = coalesce(excluded.days, r.days)`
}

/** `days`: null where they are not the service's own. */
type RunPortion = Readonly<{ removed: number; is_finished: boolean; days: number | null }>

export type Run = Readonly<{
  kind: string
  removed: bigint
  finished_at: Date | null
  /** As the service's worker had it in its last run; null: none has run. */
  days: number | null
}>

export const listRuns = (sql: Sql): Promise<Run[]> => sql<Run[]>`
  select kind, removed, finished_at, days from retention_runs order by kind`

// Making the coming months and dropping those that are over are functions that the tables' owner
// lends (migrations 0013, 0024, 0039, 0288).

/** Drops the oldest month that can go, all of it older than so many days. Returns 1, else 0. */
export async function dropOldestPartition(sql: Sql, parent: string, days: number): Promise<number> {
  const [row] = await sql<{ dropped: string | null }[]>`
    select drop_oldest_partition(${parent}, now() - ${days} * interval '1 day') as dropped`
  return row?.dropped == null ? 0 : 1
}

/** Removes at most `limit` rows as old outside any month; returns how many. */
export async function dropDefaultRows(
  sql: Sql,
  parent: string,
  { days, limit }: Readonly<{ days: number; limit: number }>,
): Promise<number> {
  const [row] = await sql<{ ended: number }[]>`
    select drop_default_rows(${parent}, now() - ${days} * interval '1 day', ${limit}) as ended`
  return row?.ended ?? 0
}

/** Whether there is a month, or a row outside the months, that should have gone by now. */
export async function hasOverdue(sql: Sql, parent: string, days: number): Promise<boolean> {
  const [row] = await sql<{ is_overdue: boolean }[]>`
    select count_overdue(${parent}, now() - ${days} * interval '1 day') > 0 as is_overdue`
  return row?.is_overdue ?? true
}

/** Makes the coming months that can be made now. */
export async function makeMonths(sql: Sql): Promise<void> {
  await sql`select ensure_partitions()`
}

/** The names of the months that are missing. */
export async function listMissingMonths(sql: Sql): Promise<string[]> {
  const missing = await sql<{ name: string }[]>`
    select name from (
      select c.relname || '_' || to_char(month at time zone 'UTC', 'YYYYMM') as name
        from pg_partitioned_table p
        join pg_class c on c.oid = p.partrelid
        join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
       cross join generate_series(date_trunc('month', now(), 'UTC'),
                                  date_trunc('month', now(), 'UTC') + interval '3 months',
                                  interval '1 month') as month
       where p.partstrat = 'r' and a.atttypid = 'uuid'::regtype
         and c.relnamespace = 'public'::regnamespace) as wanted
     where to_regclass(quote_ident(name)) is null
     order by name`
  return missing.map(({ name }) => name)
}
