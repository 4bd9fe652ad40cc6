// What a transaction of a shard group does at control too: an e-mail that waits to be sent, the
// slug of a session, a row that is read or locked. It is a second transaction, begun by its first
// statement. Law: it is committed just before the group's own, so whoever dies in between leaves an
// e-mail about what was not done, or a slug that leads nowhere, and nothing that is missing.

import { beginOnce, type Db, ElsewhereError, isDatabaseAway, type Tx } from '../db.ts'
import { redirected, sendOn } from './redirect.ts'

export type Beside = Readonly<{
  /** Its statements go into the transaction at control. */
  tx: Db
  /** Commits it, if it was begun. */
  commit: () => Promise<void>
  rollBack: (error: unknown) => Promise<void>
  /**
   * An error as the group's transaction gets it: that control went away is no fault of its own
   * connection.
   */
  asOfGroup: (error: unknown) => unknown
}>

type Begun = Readonly<{
  tx: Promise<Tx>
  over: Promise<void>
  commit: () => void
  fail: (error: unknown) => void
}>

export function besideControl(db: Db): Beside {
  let begun: Begun | undefined
  const own = new WeakSet<object>()
  const noting = async <T>(work: () => PromiseLike<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (typeof error === 'object' && error !== null) own.add(error)
      throw error
    }
  }
  const isOwn = (error: unknown) => typeof error === 'object' && error !== null && own.has(error)
  const tx = redirected(
    () => db,
    (query) =>
      noting(async () => {
        begun ??= beginBeside(db)
        return sendOn(await begun.tx, query)
      }),
  )
  return {
    tx,
    commit: () =>
      noting(async () => {
        begun?.commit()
        await begun?.over
      }),
    async rollBack(error) {
      begun?.fail(isOwn(error) ? error : asElsewhere(error))
      await begun?.over.catch(() => undefined)
    },
    asOfGroup: (error) => (isOwn(error) ? asElsewhere(error) : error),
  }
}

/** Of other errors each connection is well, and knows it. */
const asElsewhere = (error: unknown): unknown =>
  isDatabaseAway(error) ? new ElsewhereError(error) : error

function beginBeside(db: Db): Begun {
  const started = settled<Tx>()
  const done = settled<void>()
  const over = beginOnce(db, (at) => {
    started.is(at)
    return done.promise
  })
  over.catch(started.fails)
  return { tx: started.promise, over, commit: () => done.is(), fail: done.fails }
}

/** A promise that others settle; its failure may come before anybody waits for it. */
function settled<T>() {
  let is: (value: T) => void = () => undefined
  let fails: (error: unknown) => void = () => undefined
  const promise = new Promise<T>((resolve, reject) => {
    is = resolve
    fails = reject
  })
  promise.catch(() => undefined)
  return { promise, is, fails }
}
