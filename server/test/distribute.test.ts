// `db distribute` on plain PostgreSQL: what it refuses, a line each, and that it changes nothing.
// What it does on Citus needs a cluster: on-a-cluster.test.ts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../src/app/cli/command-line.ts'
import { distribute, whyNotReady, whyNotRight } from '../src/app/distribute/distribute.ts'
import {
  copiedTables,
  merchantsAtControl,
  merchantTables,
} from '../src/app/distribute/merchant-tables.ts'
import { type Db, openDb } from '../src/platform/db.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './setup/database.ts'
import { tableOwners } from './tidy/table-owners.ts'

const isCluster = process.env['CITUS_URL'] !== undefined

let database: TestDatabase
let db: Db

const openAs = ({ options }: TestDatabase, application_name: string): Db =>
  openDb({ ...options, connections_max: 2, durable: true, application_name })

beforeAll(async () => {
  database = await createTestDatabase()
  db = openAs(database, 'pirogue-cli')
})
afterAll(async () => {
  await db.end()
  await database.drop()
})

describe('what is distributed', () => {
  it('is every table of a merchant, but for those that have a reason', async () => {
    const rows = await db<{ name: string }[]>`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
         and not c.relispartition and a.attname = 'merchant_id' and not a.attisdropped
       order by name`
    const said = [...merchantTables, ...Object.keys(merchantsAtControl)].sort()
    expect(rows.map(({ name }) => name)).toEqual(said)
  })

  it('and what every node has a copy of are tables that there are', () => {
    const tables = Object.keys(copiedTables)
    expect(tables.filter((table) => !Object.hasOwn(tableOwners, table))).toEqual([])
  })
})

describe('db distribute', () => {
  it('refuses a database without Citus', async () => {
    if (isCluster) return
    expect(await whyNotReady(db)).toEqual([expect.stringMatching(/^Citus is not loaded: /)])
    expect(await whyNotRight(db)).toEqual(['This database is not distributed.'])
  })

  it('refuses while a process of the service is connected, and names it', async () => {
    // Where all is distributed already, the service may run.
    if (isCluster) return
    const alive = openAs(database, 'pirogue-live')
    await alive`select 1`
    const why = await whyNotReady(db)
    await alive.end()
    expect(why[0]).toBe('The service is running (pirogue-live). Stop every process of it first.')
  })

  it('refuses a database without all migrations', async () => {
    const empty = await createEmptyDatabase()
    const own = openAs(empty, 'pirogue-cli')
    expect(await whyNotReady(own)).toEqual([
      expect.stringMatching(/^\d+ migrations are missing\. Run: npm run cli -- migrate$/),
    ])
    await own.end()
    await empty.drop()
  })

  it('says so by its exit code, and takes no number of shards that cannot be', async () => {
    const said: string[] = []
    const say = (line: string) => said.push(line)
    const run = (...args: string[]) =>
      runCli(args, { env: { DATABASE_URL: 'postgres://127.0.0.1:1/none' }, out: say, err: say })
    expect(await run('db', 'distribute', '--shards', '0')).toBe(1)
    expect(said.join('\n')).toContain('a number from 1 to 256')
  })
})

describe('on a cluster', () => {
  it('is done already in each test database, and nothing the second time', async () => {
    if (!isCluster) {
      console.warn('SKIPPED: CITUS_URL is not set, so nothing was tried on Citus.')
      return
    }
    expect(await whyNotReady(db)).toEqual([])
    expect(await distribute(db, 4)).toEqual({ tables: 0, groups: 4 })
    expect(await whyNotRight(db)).toEqual([])
  }, 180_000)

  it('is to be done again after a migration that adds a column, and says so', async () => {
    if (!isCluster) return
    for (const table of ['refunds', 'networks']) {
      await database.owner.unsafe(`alter table ${table} add column is_new boolean`)
    }
    expect(await whyNotRight(db)).toEqual(['Changed since the groups were made: networks, refunds'])
    expect(await distribute(db, 4)).toEqual({ tables: 0, groups: 4 })
    expect(await whyNotRight(db)).toEqual([])
  }, 180_000)
})
