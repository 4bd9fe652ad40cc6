// A cluster for the tests: CITUS_URL names a database of its coordinator in which its nodes are
// registered. Each test database is made on all of them, as a clone of a template that is
// distributed already.

import { atGroup } from '../../src/app/connect.ts'
import { distribute, whyNotReady } from '../../src/app/distribute/distribute.ts'
import { openDb } from '../../src/platform/db.ts'
import { type Group, listGroups } from '../../src/platform/places/map-store.ts'
import { placePools } from '../../src/platform/places/place-pools.ts'
import { connectTo, type DatabaseOptions, type OwnerSql } from './database.ts'

/** Two on each of two nodes: one that moves has a neighbour that stays. */
const shards = 4

/** The servers that have merchants' rows. */
export async function findNodes(coordinator: DatabaseOptions): Promise<DatabaseOptions[]> {
  const sql = connectTo(coordinator, 1)
  try {
    const rows = await sql<{ host: string; port: number }[]>`
      select nodename as host, nodeport as port from pg_dist_node
       where noderole = 'primary' and isactive and shouldhaveshards order by nodeid`
    if (rows.length < 2) throw new Error('CITUS_URL: register at least two nodes there first')
    return rows.map(({ host, port }) => ({ ...coordinator, host, port }))
  } finally {
    await sql.end()
  }
}

/** Makes a database that is on every server one of Citus. */
export async function joinNodes(
  coordinator: DatabaseOptions,
  nodes: readonly DatabaseOptions[],
): Promise<void> {
  for (const place of [...nodes, coordinator]) {
    const sql = connectTo(place, 1)
    await sql`create extension citus`
    if (place === coordinator) {
      await sql`select citus_set_coordinator_host(${place.host}, ${place.port})`
      for (const { host, port } of nodes) await sql`select citus_add_node(${host}, ${port})`
    }
    await sql.end()
  }
}

/** As `db distribute` does it, before the first row. */
export async function spreadTemplate(coordinator: DatabaseOptions): Promise<void> {
  const db = openDb({
    ...coordinator,
    application_name: 'pirogue-cli',
    connections_max: 2,
    durable: true,
  })
  try {
    const why = await whyNotReady(db)
    if (why.length > 0) throw new Error(why.join('; '))
    await distribute(db, shards)
  } finally {
    await db.end()
  }
}

/** The tests' own connection reaches each merchant's rows as the service's do. */
export async function placeOwner(
  owner: OwnerSql,
  options: DatabaseOptions,
): Promise<() => Promise<void>> {
  const open = (group: Group) => connectTo(atGroup(options, group) as DatabaseOptions, 2)
  const readMap = () => listGroups(owner)
  return placePools({ readMap, onAway: () => undefined }, [{ control: owner, open }])
}

/** Nobody connects any more, and Citus' own process that does is ended. */
export async function closeTemplate(sql: OwnerSql, template: string): Promise<void> {
  await sql`alter database ${sql(template)} with allow_connections false`
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = ${template} and pid <> pg_backend_pid()`
}
