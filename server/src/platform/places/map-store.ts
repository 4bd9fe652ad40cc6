// The map of a distributed database: which shard groups there are, and where each one is now. `db
// distribute` writes it; on one PostgreSQL it is empty.

import type { Sql, Tx } from '../db.ts'
import { uuidHash } from './uuid-hash.ts'

export type Group = Readonly<{
  no: number
  /** The hashes of its merchants (`uuidHash`), both ends included. */
  hash_min: number
  hash_max: number
  host: string
  port: number
  /** Empty: named as the one with control. */
  database: string
  /** The schema with its tables, by their own names. */
  schema: string
}>

/** All groups by their hashes, the lowest first; none on one PostgreSQL. */
export const listGroups = (sql: Sql): PromiseLike<Group[]> => sql<Group[]>`
  select no, hash_min, hash_max, host, port, database, schema_name as schema
    from shard_groups order by hash_min`

/** The group of one merchant as control has it now; undefined on one PostgreSQL. */
export async function findGroup(sql: Sql, merchant_id: string): Promise<Group | undefined> {
  const groups = await listGroups(sql)
  const hash = uuidHash(merchant_id)
  return groups.find(({ hash_min, hash_max }) => hash_min <= hash && hash <= hash_max)
}

/** The map that processes read; groups are numbered by their hashes, the lowest first. */
export async function writeMap(tx: Tx): Promise<number> {
  await tx`delete from shard_groups`
  const rows = await tx`
    insert into shard_groups (no, hash_min, hash_max, host, port, schema_name)
    select g.no, g.hash_min, g.hash_max, n.nodename, n.nodeport, 'sg_' || g.no
      from (select row_number() over (order by shardminvalue::int)::int as no, shardid,
                   shardminvalue::int as hash_min, shardmaxvalue::int as hash_max
              from pg_dist_shard where logicalrelid = 'transactions'::regclass) g
      join pg_dist_placement p using (shardid)
      join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'`
  return rows.count
}

/** Whose row of this id there is in one group; none, or one. */
export const listOwners = (
  sql: Sql,
  table: string,
  id: string,
): PromiseLike<{ merchant_id: string }[]> => sql<{ merchant_id: string }[]>`
  select merchant_id from ${sql(table)} where id = ${id}`

/** The guard of the group that the connection looks at: see group-pool.ts. */
export const callGuard = (tx: Sql): PromiseLike<unknown> => tx`select shard_guard()`
