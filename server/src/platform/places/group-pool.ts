// The connections to one shard group. Law: whatever is sent there goes in a transaction whose first
// statement is the group's guard. It holds off a move of the group until the transaction is over,
// and fails when the group has moved: unguarded, what was written during a move was lost with the
// old copy (docs/decisions/0068). A statement that meets a move has written nothing; it waits,
// looks where the group is now, and is sent there.

import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import {
  beginOnce,
  type Db,
  isDatabaseAway,
  type Sql,
  type TransactionMode,
  type Tx,
} from '../db.ts'
import { besideControl } from './beside.ts'
import { callGuard } from './map-store.ts'
import { type DriverQuery, redirected, sendOn } from './redirect.ts'

export type GroupPoolOptions = Readonly<{
  /** Connects to where the group is now; a different pool once it has moved. */
  pool: () => Db
  /** Looks again where it is. */
  onMoved: () => Promise<void>
  /** The server is gone: the next statement may find the group elsewhere. Nobody waits for it. */
  onGone: () => void
  /** Where the rows of no merchant are. */
  control: () => Db
  /** Called with each transaction that begins, and what it does at control too. */
  onBegun: (tx: Tx, beside: Db) => void
  /** How long a statement waits for a move to end. */
  wait_ms?: number
}>

/** How long a move is waited for, and how often it is looked whether it is over. */
export const moved_wait_ms = 15_000
export const pause_ms = 100

/** The guard refused: nothing has been written. */
class GuardError extends Error {
  constructor(cause: unknown) {
    super('the shard group is being moved', { cause })
  }
}

// Our own word of the guard; what PostgreSQL says where the group's schema has gone with its rows;
// and a move that holds the guard for longer than a row may be waited for.
const moved = new Set(['PR001', '42883', '3F000', '42P01', '55P03'])

/** The group is not where it was, or is on its way. */
export const isMoved = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && moved.has(error.code)

/** A `Db` that guards: statements, fragments and transactions are written as on any other. */
export function groupPool(options: GroupPoolOptions): Db {
  const beginOwn = <T>(mode: TransactionMode, work: (tx: Tx) => Promise<T>) =>
    whereItIs(options, (db) => beginOnce(db, (tx) => guarded(options, tx, work), mode))
  const send = (query: DriverQuery) => whereItIs(options, (db) => sendGuarded(db, query))
  return redirected(options.pool, send, { begin: beginOwn, beginOwn })
}

/** What `work` does at control is committed just before the group's own. */
async function guarded<T>(
  { control, onBegun }: GroupPoolOptions,
  tx: Tx,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  await guard(tx)
  const beside = besideControl(control())
  onBegun(tx, beside.tx)
  try {
    const result = await work(tx)
    await beside.commit()
    return result
  } catch (error) {
    await beside.rollBack(error)
    throw beside.asOfGroup(error)
  }
}

async function guard(tx: Sql): Promise<void> {
  try {
    await callGuard(tx)
  } catch (error) {
    throw isMoved(error) ? new GuardError(error) : error
  }
}

/** Both go in one packet; the answer is the statement's, and comes after the commit. */
const sendGuarded = (db: Db, query: DriverQuery): Promise<unknown> =>
  beginOnce(db, async (tx) => {
    const [guarded, done] = await Promise.allSettled([guard(tx), sendOn(tx, query)])
    if (guarded.status === 'rejected') throw guarded.reason
    if (done.status === 'rejected') throw done.reason
    return done.value
  })

/** Where a group is, and how a move of it is waited for. */
type Whereabouts = Pick<GroupPoolOptions, 'pool' | 'onMoved' | 'onGone' | 'wait_ms'>

/**
 * Repeats what the guard refused, until the group is found or `wait_ms` are over. What met a server
 * that is gone is not repeated: it may have been done.
 */
async function whereItIs<T>(
  { pool, onMoved, onGone, wait_ms = moved_wait_ms }: Whereabouts,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const until = performance.now() + wait_ms
  for (;;) {
    try {
      return await work(pool())
    } catch (error) {
      if (isDatabaseAway(error)) onGone()
      if (!(error instanceof GuardError)) throw error
      if (performance.now() >= until) throw error.cause
    }
    await sleep(pause_ms)
    await onMoved()
  }
}
