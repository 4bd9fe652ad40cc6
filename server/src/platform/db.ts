// Access to PostgreSQL. `Db` runs single statements, `Tx` runs inside a transaction; only
// `inTransaction` makes a `Tx`. While one is open, `assertNoTransaction` fails: no network call may
// be made inside a database transaction (docs/STYLE.md), and the HTTP client checks it.

import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { readDatabaseAddress, tlsOptionsOf } from './database-address.ts'
import { assert } from './errors.ts'
import { withPieces } from './fragments.ts'

type OurTypes = { bigint: bigint }
export type Db = postgres.Sql<OurTypes>
export type Tx = postgres.TransactionSql<OurTypes>
/** For a statement that is right both alone and inside a transaction. */
export type Sql = postgres.ISql<OurTypes>
/** A piece of SQL with its parameters, to be composed into a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

export type DbOptions = Readonly<{
  /** A `postgres://` address, or where a socket is. */
  url?: string
  host?: string
  port?: number
  database?: string
  user?: string
  password?: string
  connections_max: number
  /** False only for what may be lost when the machine crashes: counters, leases. */
  durable: boolean
  application_name: string
  /** The role that statements run as; absent: the login role, for migrations and seeds only. */
  role?: 'pirogue_app' | 'pirogue_owner'
  /**
   * How long a statement waits for a row that another has locked. Default 20 s, or half of what a
   * statement may take: so one that waited in vain is not taken for a slow one.
   */
  lock_timeout_ms?: number
  /** How long a statement may take; 0: as long as it takes. Default 2 minutes. */
  statement_timeout_ms?: number
  /** Where unqualified names are looked for; absent: as the database has it. */
  search_path?: string
  /** Seconds after which a connection that nobody needs is closed. Absent: it stays open. */
  idle_timeout_s?: number
}>

const lock_timeout_default_ms = 20_000
const statement_timeout_default_ms = 120_000

function timeoutsOf({ lock_timeout_ms, statement_timeout_ms }: DbOptions) {
  const statement_timeout = statement_timeout_ms ?? statement_timeout_default_ms
  const within_ms = statement_timeout === 0 ? lock_timeout_default_ms : statement_timeout / 2
  const lock_timeout = lock_timeout_ms ?? Math.min(lock_timeout_default_ms, Math.ceil(within_ms))
  return { lock_timeout, statement_timeout }
}

const openTransaction = new AsyncLocalStorage<true>()
let transactions_open = 0

/**
 * Runs `work` in an asynchronous context that has a transaction open. While none is open the
 * storage is off: following every promise of the process costs a twentieth of its time
 * (docs/benchmarks.md).
 */
async function withTransactionOpen<T>(work: () => Promise<T>): Promise<T> {
  transactions_open += 1
  try {
    return await openTransaction.run(true, work)
  } finally {
    transactions_open -= 1
    if (transactions_open === 0) openTransaction.disable()
  }
}

export function openDb(options: DbOptions): Db {
  const settings = {
    max: options.connections_max,
    ...(options.idle_timeout_s === undefined ? {} : { idle_timeout: options.idle_timeout_s }),
    types: { bigint: postgres.BigInt },
    onnotice: () => undefined,
    connection: {
      application_name: options.application_name,
      ...(options.role === undefined ? {} : { role: options.role }),
      TimeZone: 'UTC',
      synchronous_commit: options.durable ? 'on' : 'off',
      idle_in_transaction_session_timeout: 60_000,
      ...timeoutsOf(options),
      random_page_cost: 1.1,
      // Where the server was built with JIT, a plan without an index (which costs 1e10, see below)
      // is compiled before it runs: a second and more for a statement of half a millisecond.
      jit: 'off',
      ...(options.role === 'pirogue_app' ? { enable_seqscan: 'off' } : {}),
      ...(options.search_path === undefined ? {} : { search_path: options.search_path }),
    },
  }
  if (options.url !== undefined) {
    const address = readDatabaseAddress(options.url)
    const ssl = tlsOptionsOf(address)
    return withPieces(postgres(address.url, ssl === undefined ? settings : { ...settings, ssl }))
  }
  const client = postgres({
    ...settings,
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.database === undefined ? {} : { database: options.database }),
    ...(options.user === undefined ? {} : { user: options.user }),
    ...(options.password === undefined ? {} : { password: options.password }),
  })
  return withPieces(client)
}

/** Fails when called in an asynchronous context that has a transaction open. */
export function assertNoTransaction(): void {
  assert(openTransaction.getStore() === undefined, 'network call inside a database transaction')
}

/** Serialisation failures and deadlocks: nothing was written, and the same work may be repeated. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof postgres.PostgresError && (error.code === '40001' || error.code === '40P01')
  )
}

// Codes of the driver, of Node's sockets, and of a server that is stopping or not up yet.
// Of the server's: what ends the connection (class 08; 25P03 and 25P04: a transaction that stood
// still, as one of a process that was suspended does) and too many of them (53300).
const away =
  /^(CONNECTION_|CONNECT_TIMEOUT$|ECONN|EPIPE$|ENOENT$|ETIMEDOUT$|57P0[1-3]$|25P0[34]$|08|53300$)/

/**
 * The database could not be reached, or went away during a statement: what that statement did is
 * unknown, and the caller may repeat the request in a moment, under the same key.
 */
export function isDatabaseAway(error: unknown): boolean {
  return error instanceof Error && 'code' in error && away.test(String(error.code))
}

/**
 * The connection itself is gone. Not what a server says with a connection that goes on, as Citus'
 * coordinator does of a node that it does not reach: class 08 too, as an error and not as an end.
 */
const isConnectionGone = (error: unknown): boolean =>
  isDatabaseAway(error) && !(error instanceof postgres.PostgresError && error.severity === 'ERROR')

/** The server has no memory or disk left for a statement (class 53): nothing was written. */
export function isOutOfRoom(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code.startsWith('53')
}

export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return (
    error instanceof postgres.PostgresError &&
    error.code === '23505' &&
    (constraint === undefined || error.constraint_name === constraint)
  )
}

/** Waited in vain for a row that another has locked: nothing was written. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '55P03'
}

/** A statement took longer than it may (or was cancelled): nothing was written. */
export function isTooSlow(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '57014'
}

/** The constraint that a statement violated, if that is the error. */
export function brokenConstraint(error: unknown): string | undefined {
  if (!(error instanceof postgres.PostgresError)) return undefined
  return error.code.startsWith('23') ? error.constraint_name : undefined
}

const triesMax = 4

/** Runs `work` in one transaction; after a deadlock it is repeated, whole, a few times. */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  assert(openTransaction.getStore() === undefined, 'transaction inside a transaction')
  for (let tries = 1; ; tries += 1) {
    try {
      return await withTransactionOpen(() => beginOnce(db, work))
    } catch (error) {
      if (!isPassing(error) || tries >= triesMax) throw error
    }
  }
}

/** The same, where every statement sees one moment: what is read adds up while others write. */
export async function inSnapshot<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  assert(openTransaction.getStore() === undefined, 'transaction inside a transaction')
  return withTransactionOpen(() => beginOnce(db, work, snapshot))
}

const snapshot = 'isolation level repeatable read'

/** What stands behind `begin`. */
export type TransactionMode = '' | typeof snapshot

/** By then the driver has noticed that its connection is gone. */
const closed_within_ms = 5_000
/** Two that go together go within this. */
const together_ms = 250

/**
 * Thrown by a transaction's work for what happened to another connection: its own is well, so that
 * it is rolled back. Whoever began the transaction gets the cause.
 */
export class ElsewhereError extends Error {
  constructor(cause: unknown) {
    super('another connection failed', { cause })
  }
}

/**
 * A pool that calls this function for whatever stands behind it (a shard group's): it alone knows
 * whose connection an error came from.
 */
export type BeginsItself = Readonly<{
  beginOwn?: <T>(mode: TransactionMode, work: (tx: Tx) => Promise<T>) => Promise<T>
}>

/**
 * One transaction. An error because its connection is gone is not passed to the driver's `begin`:
 * it would send `rollback` into a closed socket, which ends the process or leaves a connection in
 * the pool that never answers (postgres 3.4.9, `nextWrite` in connection.js). `begin` ends by
 * itself when the connection closes; if it does not, our own error ends it. One that another
 * connection met is passed to it, unless this one closes with that.
 */
export async function beginOnce<T>(
  db: Db,
  work: (tx: Tx) => Promise<T>,
  mode: TransactionMode = '',
): Promise<T> {
  const { beginOwn }: Db & BeginsItself = db
  if (beginOwn !== undefined) return beginOwn(mode, work)
  let giveUp: (error: unknown) => void = () => undefined
  const lost = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  let is_closed = false
  const box = db.begin(mode, async (tx) => {
    try {
      return { result: await work(tx) }
    } catch (error) {
      if (error instanceof ElsewhereError) await sleep(together_ms)
      else if (isConnectionGone(error)) setTimeout(() => giveUp(error), closed_within_ms).unref()
      if (!is_closed && !isConnectionGone(error)) throw error
      return new Promise<{ result: T }>(() => undefined)
    }
  })
  const noted = box.catch((error: unknown) => {
    is_closed = true
    throw error instanceof ElsewhereError ? error.cause : error
  })
  return (await Promise.race([noted as Promise<{ result: T }>, lost])).result
}

/** Repeats one autocommitted statement after a deadlock; a statement alone is all or nothing. */
export async function retryOnDeadlock<T>(statement: () => PromiseLike<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await statement()
    } catch (error) {
      if (!isPassing(error) || tries >= triesMax) throw error
    }
  }
}
