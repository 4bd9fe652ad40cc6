// Composes parts of several features into one statement: `with a as (…), b as (…) select …`. A
// feature exports its part from its `statements.ts`; a verb composes them here and nowhere else.

import type { Fragment, Sql } from './db.ts'
import { assert } from './errors.ts'

/** `with` the parts, then the last one. Each part reads `name as (…)`. */
export function composed(sql: Sql, parts: readonly Fragment[], last: Fragment): Fragment {
  const [first, ...rest] = parts
  if (first === undefined) return last
  let all = sql`${first}`
  for (const part of rest) all = sql`${all}, ${part}`
  return sql`with ${all} ${last}`
}

/** JSON for `json_to_recordset`: bigints as text (the column list gives them their type back). */
export function stringifyRows(rows: readonly object[]): string {
  return JSON.stringify(rows, (_key, value: unknown) =>
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
    select * from json_to_recordset(${stringifyRows(rows)}::text::json) as one_by_one(
           few text, ${columns})
     where few is null)`
}

/** The last part that returns the ids of a relation: which of them happened. */
export function selectIds(sql: Sql, relation: string): Fragment {
  return sql`select id from ${sql(relation)}`
}

/** The last part that returns how many rows each relation has, under its own name. */
export function selectCounts(sql: Sql, [first, second]: readonly [string, string]): Fragment {
  return sql`select (select count(*) from ${sql(first)}) as ${sql(first)},
                    (select count(*) from ${sql(second)}) as ${sql(second)}`
}

/** The last part that returns the ids of `first`, and for each whether `then` has it too. */
export function selectReached(sql: Sql, first: string, then: string): Fragment {
  return sql`select f.id, exists (select 1 from ${sql(then)} t where t.id = f.id) as reached
               from ${sql(first)} f`
}

/** One value out of a relation of the same statement, e.g. the customer's id. */
export function valueFrom(sql: Sql, relation: string, column: string): Fragment {
  return sql`(select ${sql(column)} from ${sql(relation)})`
}

/** `name as (…)`: a relation of one id, as the gate where there is no other condition. */
export function oneRow(sql: Sql, name: string, id: string): Fragment {
  return sql`${sql(name)} as (select ${id}::uuid as id)`
}

/**
 * Statuses out of a state table, written into the statement as constants, `('A', 'B')`, so that the
 * planner can use an index whose predicate names them (a bound value hides them from it).
 */
export function statusList(sql: Sql, statuses: readonly string[]): Fragment {
  assert(
    statuses.length > 0 && statuses.every((status) => /^[A-Z_]+$/.test(status)),
    `no statuses: ${statuses.join(', ')}`,
  )
  return sql.unsafe(`(${statuses.map((status) => `'${status}'`).join(', ')})`)
}
