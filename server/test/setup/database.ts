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
import { closeTemplate, findNodes, joinNodes, placeOwner, spreadTemplate } from './cluster.ts'
import { nameForWorker, prefixOfRun } from './database-names.ts'
import { layReadyCluster, readyVariable } from './ready-cluster.ts'

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
  /** The other servers of a cluster (CITUS_URL), which have each database too; mostly none. */
  nodes: readonly DatabaseOptions[]
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
  // One app takes up to 34, stories start two and three, and several run at once. Whoever is one
  // too many is answered 503 by the service: a story fails now and then, and nobody knows of what.
  max_connections: '1000',
}
/** What fails for it fails elsewhere, and looks like something else. */
const is_ours = /too many clients|remaining connection slots|out of (?:shared )?memory|No space/
const clone_tries_max = 50

/** Vitest's global set-up: once per run, before the first test file. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { options, made, stop } = await startServer()
  const run = randomBytes(4).toString('hex')
  const own = urlOfTests() === undefined
  const nodes = process.env.CITUS_URL === undefined ? [] : await findNodes(options)
  const template = own ? 'pirogue_template' : `pirogue_template_${run}`
  const prefix = prefixOfRun(run)
  try {
    if (made === undefined) await makeTemplate(options, nodes, template)
    else await makeTemplateOf(options, made, template)
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('test_server', { options, nodes, template, prefix })
  return async () => {
    if (!own) for (const server of [options, ...nodes]) await dropAll(server, template, prefix)
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
export function connectTo(
  options: DatabaseOptions & Readonly<{ search_path?: string }>,
  connections_max = 5,
): OwnerSql {
  const { search_path, ...place } = options
  return postgres({
    ...place,
    max: connections_max,
    onnotice: () => {},
    types: { bigint: postgres.BigInt },
    connection: { jit: 'off', ...(search_path === undefined ? {} : { search_path }) },
  })
}

/** A server of your own: one PostgreSQL, or the coordinator of a cluster. */
const urlOfTests = (): string | undefined => process.env.CITUS_URL ?? process.env.DATABASE_URL_TEST

type Started = Readonly<{
  options: DatabaseOptions
  /** The database with the schema and the catalogue in it, if the server brought one. */
  made?: string
  stop: () => Promise<void>
}>

async function startServer(): Promise<Started> {
  const url = urlOfTests()
  if (url !== undefined) return { options: optionsOf(url), stop: async () => {} }
  const ready = await makeReadyCluster()
  const dir = await mkdtemp(join(tmpdir(), 'pirogue-test-'))
  process.env[readyVariable] = ready.directory
  await layReadyCluster(dir)
  const server = await startOn(dir)
  return {
    options: server.options,
    made: server.options.database,
    async stop() {
      delete process.env[readyVariable]
      await server.stop()
      await ready.drop()
    },
  }
}

/** A cluster whose `postgres` is what a start on nothing makes of it; stopped again. */
async function makeReadyCluster() {
  const server = await startOn(await mkdtemp(join(tmpdir(), 'pirogue-ready-')), 'kept')
  try {
    await fill(server.options)
  } finally {
    await server.stop()
  }
  return server
}

async function startOn(dir: string, after: 'kept' | 'dropped' = 'dropped') {
  const log = (line: string) => {
    if (is_ours.test(line)) console.error(`The tests' PostgreSQL: ${line}`)
  }
  const server = await startEmbedded({ dir, settings: fast_settings, log })
  const { host, port, user, directory } = server
  const drop = async () => {
    for (const path of new Set([dir, directory, host])) {
      await rm(path, { recursive: true, force: true })
    }
  }
  return {
    options: { host, port, user, database: 'postgres' },
    directory,
    drop,
    async stop() {
      await server.stop()
      if (after === 'dropped') await drop()
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

async function makeTemplate(
  options: DatabaseOptions,
  nodes: readonly DatabaseOptions[],
  template: string,
): Promise<void> {
  for (const server of [options, ...nodes]) {
    await withServer(server, async (sql) => {
      await sql`drop database if exists ${sql(template)} with (force)`
      await sql`create database ${sql(template)} template template0`
    })
  }
  const places = nodes.map((node) => ({ ...node, database: template }))
  const place = { ...options, database: template }
  if (nodes.length > 0) await joinNodes(place, places)
  await fill(place, async () => {
    if (nodes.length > 0) await spreadTemplate(place)
  })
  // Cloning needs a template that nobody is connected to.
  for (const server of [options, ...nodes]) {
    await withServer(server, (at) => closeTemplate(at, template))
  }
}

/** What every test finds: the schema, and the catalogue in it. */
async function fill(place: DatabaseOptions, migrated = async () => {}): Promise<void> {
  const sql = connectTo(place)
  try {
    await migrate(sql)
    await migrated()
    const { seedTemplate } = await import('./seed-template.ts')
    await seedTemplate(sql)
    await sql`vacuum analyze` // so that no autovacuum opens the template while it is cloned
  } finally {
    await sql.end()
  }
}

/** Of the database that came with the cluster, which then is an empty one as on any server. */
async function makeTemplateOf(options: DatabaseOptions, made: string, template: string) {
  await withServer({ ...options, database: 'template1' }, async (sql) => {
    await sql`create database ${sql(template)} template ${sql(made)} strategy file_copy`
    await sql`drop database ${sql(made)}`
    await sql`create database ${sql(made)} template template0`
  })
  await withServer(options, (sql) => closeTemplate(sql, template))
}

async function clone(template: string): Promise<TestDatabase> {
  const server = inject('test_server')
  const name = nameForWorker(server.prefix)
  const servers = [server.options, ...(template === 'template0' ? [] : server.nodes)]
  await Promise.all(
    servers.map((at) => withServer(at, (sql) => cloneWhenFree(sql, name, template))),
  )
  const options = { ...server.options, database: name }
  const owner = connectTo(options)
  const leave = servers.length > 1 ? await placeOwner(owner, options) : async () => undefined
  return {
    name,
    owner,
    options,
    async drop() {
      await leave()
      await owner.end({ timeout: 5 })
      await Promise.all(
        servers.map((at) => withServer(at, (sql) => sql`drop database ${sql(name)} with (force)`)),
      )
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
