// Where a statement runs. On one PostgreSQL everything is in one place, and each of these functions
// returns what it was given. On a distributed database (docs/decisions/0068) a merchant's rows are
// in their shard group, and all else stands with control. Law: a statement about a merchant's rows
// names its merchant here, a look over all merchants goes to each group, and what is neither stays
// where it is. Nothing is guessed from a statement's text.

import { type Db, ElsewhereError, isDatabaseAway, type Sql, type Tx } from '../db.ts'
import { inTime, SilentGroupError } from './in-time.ts'

/** A distributed database as one pool of connections reaches it. */
export type Placed = Readonly<{
  /** The pool of the merchant's group. */
  of: (merchant_id: string) => Db
  /** One pool for each group; in a transaction of a group, the transaction alone. */
  all: () => readonly Db[]
  /** In a transaction of a group: the pools of the other groups. Otherwise none. */
  others: () => readonly Db[]
  /** The pool on control; in a transaction, one that is committed with it (`beside.ts`). */
  control: () => Db
  /** A look at one group failed while others were read. */
  onAway: (error: unknown) => void
  /** What each group last answered, by its place among all and what was asked. */
  last?: Map<string, readonly unknown[]>
}>

const placed = new WeakMap<object, Placed>()
/** While no pool is of a distributed database, nothing is looked up. */
let pools_placed = 0

/** From now on the statements of merchants leave `control` for their groups. */
export function placeGroups(control: Db, where: Placed): void {
  placed.set(control, where)
  pools_placed += 1
}

/** The same for a transaction: it is of one group already, and of no other. */
export function placeTx(
  tx: Tx,
  {
    beside,
    of,
    others,
  }: Readonly<{
    beside: Db
    /** Fails where the merchant is of another group. */
    of: (merchant_id: string) => void
    others: () => readonly Db[]
  }>,
): void {
  const same = tx as Sql as Db
  const stay = (merchant_id: string) => {
    of(merchant_id)
    return same
  }
  const onAway = () => undefined
  placed.set(tx, { of: stay, all: () => [same], others, control: () => beside, onAway })
}

/**
 * Where this merchant's rows are. Inside a transaction it is the transaction, which must be of the
 * same group.
 */
export function homeOf<S extends Sql>(sql: S, merchant_id: string): S {
  if (pools_placed === 0) return sql
  const where = placed.get(sql)
  return where === undefined ? sql : (where.of(merchant_id) as Sql as S)
}

/** Every group of a distributed database; none on one PostgreSQL. */
export const groupsOf = (db: Db): readonly Db[] =>
  pools_placed === 0 ? [] : (placed.get(db)?.all() ?? [])

/**
 * Reads every group and joins what they answer, in no order; a `limit` holds for each group. One
 * that cannot be read, or is silent (`inTime`), is left out as long as another one can be read: its
 * neighbours must not wait for it.
 */
export async function eachGroup<S extends Sql, T>(
  sql: S,
  read: (sql: S) => PromiseLike<readonly T[]>,
): Promise<T[]> {
  const where = pools_placed === 0 ? undefined : placed.get(sql)
  if (where === undefined) return [...(await read(sql))]
  const answers = await askEach(where, read)
  const failed = answers.filter((one) => one.status === 'rejected')
  const [first] = failed
  if (first !== undefined && failed.length === answers.length) throw first.reason
  reportAway(where, answers)
  return answers.flatMap((one) => (one.status === 'fulfilled' ? [...one.value] : []))
}

const askEach = <S extends Sql, T>(where: Placed, read: (sql: S) => PromiseLike<readonly T[]>) => {
  const groups = where.all() as readonly Sql[] as readonly S[]
  return Promise.allSettled(groups.map((group) => inTime(group, read)))
}

function reportAway({ onAway }: Placed, answers: readonly PromiseSettledResult<unknown>[]): void {
  for (const one of answers) {
    if (one.status === 'fulfilled') continue
    if (!(one.reason instanceof SilentGroupError && one.reason.is_known)) onAway(one.reason)
  }
}

/**
 * The same, where of a group that cannot be read what it last said of this counts; undefined where
 * one has said nothing of it to this process yet.
 */
export async function eachOrLast<S extends Sql, T>(
  sql: S,
  about: string,
  read: (sql: S) => PromiseLike<readonly T[]>,
): Promise<T[] | undefined> {
  const where = pools_placed === 0 ? undefined : placed.get(sql)
  if (where === undefined) return [...(await read(sql))]
  const answers = await askEach(where, read)
  reportAway(where, answers)
  const known = answers.map((one, at) => {
    const name = `${at} ${about}`
    if (one.status === 'fulfilled') where.last?.set(name, one.value)
    return one.status === 'fulfilled'
      ? one.value
      : (where.last?.get(name) as readonly T[] | undefined)
  })
  const rows: T[] = []
  for (const one of known) {
    if (one === undefined) return undefined
    rows.push(...one)
  }
  return rows
}

/** The same, where nothing may be missing: it fails where a group cannot be read. */
export async function allGroups<S extends Sql, T>(
  sql: S,
  read: (sql: S) => PromiseLike<readonly T[]>,
): Promise<T[]> {
  const where = pools_placed === 0 ? undefined : placed.get(sql)
  if (where === undefined) return [...(await read(sql))]
  const groups = where.all() as readonly Sql[] as readonly S[]
  return (await Promise.all(groups.map((group) => inTime(group, read)))).flat()
}

/**
 * The one row that some group may have, of which only the id is known: the first that is found, for
 * which no other group is waited for. It is not said to be nowhere while a group that may have it
 * cannot be read.
 */
export async function oneOfAll<S extends Sql, T>(
  sql: S,
  read: (sql: S) => PromiseLike<readonly T[]>,
): Promise<T | undefined> {
  const where = pools_placed === 0 ? undefined : placed.get(sql)
  if (where === undefined) return (await read(sql))[0]
  const others = where.others()
  const groups = [...where.all(), ...others] as readonly Sql[] as readonly S[]
  const rows = groups.map(async (group, at) => {
    const isOther = at >= groups.length - others.length
    const [row] = await inTime(group, read).catch((error: unknown) => {
      // The transaction's own connection is well, and it is rolled back.
      throw isOther && isDatabaseAway(error) ? new ElsewhereError(error) : error
    })
    if (row === undefined) throw nowhere
    return row
  })
  try {
    return await Promise.any(rows)
  } catch (error) {
    const errors = error instanceof AggregateError ? error.errors : [error]
    for (const one of errors) if (one !== nowhere) throw one
    return undefined
  }
}

/** A group does not have it. */
const nowhere = new Error('no row')

/**
 * Where the rows of no merchant are, from a place of a merchant's rows too; and where a transaction
 * begins that changes both by plain statements. In a transaction of a group it is a second one.
 */
export function control<S extends Sql>(sql: S): S {
  if (pools_placed === 0) return sql
  const where = placed.get(sql)
  return where === undefined ? sql : (where.control() as Sql as S)
}
