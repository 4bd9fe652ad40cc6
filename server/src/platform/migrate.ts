// Brings a database to the newest schema: plain SQL files, forward only, each in one transaction.
// Law: one migrator at a time (advisory lock), a file runs whole or not at all, a file once applied
// is never edited. Everything the files make belongs to `pirogue_owner` (money 4, Roles).
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { type Connection, prepareDatabase } from './prepare-database.ts'

// The driver's generic names the caller's own types (bigint); no statement here depends on them.
// biome-ignore lint/complexity/noBannedTypes: the driver's own default is `{}`.
export type AnySql = postgres.Sql<{}> | postgres.Sql<{ bigint: bigint }>

export type MigrateOptions = Readonly<{
  /** Where the files are; the repository's `server/migrations` when absent. */
  dir?: string
  /** One plain sentence for each file applied and for a wait. */
  log?: (line: string) => void
}>

type Migration = Readonly<{ name: string; text: string; checksum: string }>

/** Any number of our own; the lock is per database, so databases of one server do not wait. */
const lock_key = 7_102_118_335
const lock_poll_ms = 50
const file_name = /^(\d{4})[-_][a-z0-9][a-z0-9_-]*\.sql$/
const shipped_migrations = fileURLToPath(new URL('../../migrations', import.meta.url))

/**
 * Applies what is missing and returns the names applied now. `sql` must be connected as a
 * superuser, or as a role that owns the database and may create roles. Files that the database
 * knows and that are absent here are left alone: an older version may run on a newer schema.
 */
export async function migrate(sql: AnySql, options: MigrateOptions = {}): Promise<string[]> {
  const { dir = shipped_migrations, log = () => {} } = options
  const migrations = await readMigrations(dir)
  // One connection throughout: a session's advisory lock ends with it, even when we are killed.
  const connection: Connection = await sql.reserve()
  try {
    await takeLock(connection, log)
    try {
      return await withoutTimeout(connection, async () => {
        await prepareDatabase(connection)
        return applyMissing(connection, migrations, log)
      })
    } finally {
      // Where this fails the session is gone, and its lock with it.
      await connection`select pg_advisory_unlock(${lock_key}::bigint)`.catch(() => {})
    }
  } finally {
    connection.release()
  }
}

async function readMigrations(dir: string): Promise<Migration[]> {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.sql')).sort()
  const numbers = new Map<string, string>()
  for (const name of names) {
    const number = file_name.exec(name)?.[1]
    if (number === undefined) {
      throw new Error(`The migration ${name} is not named like 0001-what-it-does.sql.`)
    }
    const twin = numbers.get(number)
    if (twin) throw new Error(`The migrations ${twin} and ${name} have the same number.`)
    numbers.set(number, name)
  }
  return Promise.all(names.map((name) => readMigration(dir, name)))
}

async function readMigration(dir: string, name: string): Promise<Migration> {
  // Git may write CRLF on a checkout; that is not an edit.
  const text = (await readFile(join(dir, name), 'utf8')).replaceAll('\r\n', '\n')
  if (/^\s*(commit|rollback)\s*(work|transaction)?\s*;/im.test(text)) {
    throw new Error(`The migration ${name} ends its own transaction: remove commit and rollback.`)
  }
  return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
}

/** Polls instead of waiting inside a statement, which a `statement_timeout` would cut short. */
async function takeLock(connection: Connection, log: (line: string) => void): Promise<void> {
  for (let tries = 0; ; tries++) {
    const [row] = await connection<{ taken: boolean }[]>`
      select pg_try_advisory_lock(${lock_key}::bigint) as taken`
    if (row?.taken) return
    if (tries === 0) log('Another process is migrating this database: waiting for it.')
    await sleep(lock_poll_ms)
  }
}

/** Work that takes as long as it takes, whatever `statement_timeout` the session had and keeps. */
async function withoutTimeout<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  const [row] = await connection<{ kept: string }[]>`
    select current_setting('statement_timeout') as kept,
           set_config('statement_timeout', '0', false)`
  try {
    return await work()
  } finally {
    // Where this fails the session is gone, and its setting with it.
    await connection`
      select set_config('statement_timeout', ${row?.kept ?? '0'}, false)`.catch(() => {})
  }
}

async function applyMissing(
  connection: Connection,
  migrations: readonly Migration[],
  log: (line: string) => void,
): Promise<string[]> {
  const rows = await connection<{ name: string; checksum: string }[]>`
    select name, checksum from schema_migrations`
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  const missing: Migration[] = []
  // All are compared before the first runs: a refusal leaves the database as it was.
  for (const migration of migrations) {
    const checksum = applied.get(migration.name)
    if (checksum === undefined) missing.push(migration)
    else if (checksum !== migration.checksum) {
      throw new Error(
        `The migration ${migration.name} was changed after it was applied: ` +
          'restore it, and write the change as a new migration.',
      )
    }
  }
  for (const migration of missing) {
    await applyMigration(connection, migration)
    log(`Applied the migration ${migration.name}.`)
  }
  return missing.map((migration) => migration.name)
}

async function applyMigration(
  connection: Connection,
  { name, text, checksum }: Migration,
): Promise<void> {
  await connection`begin`
  try {
    await connection`set local role pirogue_owner`
    await connection.unsafe(text)
    // The file may have changed either for the rest of its transaction.
    await connection`set local role pirogue_owner`
    await connection`
      insert into public.schema_migrations (name, checksum)
      values (${name}, ${checksum})`
    await connection`commit`
  } catch (error) {
    // When the connection itself is gone, so is the transaction.
    await connection`rollback`.catch(() => {})
    throw new Error(`The migration ${name} failed${lineOf(error, text)}: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

function lineOf(error: unknown, text: string): string {
  if (!(error instanceof postgres.PostgresError) || !error.position) return ''
  return ` at line ${text.slice(0, Number(error.position)).split('\n').length}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
