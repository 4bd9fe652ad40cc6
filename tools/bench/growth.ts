// What an installation holds while it works: memory of its processes, bytes of its tables and
// indexes. A table may grow with its rows; one that grows beyond them leaves behind what nobody
// clears.

import type { Sql } from 'postgres'
import { residentBytes } from '../../server/test/setup/process-tree.ts'
import type { BenchApp } from './start-app.ts'

export type Held = Readonly<{
  memory_bytes: number
  tables: ReadonlyMap<string, TableHeld>
}>

/** Monthly partitions count as their table, and a row's long texts with it. */
type TableHeld = Readonly<{ rows: number; table_bytes: number; index_bytes: number }>

export type Grown = Readonly<{ name: string; was_bytes: number; is_bytes: number; rows: number }>

export async function lookAtHouse(app: BenchApp, db: Sql): Promise<Held> {
  const rows = await db<(TableHeld & { name: string })[]>`
    select coalesce(parent.relname, s.relname) as name, sum(s.n_live_tup)::float8 as rows,
           sum(pg_table_size(s.relid))::float8 as table_bytes,
           sum(pg_indexes_size(s.relid))::float8 as index_bytes
      from pg_stat_user_tables s
      left join pg_inherits on inhrelid = s.relid
      left join pg_class parent on parent.oid = inhparent
     group by 1`
  const pids = [app.api_pid, ...app.worker_pids]
  return {
    memory_bytes: pids.reduce((all, pid) => all + residentBytes(pid), 0),
    tables: new Map(rows.map(({ name, ...held }) => [name, held])),
  }
}

/** A page is taken before it is filled, and what died waits for the next vacuum. */
const beside = { times: 1.5, bytes: 4 * 1024 * 1024 } as const

/** Tables and indexes that have grown beyond their rows between two looks. */
export function grownBeyond(before: Held, after: Held): Grown[] {
  return [...after.tables].flatMap(([name, now]) => {
    const then = before.tables.get(name)
    if (then === undefined) return []
    const more = Math.max(1, now.rows / Math.max(1, then.rows))
    const isBeyond = (was: number, is: number) => is > was * more * beside.times + beside.bytes
    const { rows } = now
    const table = { name, was_bytes: then.table_bytes, is_bytes: now.table_bytes, rows }
    const indexes = {
      name: `indexes of ${name}`,
      was_bytes: then.index_bytes,
      is_bytes: now.index_bytes,
      rows,
    }
    return [table, indexes].filter(({ was_bytes, is_bytes }) => isBeyond(was_bytes, is_bytes))
  })
}

/** Buffers that a process fills once, and what its collector has not come to. */
const memory_beside = { times: 1.25, bytes: 64 * 1024 * 1024 } as const

export const isFlat = (before: Held, after: Held): boolean =>
  after.memory_bytes <= before.memory_bytes * memory_beside.times + memory_beside.bytes
