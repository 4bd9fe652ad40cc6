// `db distribute`: places each merchant's rows on the nodes of Citus, and writes the map by which
// processes find them (docs/decisions/0068). Law: it refuses what is not ready before it changes
// anything, and may be run again at any time: after migrations, and after shards have moved.

import { type Db, inTransaction } from '../../platform/db.ts'
import { renewMap } from '../../platform/places/place-pools.ts'
import { missingMigrations } from '../readiness.ts'
import { listMigrations } from '../store.ts'
import { copyTable, listUncopied } from './copies-store.ts'
import { copiedTables, merchantTables } from './merchant-tables.ts'
import {
  addForeignKey,
  countGroups,
  countNodes,
  distributeTable,
  dropForeignKey,
  hasRows,
  hasSchema,
  isCitusLoaded,
  listClients,
  listDistributed,
  listForeignKeys,
  listMisplaced,
  listStale,
  makeGroups,
  oneShardAfterTheOther,
  openRoles,
} from './store.ts'

export type Distributed = Readonly<{ tables: number; groups: number }>

/** Every other table goes where this one is. */
const first = 'transactions'
/** Points from a merchant's row at one of control, which no other key does (decision 0003). */
const key_given_up = { table: 'payout_methods', to: 'merchants' }

/** Why it cannot be distributed now, a line each; none when it can. */
export async function whyNotReady(db: Db): Promise<string[]> {
  const missing = await missingMigrations((await hasSchema(db)) ? await listMigrations(db) : [])
  if (missing.length > 0) {
    return [`${missing.length} migrations are missing. Run: npm run cli -- migrate`]
  }
  const isLoaded = await isCitusLoaded(db)
  const done = isLoaded ? await listDistributed(db, merchantTables) : new Set<string>()
  const left = merchantTables.filter((table) => !done.has(table))
  // Only the map and the views are made anew then, and whoever meets that waits for it.
  const alive = left.length === 0 ? [] : await listClients(db)
  const why =
    alive.length === 0
      ? []
      : [`The service is running (${alive.join(', ')}). Stop every process of it first.`]
  if (!isLoaded) {
    return [
      ...why,
      'Citus is not loaded: add citus to shared_preload_libraries, restart, and run on every ' +
        'node: create extension citus',
    ]
  }
  if ((await countNodes(db)) === 0) {
    why.push('No node is registered. Run for each: select citus_add_node(host, port)')
  }
  const filled: string[] = []
  for (const table of left) if (await hasRows(db, table)) filled.push(table)
  if (filled.length > 0) {
    why.push(`These tables have rows and are not distributed: ${filled.join(', ')}`)
  }
  return why
}

/** What `db distribute --check` finds wrong with a distributed database, a line each. */
export async function whyNotRight(db: Db): Promise<string[]> {
  if (!(await isCitusLoaded(db)) || (await countGroups(db)) === 0) {
    return ['This database is not distributed.']
  }
  const done = await listDistributed(db, merchantTables)
  const left = merchantTables.filter((table) => !done.has(table))
  const misplaced = await listMisplaced(db)
  const stale = [...(await listUncopied(db, copiedTables)), ...(await listStale(db))]
  return [
    ...(left.length === 0 ? [] : [`Not distributed: ${left.join(', ')}`]),
    ...(misplaced.length === 0 ? [] : [`Moved since the map was made: ${misplaced.join(', ')}`]),
    ...(stale.length === 0
      ? []
      : [`Changed since the groups were made: ${[...new Set(stale)].join(', ')}`]),
  ]
}

/** To be run when `whyNotReady` has found nothing. */
export async function distribute(db: Db, shards: number): Promise<Distributed> {
  await openRoles(db)
  const done = await listDistributed(db, merchantTables)
  const left = [first, ...merchantTables.filter((table) => table !== first)].filter(
    (table) => !done.has(table),
  )
  if (left.length > 0) await place(db, left, shards)
  for (const [table, columns] of Object.entries(copiedTables)) await copyTable(db, table, columns)
  const failed = await makeGroups(db)
  if (failed.length > 0) throw new Error(`The groups were not made on node ${failed.join('; ')}`)
  const groups = await renewMap(db)
  return { tables: left.length, groups }
}

// Foreign keys are taken off and put back: a table that is placed first would point at one that is
// not placed yet.
const place = (db: Db, tables: readonly string[], shards: number): Promise<void> =>
  inTransaction(db, async (tx) => {
    await oneShardAfterTheOther(tx, shards)
    const keys = await listForeignKeys(tx, merchantTables)
    for (const key of keys) await dropForeignKey(tx, key)
    for (const table of tables) {
      await distributeTable(tx, table, table === first ? undefined : first)
    }
    const kept = keys.filter(
      ({ table, to }) => table !== key_given_up.table || to !== key_given_up.to,
    )
    for (const key of kept) await addForeignKey(tx, key)
  })
