// Calls of one kind that come while such calls are under way wait for them and then go together:
// one statement does what many would (docs/decisions/0011). A call that finds nothing under way
// goes at once and alone; only a line that was just busy rests a moment (docs/decisions/0187). When
// a batch fails, the call at fault is isolated.

import { type Db, inTransaction, retryOnDeadlock, type Tx } from './db.ts'
import { refuse } from './errors.ts'
import type { Environment } from './http/route.ts'
import { transportErrors } from './http/transport-errors.ts'
import { type Isolation, isolateOwners, type WaitingCall } from './isolate-owners.ts'
import { control, homeOf } from './places/places.ts'
import { findOwner } from './places/row-home.ts'
import { type Place, type Turns, turnsOf } from './turns.ts'

export type BatchOptions<I, O> = Readonly<{
  /** Does all of them, all or none; one answer for each, in their order. */
  run: (items: readonly I[]) => Promise<readonly O[]>
  /** Items that share a name never go together: the later one waits for another batch. */
  names?: (item: I) => readonly string[]
  /**
   * Whose item it is, so that nobody waits because another's rows hold up a batch. Default: each
   * its own.
   */
  owner?: (item: I) => string
  /** How many batches may be under way. Default 1. */
  at_once?: number
  /** How often a call whose row is locked is tried alone, before it fails. Default 3. */
  alone_tries?: number
  /** The most that go together. Default 64. */
  most?: number
  /**
   * Milliseconds that a line rests after calls that went together: whoever comes meanwhile goes
   * with the next ones. Default 4.
   */
  rest_ms?: number
}>

const at_once_default = 1
const most_default = 64
/** Of 0, 2, 4 and 8 the one with the quickest calls at half load (docs/benchmarks.md). */
const rest_ms_default = 4
/** So many are company enough: more would make none of them cheaper. */
const enough = 24

/**
 * A batch that fails is done again beside the others, each owner's items separately; those of an
 * owner that fails again are done one by one, so that each fails by its own fault only.
 */
export function batchCalls<I, O>(options: BatchOptions<I, O>): (item: I) => Promise<O> {
  const { run, at_once = at_once_default, rest_ms = rest_ms_default } = options
  let waiting: WaitingCall<I, O>[] = []
  let under_way = 0
  let is_resting = false
  let isolation: Isolation<I, O> | undefined

  async function work(group: readonly WaitingCall<I, O>[]): Promise<void> {
    try {
      const answers = await run(group.map(({ item }) => item))
      for (const [at, one] of group.entries()) one.resolve(answers[at] as O)
    } catch (error) {
      isolation ??= isolateOwners({ ...options, take: takeFrom })
      isolation.take(group, error)
    }
  }

  function go(): void {
    // Also what came before its owner was isolated: in a batch it would hold up others once more.
    const { accepts } = isolation ?? {}
    if (accepts !== undefined) waiting = waiting.filter((one) => !accepts(one))
    if (is_resting && waiting.length < enough) return
    while (under_way < at_once && waiting.length > 0) {
      const { group, rest } = takeFrom(waiting, options)
      waiting = rest
      under_way += 1
      void work(group).finally(() => {
        under_way -= 1
        if (group.length > 1) startRest()
        go()
      })
    }
  }

  /** Calls that came one by one are not delayed: only company that was there is waited for. */
  function startRest(): void {
    if (is_resting || rest_ms === 0) return
    is_resting = true
    setTimeout(() => {
      is_resting = false
      go()
    }, rest_ms)
  }

  return (item) =>
    new Promise<O>((resolve, reject) => {
      const one = { item, resolve, reject }
      if (isolation?.accepts(one) === true) return
      waiting.push(one)
      go()
    })
}

type GroupLimits<I> = Readonly<{ names?: (item: I) => readonly string[]; most?: number }>

/** The first ones that may go together; the others keep their order. */
function takeFrom<I, W extends Readonly<{ item: I }>>(
  waiting: readonly W[],
  { names, most = most_default }: GroupLimits<I>,
): { group: W[]; rest: W[] } {
  if (names === undefined) return { group: waiting.slice(0, most), rest: waiting.slice(most) }
  const group: W[] = []
  const rest: W[] = []
  const taken = new Set<string>()
  for (const one of waiting) {
    const own = names(one.item)
    if (group.length < most && !own.some((name) => taken.has(name))) group.push(one)
    else rest.push(one)
    // Also the names of one that stays: a later item with the same name must not overtake it.
    for (const name of own) taken.add(name)
  }
  return { group, rest }
}

/** One of these for each pool of connections: calls that wait for the same pool go together. */
export function perPool<T>(make: (db: Db) => T): (db: Db) => T {
  const made = new WeakMap<Db, T>()
  return (db) => {
    const known = made.get(db)
    if (known !== undefined) return known
    const one = make(db)
    made.set(db, one)
    return one
  }
}

/** Connections that only batches use, so that nothing else can keep a batch waiting. */
export type BatchPools = Readonly<Record<Environment, Db>>

const pools = new WeakMap<Db, BatchPools>()

/** From now on the batches of `db` run on these. */
export function setBatchPools(db: Db, own: BatchPools): void {
  pools.set(db, own)
}

/** What a batch of this environment runs on: a pool of its own where there is one, else `db`. */
export const batchPool = (db: Db, environment: Environment): Db =>
  pools.get(db)?.[environment] ?? db

/**
 * One for each pool of connections and environment, so that SANDBOX never keeps LIVE waiting; on a
 * distributed database one for each shard group of these.
 */
export function perBatchPool<T>(make: (db: Db) => T): (db: Db, owner: TurnOwner) => T {
  const of = { LIVE: perPool(make), SANDBOX: perPool(make) }
  return (db, { environment, merchant_id }) =>
    of[environment](homeOf(batchPool(db, environment), merchant_id))
}

// Statements and transactions that go alone and wait for rows, of money and of what a merchant
// writes of itself: a merchant's few at a time.
// Law: when something has locked one merchant's rows, that merchant's own calls wait, and never all
// connections of the pool.

export type TurnOwner = Readonly<{ merchant_id: string; environment: Environment }>

const usual = { of_owner: 2, waiting: 100, wait_ms: 4_000 }

/** Together fewer than the pool has connections, and SANDBOX never uses those of LIVE. */
const turns = perPool(
  (_db): Readonly<Record<Environment, Turns>> => ({
    LIVE: turnsOf({ ...usual, at_once: 5 }),
    SANDBOX: turnsOf({ ...usual, at_once: 4 }),
  }),
)

/** Runs one autocommitted statement when its merchant's turn has come, and again on a deadlock. */
export const inTurn = <T>(
  db: Db,
  { merchant_id, environment }: TurnOwner,
  statement: () => PromiseLike<T>,
): Promise<T> => turns(db)[environment](merchant_id, () => retryOnDeadlock(statement))

/** The same for one transaction where its merchant is. */
export const transactInTurn = <T>(
  db: Db,
  { merchant_id, environment }: TurnOwner,
  work: (tx: Tx) => Promise<T>,
  place?: Place,
): Promise<T> =>
  turns(db)[environment](merchant_id, () => inTransaction(homeOf(db, merchant_id), work), place)

/** The same for what of a merchant stands with control: its settings, keys, addresses, members. */
export const writeInTurn = <T>(
  db: Db,
  { merchant_id, environment }: TurnOwner,
  work: (tx: Tx) => Promise<T>,
  place?: Place,
): Promise<T> => turns(db)[environment](merchant_id, () => inTransaction(control(db), work), place)

/** What ends a key, an address or a membership: whoever has it keeps nobody from that. */
export const endInTurn = <T>(db: Db, owner: TurnOwner, work: (tx: Tx) => Promise<T>): Promise<T> =>
  writeInTurn(db, owner, work, 'FIRST')

export type RowOfAny = Readonly<{ table: string; id: string; environment: Environment }>

/**
 * The same where staff name a row by its id alone, before what the merchant itself waits for.
 * Refuses with `not_found`.
 */
export async function transactInTurnOfRow<T>(
  db: Db,
  { table, id, environment }: RowOfAny,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const merchant_id = await findOwner(db, table, id)
  if (merchant_id === undefined) throw refuse(transportErrors.not_found)
  return transactInTurn(db, { merchant_id, environment }, work, 'FIRST')
}
