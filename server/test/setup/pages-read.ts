// How many pages of a table and its indexes a piece of work reads, as PostgreSQL counts them for
// the transaction at hand: what a list costs, whatever the clock says and the plan is called.

import { type Db, inTransaction, type Tx } from '../../src/platform/db.ts'

/** The dearer of the two plans that a prepared statement may get. */
export async function pagesRead(
  db: Db,
  table: string,
  work: (tx: Tx) => Promise<unknown>,
): Promise<number> {
  const counts: number[] = []
  for (const plans of ['force_custom_plan', 'force_generic_plan']) {
    await inTransaction(db, async (tx) => {
      await tx`select set_config('plan_cache_mode', ${plans}, true)`
      const before = await fetched(tx, table)
      await work(tx)
      counts.push((await fetched(tx, table)) - before)
    })
  }
  return Math.max(...counts)
}

/** For the table, its partitions, and the indexes of either. */
async function fetched(tx: Tx, table: string): Promise<number> {
  const [row] = await tx<{ pages: number }[]>`
    with tables as (
      select ${table}::regclass::oid as oid
       union all
      select inhrelid from pg_inherits where inhparent = ${table}::regclass)
    select coalesce(sum(pg_stat_get_xact_blocks_fetched(t.oid)), 0)::int
           + coalesce(sum((select sum(pg_stat_get_xact_blocks_fetched(i.indexrelid))
                             from pg_index i where i.indrelid = t.oid)), 0)::int as pages
      from tables t`
  return row?.pages ?? 0
}
