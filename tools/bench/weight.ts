// What PostgreSQL writes for one payment: rows, index entries, log and commits, by table, as its
// own statistics and its log count them. Counters hold on a busy machine, where seconds do not.

import type { Sql } from 'postgres'

/**
 * The weight of everything that was written between two reads, for one payment made between them.
 */
export type Weight = Counts &
  Readonly<{
    wal_records: number
    /** Without images of whole pages, which depend on when the last checkpoint was. */
    wal_bytes: number
    wal_bytes_with_images: number
    commits: number
    /** The heaviest first. */
    tables: readonly TableWeight[]
  }>

type Counts = Readonly<{
  rows_inserted: number
  rows_updated: number
  /** How many of those updated needed new entries in each index of their table. */
  not_hot: number
  /** Rows written anew or not HOT, times the indexes of their tables, partial ones too; no BRIN. */
  index_entries_at_most: number
}>

/** Monthly partitions count as their table, and a row's long texts with it. */
export type TableWeight = Counts &
  Readonly<{
    table: string
    indexes: number
    /**
     * Entries of its indexes that were made: those in the log; where the table has no log, as many
     * as there may have been. And its log, of its indexes too.
     */
    index_entries: number
    wal_bytes: number
  }>

type Whole = Readonly<{
  payments: number
  wal_records: number
  wal_bytes: number
  wal_bytes_with_images: number
  commits: number
  lsn: string
}>
type Look = Readonly<{ whole: Whole; tables: readonly TableCounts[] }>
type TableCounts = Omit<TableWeight, 'index_entries' | 'wal_bytes'> &
  Readonly<{ unlogged: boolean }>
type Logged = Readonly<{ table: string; index_entries: number; wal_bytes: number }>

/** A backend reports its statistics a second after its transaction at the latest. */
const told_after_ms = 2_000

/**
 * Reads now; the returned function reads again and divides by the payments made between. The log is
 * read too where `by_table`, which takes as long as some thousands of payments did.
 */
export async function weigh(db: Sql, { by_table = false } = {}): Promise<() => Promise<Weight>> {
  if (by_table) await mergePending(db)
  const before = await look(db)
  return async () => {
    if (by_table) await mergePending(db)
    const after = await look(db)
    const payments = Math.max(1, after.whole.payments - before.whole.payments)
    const each = (name: Exclude<keyof Whole, 'lsn'>) =>
      (after.whole[name] - before.whole[name]) / payments
    const logged = by_table ? await readLog(db, before.whole.lsn) : []
    const exact = by_table ? await logWithoutImages(db, before.whole.lsn) : undefined
    const tables = tablesOf({ before, after, logged, payments })
    const sum = (name: keyof Counts) => tables.reduce((all, table) => all + table[name], 0)
    return {
      rows_inserted: sum('rows_inserted'),
      rows_updated: sum('rows_updated'),
      not_hot: sum('not_hot'),
      index_entries_at_most: sum('index_entries_at_most'),
      wal_records: each('wal_records'),
      wal_bytes: exact === undefined ? each('wal_bytes') : exact / payments,
      wal_bytes_with_images: each('wal_bytes_with_images'),
      commits: each('commits'),
      tables,
    }
  }
}

type Between = Readonly<{ before: Look; after: Look; logged: readonly Logged[]; payments: number }>

function tablesOf({ before, after, logged, payments }: Between): TableWeight[] {
  const then = new Map(before.tables.map((one) => [one.table, one]))
  const log = new Map(logged.map((one) => [one.table, one]))
  const tables = after.tables.map((now): TableWeight => {
    const each = (name: keyof Counts) => (now[name] - (then.get(now.table)?.[name] ?? 0)) / payments
    return {
      table: now.table,
      indexes: now.indexes,
      rows_inserted: each('rows_inserted'),
      rows_updated: each('rows_updated'),
      not_hot: each('not_hot'),
      index_entries_at_most: each('index_entries_at_most'),
      index_entries: now.unlogged
        ? each('index_entries_at_most')
        : (log.get(now.table)?.index_entries ?? 0) / payments,
      wal_bytes: (log.get(now.table)?.wal_bytes ?? 0) / payments,
    }
  })
  return tables.sort((a, b) => b.index_entries_at_most - a.index_entries_at_most)
}

/**
 * Trigram indexes merge what is new in portions that may be larger than what is weighed: what came
 * between the two reads is merged between them.
 */
async function mergePending(db: Sql): Promise<void> {
  await db`
    select gin_clean_pending_list(c.oid::regclass)
      from pg_class c join pg_am m on m.oid = c.relam
     where m.amname = 'gin' and c.relkind = 'i'`
}

async function look(db: Sql): Promise<Look> {
  await new Promise((resolve) => setTimeout(resolve, told_after_ms))
  const tables = await db<TableCounts[]>`
    with indexes as (
      -- A range index (BRIN) has no entry for a row and hinders no HOT update.
      select indrelid, count(*)::int as number
        from pg_index join pg_class c on c.oid = indexrelid join pg_am m on m.oid = c.relam
       where m.amname <> 'brin'
       group by indrelid
    )
    select coalesce(parent.relname, s.relname) as table, max(coalesce(number, 0)) as indexes,
           bool_and(own.relpersistence = 'u') as unlogged,
           sum(n_tup_ins)::float8 as rows_inserted, sum(n_tup_upd)::float8 as rows_updated,
           sum(n_tup_upd - n_tup_hot_upd)::float8 as not_hot,
           sum((n_tup_ins + n_tup_upd - n_tup_hot_upd) * coalesce(number, 0))::float8
             as index_entries_at_most
      from pg_stat_user_tables s
      join pg_class own on own.oid = s.relid
      left join indexes on indrelid = relid
      left join pg_inherits on inhrelid = relid
      left join pg_class parent on parent.oid = inhparent
     group by 1`
  const [whole] = await db<Whole[]>`
    select (select n_tup_ins::float8 from pg_stat_user_tables where relname = 'transactions')
             as payments,
           wal_records::float8, wal_bytes::float8 as wal_bytes_with_images,
           (wal_bytes - wal_fpi * current_setting('block_size')::int)::float8 as wal_bytes,
           (select sum(xact_commit)::float8 from pg_stat_database) as commits,
           pg_current_wal_flush_lsn()::text as lsn
      from pg_stat_wal`
  if (whole === undefined) throw new Error('PostgreSQL has no statistics')
  return { whole, tables }
}

/** Whether the server can read its log. */
async function canRead(db: Sql): Promise<boolean> {
  const [able] = await db`
    select 1 from pg_available_extensions where name = 'pg_walinspect' and default_version >= '1.1'`
  if (able === undefined) return false
  await db`create extension if not exists pg_walinspect`
  return true
}

async function logWithoutImages(db: Sql, since: string): Promise<number | undefined> {
  if (!(await canRead(db))) return undefined
  const [row] = await db<{ bytes: number }[]>`
    select sum(record_length - fpi_length)::float8 as bytes
      from pg_get_wal_records_info(${since}::text::pg_lsn, pg_current_wal_flush_lsn())`
  return row?.bytes
}

/** What the log has of each table since then; nothing where the server cannot read its log. */
async function readLog(db: Sql, since: string): Promise<Logged[]> {
  if (!(await canRead(db))) return []
  return db<Logged[]>`
    with logged as materialized (
      select b.relfilenode,
             count(*) filter (where b.resource_manager = 'Btree'
               and (b.record_type like 'INSERT_LEAF%' or b.record_type like 'INSERT_POST%'
                    or b.record_type like 'SPLIT%'))::float8 as entries,
             count(*) filter (where b.resource_manager in ('Gin', 'Gist')
               and b.record_type like '%INSERT%')::float8 as other_entries,
             sum(b.record_length - b.block_fpi_length)::float8 as bytes
        from pg_get_wal_block_info(${since}::text::pg_lsn, pg_current_wal_flush_lsn()) b
       where b.block_id = 0
       group by b.relfilenode)
    select coalesce(parent.relname, t.relname) as table,
           sum(l.entries + l.other_entries)::float8 as index_entries,
           sum(l.bytes)::float8 as wal_bytes
      from logged l
      join pg_class c on c.relfilenode = l.relfilenode
      left join pg_index x on x.indexrelid = c.oid
      left join pg_class toasted on toasted.reltoastrelid = coalesce(x.indrelid, c.oid)
      join pg_class t on t.oid = coalesce(toasted.oid, x.indrelid, c.oid)
      left join pg_inherits on inhrelid = t.oid
      left join pg_class parent on parent.oid = inhparent
     group by 1`
}
