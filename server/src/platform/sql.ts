// Joining fragments of several features into one statement: `with a as (…), b as (…) select …`.
// A feature exports its part from its `statements.ts`; a verb joins them here and nowhere else.

import type { Fragment, Sql } from './db.ts'

/** `with` the parts, then the last one. Each part reads `name as (…)`. */
export function joined(sql: Sql, parts: readonly Fragment[], last: Fragment): Fragment {
  const [first, ...rest] = parts
  if (first === undefined) return last
  let all = sql`${first}`
  for (const part of rest) all = sql`${all}, ${part}`
  return sql`with ${all} ${last}`
}

/** JSON for `json_to_recordset`: bigints as text (the column list gives them their type back). */
export function rowsJson(rows: readonly object[]): string {
  return JSON.stringify(rows, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}

/** The last part that answers the ids of a relation: which of them happened. */
export function idsOf(sql: Sql, relation: string): Fragment {
  return sql`select id from ${sql(relation)}`
}

/** The last part that answers how many rows each relation has, under its own name. */
export function countsOf(sql: Sql, [first, second]: readonly [string, string]): Fragment {
  return sql`select (select count(*) from ${sql(first)}) as ${sql(first)},
                    (select count(*) from ${sql(second)}) as ${sql(second)}`
}

/** One value out of a relation of the same statement, e.g. the customer's id. */
export function valueFrom(sql: Sql, relation: string, column: string): Fragment {
  return sql`(select ${sql(column)} from ${sql(relation)})`
}

/** `name as (…)`: a relation of one id, as the gate of what nothing else conditions. */
export function oneRow(sql: Sql, name: string, id: string): Fragment {
  return sql`${sql(name)} as (select ${id}::uuid as id)`
}
