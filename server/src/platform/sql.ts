// Composes parts of several features into one statement: `with a as (…), b as (…) select …`. A
// feature exports its part from its `statements.ts`; a verb composes them here and nowhere else. A
// part is also a value that later parts are gated by, so nobody spells another's relation.

import type { Fragment, Sql, Tx } from './db.ts'
import { assert } from './errors.ts'
import { verbatim } from './fragments.ts'

declare const columns: unique symbol

/** A relation that has at least these columns. Only `part` and `relation` make one. */
export type Relation<C extends string = 'id'> = Readonly<{
  name: string
  [columns]: { readonly [K in C]: true }
}>

/**
 * What a folder brings to a statement: the fragments that define its relations, and of these the
 * one that shows what has happened. Where only that is wanted, a `Part` is a `Relation`.
 */
export type Part<C extends string = 'id'> = Relation<C> &
  Readonly<{ fragments: readonly Fragment[] }>

/** Lets a part happen: as long as the relation has a row, or for those of its rows it has. */
export type Gate<C extends string = 'id'> = Readonly<{ when: Relation<C> }>

/** The same for a part that may also run by itself: then nothing holds it back. */
export type OptionalGate<C extends string = 'id'> = Readonly<{ when?: Relation<C> | undefined }>

/** A relation that the fragments of the same part define. */
export const relation = <C extends string = 'id'>(name: string): Relation<C> =>
  // The columns are known to the compiler only.
  ({ name }) as Relation<C>

/** `fragments` read `a as (…)`, `b as (…)`; one of them defines `name`, with the columns `C`. */
export const part = <C extends string = 'id'>(name: string, ...fragments: Fragment[]): Part<C> => ({
  ...relation<C>(name),
  fragments,
})

/** `with` the parts, then the last one. */
export function composed(sql: Sql, parts: readonly Part<never>[], last: Fragment): Fragment {
  const all = parts.flatMap(({ fragments }) => fragments)
  return all.length === 0 ? last : sql`with ${listed(sql, all)} ${last}`
}

/**
 * A part as a statement of its own: how many rows its relation has. So it goes in a transaction
 * that has the locks. Nothing holds it back, so the caller looks at the number, or has it asserted.
 */
export async function runPart(sql: Sql, { name, fragments }: Part<never>): Promise<number> {
  const rows = await sql`with ${listed(sql, fragments)} select 1 as one from ${sql(name)}`
  return rows.count
}

/** The same, where any other number of rows is a bug. */
export async function runWhole(tx: Tx, one: Part<never>, rows: number): Promise<void> {
  const done = await runPart(tx, one)
  assert(done === rows, `${done} rows of ${one.name} were written, not ${rows}`)
}

function listed(sql: Sql, fragments: readonly Fragment[]): Fragment {
  const [first, ...rest] = fragments
  assert(first !== undefined, 'a part of a statement has a relation')
  let all = sql`${first}`
  for (const one of rest) all = sql`${all}, ${one}`
  return all
}

/** JSON with bigints as text; the columns of `json_to_recordset` give them their type back. */
export function stringify(value: object): string {
  return JSON.stringify(value, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}

/**
 * These objects as a relation, for `from … as r`; `columns` name and type what is read of them. The
 * planner is made to expect one row of it (a `few` that no object has, of which it expects few): it
 * then joins each row by an index, however little it knows of the tables. Left to expect its usual
 * hundred it reads a young table whole, and goes on when the table has grown.
 */
export function jsonRows(sql: Sql, rows: readonly object[], columns: Fragment): Fragment {
  return sql`(
    select * from json_to_recordset(${stringify(rows)}::text::json) as one_by_one(
           few text, ${columns})
     where few is null)`
}

/** The last part that returns the ids of a relation: which of them happened. */
export function selectIds(sql: Sql, { name }: Relation): Fragment {
  return sql`select id from ${sql(name)}`
}

/** The last part that returns how many rows each relation has, under its own name. */
export function selectCounts(sql: Sql, [first, second]: readonly [Relation, Relation]): Fragment {
  return sql`select (select count(*) from ${sql(first.name)}) as ${sql(first.name)},
                    (select count(*) from ${sql(second.name)}) as ${sql(second.name)}`
}

/** The last part that returns the ids of `first`, and for each whether `then` has it too. */
export function selectReached(sql: Sql, first: Relation, then: Relation): Fragment {
  return sql`select f.id, exists (select 1 from ${sql(then.name)} t where t.id = f.id) as reached
               from ${sql(first.name)} f`
}

/** A relation of one id, as the gate where there is no other condition. */
export const oneRow = (sql: Sql, name: string, id: string): Part =>
  part(name, sql`${sql(name)} as (select ${id}::uuid as id)`)

/** How a value gets into a statement: bound, or in another way where it cannot be (`copy`). */
export type Bind = (value: string) => Fragment

export const boundIn =
  (sql: Sql): Bind =>
  (value) =>
    sql`${value}`

/**
 * Statuses out of a state table, written into the statement as constants, `('A', 'B')`, so that the
 * planner can use an index whose predicate names them (a bound value hides them from it).
 */
export function statusList(sql: Sql, statuses: readonly string[]): Fragment {
  assert(
    statuses.length > 0 && statuses.every((status) => /^[A-Z_]+$/.test(status)),
    `no statuses: ${statuses.join(', ')}`,
  )
  return verbatim(sql, `(${statuses.map((status) => `'${status}'`).join(', ')})`)
}

/** Bounds in time as `readTimes` gives them: in UTC with microseconds, as text. */
export type Created = Readonly<{
  created_at__gte: string | undefined
  created_at__lte: string | undefined
}>

/** ` and …`: what was made within the bounds; `created_at` is the column with its alias. */
export const madeWithin = (
  sql: Sql,
  bounds: Created,
  created_at: Fragment,
  bind = boundIn(sql),
): Fragment => {
  const { created_at__gte: from, created_at__lte: to } = bounds
  return sql`
    ${from === undefined ? sql`` : sql`and ${created_at} >= ${bind(from)}::text::timestamptz`}
    ${to === undefined ? sql`` : sql`and ${created_at} <= ${bind(to)}::text::timestamptz`}`
}
