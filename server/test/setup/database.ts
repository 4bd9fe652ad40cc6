// The tests' PostgreSQL: one server for the whole run, one migrated template, one clone of it for
// each test file that asks. Law: nothing is left behind, neither a process nor a directory nor, on
// a server of your own (DATABASE_URL_TEST), a database.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../src/platform/embedded/start-embedded.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { nameForWorker, prefixOfRun } from './database-names.ts'

export type OwnerSql = postgres.Sql<{ bigint: bigint }>

/** How to connect; give it to `postgres()` as it is, or with another user. */
export type DatabaseOptions = Readonly<{
  host: string
  port: number
  user: string
  database: string
  password?: string
}>

export type TestDatabase = Readonly<{
  name: string
  /** Connected as the server's superuser; ended by `drop`. */
  owner: OwnerSql
  options: DatabaseOptions
  drop(): Promise<void>
}>

export type TestServer = Readonly<{
  /** The database of the server that is always there. */
  options: DatabaseOptions
  template: string
  /** Starts the name of each database of this run. */
  prefix: string
}>

declare module 'vitest' {
  export interface ProvidedContext {
    test_server: TestServer
  }
}

/** Nothing here outlives the run, so nothing is flushed, kept for a replica or tidied up. */
const fast_settings = {
  autovacuum: 'off',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  jit: 'off',
  shared_buffers: '128MB',
  max_connections: '300',
}
const clone_tries_max = 50

/** Vitest's global set-up: once per run, before the first test file. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { options, stop } = await startServer()
  const run = randomBytes(4).toString('hex')
  const own = process.env.DATABASE_URL_TEST === undefined
  const template = own ? 'pirogue_template' : `pirogue_template_${run}`
  const prefix = prefixOfRun(run)
  try {
    await makeTemplate(options, template)
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('test_server', { options, template, prefix })
  return async () => {
    if (!own) await dropAll(options, template, prefix)
    await stop()
  }
}

/** A migrated and seeded database of the caller's own; call `drop` when done with it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return clone(inject('test_server').template)
}

/** A database with nothing in it, for tests of what makes a schema. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return clone('template0')
}

/** A client as every test wants it: int8 as bigint, silent on notices. */
export function connectTo(options: DatabaseOptions, connections_max = 5): OwnerSql {
  return postgres({
    ...options,
    max: connections_max,
    onnotice: () => {},
    types: { bigint: postgres.BigInt },
    connection: { jit: 'off' },
  })
}

async function startServer(): Promise<{ options: DatabaseOptions; stop: () => Promise<void> }> {
  const url = process.env.DATABASE_URL_TEST
  if (url !== undefined) return { options: optionsOf(url), stop: async () => {} }
  const dir = await mkdtemp(join(tmpdir(), 'pirogue-test-'))
  const server = await startEmbedded({ dir, settings: fast_settings })
  const { host, port, user } = server
  return {
    options: { host, port, user, database: 'postgres' },
    async stop() {
      await server.stop()
      for (const path of new Set([dir, server.directory, host])) {
        await rm(path, { recursive: true, force: true })
      }
    },
  }
}

function optionsOf(text: string): DatabaseOptions {
  const url = new URL(text)
  const password = decodeURIComponent(url.password)
  return {
    host: url.searchParams.get('host') ?? url.hostname,
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username) || 'postgres',
    database: url.pathname.slice(1) || 'postgres',
    ...(password === '' ? {} : { password }),
  }
}

async function makeTemplate(options: DatabaseOptions, template: string): Promise<void> {
  await withServer(options, async (sql) => {
    await sql`drop database if exists ${sql(template)} with (force)`
    await sql`create database ${sql(template)} template template0`
  })
  const sql = connectTo({ ...options, database: template })
  try {
    await migrate(sql)
    const { seedTemplate } = await import('./seed-template.ts')
    await seedTemplate(sql)
    await sql`vacuum analyze` // so that no autovacuum opens the template while it is cloned
  } finally {
    await sql.end()
  }
  // Cloning needs a template that nobody is connected to.
  await withServer(
    options,
    (server) => server`alter database ${server(template)} with allow_connections false`,
  )
}

async function clone(template: string): Promise<TestDatabase> {
  const server = inject('test_server')
  const name = nameForWorker(server.prefix)
  await withServer(server.options, (sql) => cloneWhenFree(sql, name, template))
  const options = { ...server.options, database: name }
  const owner = connectTo(options)
  return {
    name,
    owner,
    options,
    async drop() {
      await owner.end({ timeout: 5 })
      await withServer(server.options, (sql) => sql`drop database ${sql(name)} with (force)`)
    },
  }
}

async function cloneWhenFree(sql: OwnerSql, name: string, template: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      // Copied as files, a quarter of the work of writing each page of it to the log (measured).
      await sql`create database ${sql(name)} template ${sql(template)} strategy file_copy`
      return
    } catch (error) {
      // 55006: "source database is being accessed by other users", for a moment only.
      const busy = error instanceof postgres.PostgresError && error.code === '55006'
      if (!busy || tries === clone_tries_max) throw error
      await sleep(20 + Math.random() * 80)
    }
  }
}

async function dropAll(options: DatabaseOptions, template: string, prefix: string): Promise<void> {
  await withServer(options, async (sql) => {
    const rows = await sql<{ name: string }[]>`
      select datname as name
        from pg_database
       where starts_with(datname, ${prefix})
          or datname = ${template}`
    for (const { name } of rows) await sql`drop database ${sql(name)} with (force)`
  })
}

async function withServer<T>(
  options: DatabaseOptions,
  work: (sql: OwnerSql) => Promise<T>,
): Promise<T> {
  const sql = connectTo(options, 1)
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
