// Migrations: each once, in order, all or nothing, one migrator at a time.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectTo, createEmptyDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { startEmbedded } from './embedded/start-embedded.ts'
import { migrate } from './migrate.ts'

let database: TestDatabase
let dir: string

beforeEach(async () => {
  database = await createEmptyDatabase()
  dir = await mkdtemp(join(tmpdir(), 'pirogue-migrations-'))
})

afterEach(async () => {
  await database.drop()
  await rm(dir, { recursive: true })
})

const write = (name: string, text: string) => writeFile(join(dir, name), text)
const run = () => migrate(database.owner, { dir })

async function appliedNames(): Promise<string[]> {
  const rows = await database.owner<{ name: string }[]>`
    select name from schema_migrations order by name`
  return rows.map((row) => row.name)
}

async function hasTable(name: string): Promise<boolean> {
  const [row] = await database.owner<{ there: boolean }[]>`
    select to_regclass(${name}) is not null as there`
  return row?.there ?? false
}

describe('migrate', () => {
  it('applies the files in the order of their names, and each only once', async () => {
    await write('0002_fill.sql', 'insert into boats (name) values ($$Ndar$$);')
    await write('0001-boats.sql', 'create table boats (name text);')
    expect(await run()).toEqual(['0001-boats.sql', '0002_fill.sql'])
    expect(await run()).toEqual([])
    await write('0003-more.sql', 'insert into boats (name) values ($$Saly$$);')
    expect(await run()).toEqual(['0003-more.sql'])
    const rows = await database.owner<{ name: string }[]>`select name from boats order by name`
    expect(rows.map((row) => row.name)).toEqual(['Ndar', 'Saly'])
  })

  it('gives what the files make to pirogue_owner, and leaves the session as it was', async () => {
    await write('0001-boats.sql', 'create table boats (name text);')
    const sql = connectTo(database.options, 1)
    await migrate(sql, { dir })
    const [row] = await sql`
      select tableowner, current_user::text as now
        from pg_tables where tablename = 'boats'`
    await sql.end()
    expect(row).toMatchObject({ tableowner: 'pirogue_owner', now: database.options.user })
  })

  it('makes the extensions and lets pirogue_app read the list but not write it', async () => {
    await run()
    const rows = await database.owner<{ name: string }[]>`
      select extname as name from pg_extension
       where extname in ('pg_trgm', 'btree_gist', 'btree_gin') order by extname`
    expect(rows.map((row) => row.name)).toEqual(['btree_gin', 'btree_gist', 'pg_trgm'])
    const asApp = (statement: string) =>
      database.owner.begin(async (tx) => {
        await tx`set local role pirogue_app`
        return tx.unsafe(statement)
      })
    expect(await asApp('select name from schema_migrations')).toEqual([])
    await expect(asApp('delete from schema_migrations')).rejects.toThrow(/permission denied/)
    await expect(asApp('create table mine (id int)')).rejects.toThrow(/permission denied/)
  })

  it('lets two migrators at once apply everything exactly once', async () => {
    await write('0001-slow.sql', 'select pg_sleep(0.3); create table boats (name text);')
    await write('0002-fill.sql', 'insert into boats (name) values ($$Ndar$$);')
    const other = connectTo(database.options, 1)
    const results = await Promise.all([run(), migrate(other, { dir }), run()])
    await other.end()
    expect(results.flat().sort()).toEqual(['0001-slow.sql', '0002-fill.sql'])
    const rows = await database.owner`select name from boats`
    expect(rows.length).toBe(1)
  })

  it('waits longer than the statement timeout of the session for another migrator', async () => {
    await write('0001-slow.sql', 'select pg_sleep(0.5);')
    const hasty = connectTo(database.options, 1)
    await hasty`set statement_timeout = 200`
    const results = await Promise.all([run(), migrate(hasty, { dir })])
    const [row] = await hasty<{ kept: string }[]>`
      select current_setting('statement_timeout') as kept`
    await hasty.end()
    expect(results.flat()).toEqual(['0001-slow.sql'])
    expect(row?.kept).toBe('200ms')
  })

  it('refuses a file that was edited after it was applied, before running anything', async () => {
    await write('0001-boats.sql', 'create table boats (name text);')
    await run()
    await write('0001-boats.sql', 'create table boats (name text, length_m int);')
    await write('0002-nets.sql', 'create table nets (name text);')
    await expect(run()).rejects.toThrow(/^The migration 0001-boats.sql was changed after/)
    expect(await hasTable('nets')).toBe(false)
  })

  it('does not take other line endings for an edit', async () => {
    await write('0001-boats.sql', 'create table boats (\n  name text\n);\n')
    await run()
    await write('0001-boats.sql', 'create table boats (\r\n  name text\r\n);\r\n')
    expect(await run()).toEqual([])
  })

  it('leaves nothing half-done of a file that fails, and keeps those before it', async () => {
    await write('0001-boats.sql', 'create table boats (name text);')
    await write('0002-nets.sql', 'create table nets (name text);\n\nselect 1 / 0;')
    await write('0003-oars.sql', 'create table oars (name text);')
    await expect(run()).rejects.toThrow('The migration 0002-nets.sql failed: division by zero')
    expect(await appliedNames()).toEqual(['0001-boats.sql'])
    expect([await hasTable('nets'), await hasTable('oars')]).toEqual([false, false])
    await write('0002-nets.sql', 'create table nets (name text);')
    expect(await run()).toEqual(['0002-nets.sql', '0003-oars.sql'])
  })

  it('names the line of a mistake', async () => {
    await write('0001-boats.sql', '-- why\ncreate table boats (\n  name txet\n);')
    await expect(run()).rejects.toThrow(/0001-boats.sql failed at line 3: type "txet" does not/)
  })

  it('gives the lock back when its own connection is killed in the middle', async () => {
    await write('0001-dies.sql', 'create table boats (name text); select 1;')
    await write('0002-dies.sql', 'select pg_terminate_backend(pg_backend_pid());')
    await expect(run()).rejects.toThrow(/0002-dies.sql failed/)
    await write('0002-dies.sql', 'select 1;')
    expect(await run()).toEqual(['0002-dies.sql'])
  })

  it('refuses names it cannot order and files that end their own transaction', async () => {
    await write('first.sql', 'select 1;')
    await expect(run()).rejects.toThrow('first.sql is not named like 0001-what-it-does.sql')
    await rm(join(dir, 'first.sql'))
    await write('0001-a.sql', 'select 1;')
    await write('0001-b.sql', 'select 1;')
    await expect(run()).rejects.toThrow('0001-a.sql and 0001-b.sql have the same number')
    await rm(join(dir, '0001-b.sql'))
    await write('0001-a.sql', 'create table boats (name text);\ncommit;\nselect 1 / 0;')
    await expect(run()).rejects.toThrow('0001-a.sql ends its own transaction')
  })

  it('leaves a newer schema alone when an older version of the files runs on it', async () => {
    await write('0001-boats.sql', 'create table boats (name text);')
    await write('0002-nets.sql', 'create table nets (name text);')
    await run()
    await rm(join(dir, '0002-nets.sql'))
    expect(await run()).toEqual([])
  })
})

describe('migrate on a fresh cluster', () => {
  it('prepares several databases at once, although roles belong to all of them', async () => {
    await write('0001-boats.sql', 'create table boats (name text);')
    await withFreshCluster(async (options) => {
      const admin = connectTo(options, 1)
      const names = ['one', 'two', 'three', 'four']
      for (const name of names) await admin`create database ${admin(name)}`
      await admin.end()
      const clients = names.map((name) => connectTo({ ...options, database: name }, 1))
      const results = await Promise.all(clients.map((sql) => migrate(sql, { dir })))
      await Promise.all(clients.map((sql) => sql.end()))
      expect(results).toEqual(names.map(() => ['0001-boats.sql']))
    })
  })

  it('needs no superuser where the user owns the database and may create roles', async () => {
    await write('0001-boats.sql', 'create table boats (name text);')
    await withFreshCluster(async (options) => {
      const admin = connectTo(options, 1)
      await admin`create role tenant login createrole`
      await admin`create role stranger login`
      await admin`create database shop owner tenant`
      await admin.end()
      const tenant = connectTo({ ...options, user: 'tenant', database: 'shop' }, 1)
      expect(await migrate(tenant, { dir })).toEqual(['0001-boats.sql'])
      expect(await migrate(tenant, { dir })).toEqual([])
      await tenant.end()
      const stranger = connectTo({ ...options, user: 'stranger', database: 'shop' }, 1)
      await expect(migrate(stranger, { dir })).rejects.toThrow(
        /may not act as pirogue_owner; as a superuser run: grant pirogue_owner/,
      )
      await stranger.end()
    })
  })
})

async function withFreshCluster(
  work: (options: { host: string; port: number; user: string; database: string }) => Promise<void>,
) {
  const home = await mkdtemp(join(tmpdir(), 'pirogue-cluster-'))
  const server = await startEmbedded({ dir: home, settings: { fsync: 'off' } })
  try {
    const { host, port, user } = server
    await work({ host, port, user, database: 'postgres' })
  } finally {
    await server.stop()
    for (const path of new Set([home, server.directory, server.host])) {
      await rm(path, { recursive: true, force: true })
    }
  }
}
