// The connections to one shard group. Law: whatever is sent there goes in a transaction whose first
// statement is the group's guard. It holds off a move of the group until the transaction is over,
// and fails when the group has moved: unguarded, what was written during a move was lost with the
// old copy (docs/decisions/0068). A statement that meets a move has written nothing; it waits,
// looks where the group is now, and is sent there.

import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { beginOnce, type Db, type Tx } from '../db.ts'
import { Piece } from '../fragments.ts'
import { callGuard } from './map-store.ts'

export type GroupPoolOptions = Readonly<{
  /** Connects to where the group is now; a different pool once it has moved. */
  pool: () => Db
  /** Looks again where it is. */
  onMoved: () => Promise<void>
  /** Called with each transaction that begins. */
  onBegun: (tx: Tx) => void
  /** How long a statement waits for a move to end. */
  wait_ms?: number
}>

/** What the driver's statement is made of (postgres 3.4.9, `query.js`): none of it is typed. */
type DriverQuery = {
  tagged: boolean
  strings: TemplateStringsArray
  args: postgres.ParameterOrFragment<bigint>[]
  options: postgres.UnsafeQueryOptions
  handler: (query: DriverQuery) => void
  resolve: (rows: unknown) => void
  reject: (error: unknown) => void
}

const wait_default_ms = 15_000
const pause_ms = 100

/** The guard refused: nothing has been written. */
class GuardError extends Error {
  constructor(cause: unknown) {
    super('the shard group is being moved', { cause })
  }
}

// Our own word of the guard; what PostgreSQL says where the group's schema has gone with its rows;
// and a move that holds the guard for longer than a row may be waited for.
const moved = new Set(['PR001', '42883', '3F000', '42P01', '55P03'])

const isMoved = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && moved.has(error.code)

/** A `Db` that guards: statements, fragments and transactions are written as on any other. */
export function groupPool(options: GroupPoolOptions): Db {
  const begin = (work: (tx: Tx) => Promise<unknown>) =>
    whereItIs(options, (db) =>
      beginOnce(db, async (tx) => {
        await guard(tx)
        options.onBegun(tx)
        return work(tx)
      }),
    )
  const send = (query: DriverQuery) => {
    void whereItIs(options, (db) => sendGuarded(db, query)).then(query.resolve, query.reject)
  }
  const guarded = (made: unknown): unknown => {
    if (made instanceof Piece) {
      return new Piece((...of) => guarded(made.driver(...of)), made.strings, made.args)
    }
    if (isQuery(made)) made.handler = send
    return made
  }
  return new Proxy(options.pool(), {
    apply: (_, self, args) => guarded(Reflect.apply(options.pool(), self, args)),
    get(_, name) {
      if (name === 'begin') return begin
      const db = options.pool()
      if (name === 'unsafe') {
        return (...args: Parameters<Db['unsafe']>) => guarded(db.unsafe(...args))
      }
      return Reflect.get(db, name)
    },
  })
}

const isQuery = (made: unknown): made is DriverQuery =>
  made instanceof Promise && 'handler' in made && 'strings' in made

async function guard(tx: Tx): Promise<void> {
  try {
    await callGuard(tx)
  } catch (error) {
    throw isMoved(error) ? new GuardError(error) : error
  }
}

/** Both go in one packet; the answer is the statement's, and comes after the commit. */
const sendGuarded = (db: Db, { tagged, strings, args, options }: DriverQuery): Promise<unknown> =>
  beginOnce(db, async (tx) => {
    const [guarded, done] = await Promise.allSettled([
      guard(tx),
      tagged
        ? tx(strings, ...args)
        : tx.unsafe(strings[0] ?? '', args as postgres.ParameterOrJSON<bigint>[], options),
    ])
    if (guarded.status === 'rejected') throw guarded.reason
    if (done.status === 'rejected') throw done.reason
    return done.value
  })

/** Repeats what the guard refused, until the group is found or `wait_ms` are over. */
async function whereItIs<T>(
  { pool, onMoved, wait_ms = wait_default_ms }: GroupPoolOptions,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const until = performance.now() + wait_ms
  for (;;) {
    try {
      return await work(pool())
    } catch (error) {
      if (!(error instanceof GuardError)) throw error
      if (performance.now() >= until) throw error.cause
    }
    await sleep(pause_ms)
    await onMoved()
  }
}
