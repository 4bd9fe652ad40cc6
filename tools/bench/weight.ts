// What PostgreSQL writes for one payment: rows, log and commits, as its own statistics count them.

import type { Sql } from 'postgres'

/**
 * The weight of everything that was written between two reads, for one payment made between them.
 */
export type Weight = Readonly<{
  rows_inserted: number
  rows_updated: number
  /** How many of those updated needed new entries in each index of their table. */
  not_hot: number
  /** Rows written anew or not HOT, times the indexes of their tables, partial ones too. */
  index_entries_at_most: number
  wal_records: number
  /** Without images of whole pages, which depend on when the last checkpoint was. */
  wal_bytes: number
  commits: number
}>

type Look = Weight & Readonly<{ payments: number }>

/** A backend reports its statistics a second after its transaction at the latest. */
const told_after_ms = 2_000

/** Reads now; the returned function reads again and divides by the payments made between. */
export async function weigh(db: Sql): Promise<() => Promise<Weight>> {
  const before = await look(db)
  return async () => {
    const after = await look(db)
    const payments = Math.max(1, after.payments - before.payments)
    const each = (name: keyof Weight) => (after[name] - before[name]) / payments
    return {
      rows_inserted: each('rows_inserted'),
      rows_updated: each('rows_updated'),
      not_hot: each('not_hot'),
      index_entries_at_most: each('index_entries_at_most'),
      wal_records: each('wal_records'),
      wal_bytes: each('wal_bytes'),
      commits: each('commits'),
    }
  }
}

async function look(db: Sql): Promise<Look> {
  await new Promise((resolve) => setTimeout(resolve, told_after_ms))
  const [row] = await db<Look[]>`
    with indexes as (
      select indrelid, count(*) as number from pg_index group by indrelid
    ), tables as (
      select coalesce(sum(n_tup_ins), 0)::float8 as rows_inserted,
             coalesce(sum(n_tup_upd), 0)::float8 as rows_updated,
             coalesce(sum(n_tup_upd - n_tup_hot_upd), 0)::float8 as not_hot,
             coalesce(sum((n_tup_ins + n_tup_upd - n_tup_hot_upd) * number), 0)::float8
               as index_entries_at_most,
             coalesce(sum(n_tup_ins) filter (where relname = 'transactions'), 0)::float8 as payments
      from pg_stat_user_tables left join indexes on indrelid = relid
    )
    select rows_inserted, rows_updated, not_hot, index_entries_at_most, payments,
           wal_records::float8,
           (wal_bytes - wal_fpi * current_setting('block_size')::int)::float8 as wal_bytes,
           (select sum(xact_commit)::float8 from pg_stat_database) as commits
    from tables, pg_stat_wal`
  if (row === undefined) throw new Error('PostgreSQL has no statistics')
  return row
}
