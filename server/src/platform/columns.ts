// A table's columns, said once. From them follow the TypeScript type of a row, the lists of names
// in a statement, and the types of rows that come to it as JSON (`jsonRows`): a new column is added
// in one place.

import type { Fragment, Sql } from './db.ts'
import { verbatim } from './fragments.ts'

declare const value: unique symbol

/** A column that holds a `T`; `type` is its PostgreSQL type, as `jsonRows` names it. */
export type Column<T> = Readonly<{ type: string; [value]?: T }>

export type Columns = Readonly<Record<string, Column<unknown>>>

/** A row with these columns, as the driver reads it. */
export type RowOf<C extends Columns> = {
  readonly [K in keyof C]: C[K] extends Column<infer T> ? T : never
}

export const uuid = (): Column<string> => ({ type: 'uuid' })
/** `text<'A' | 'B'>()` where a CHECK allows nothing else. */
export const text = <T extends string = string>(): Column<T> => ({ type: 'text' })
/** Amounts in hundredths, and what else may grow. */
export const bigint = (): Column<bigint> => ({ type: 'bigint' })
export const int = (): Column<number> => ({ type: 'int' })
export const boolean = (): Column<boolean> => ({ type: 'boolean' })
export const jsonb = <T>(): Column<T> => ({ type: 'jsonb' })
export const timestamptz = (): Column<Date> => ({ type: 'timestamptz' })
export const orNull = <T>({ type }: Column<T>): Column<T | null> => ({ type })

/** Of a row that has more, what these columns hold. */
export function valuesOf<C extends Columns>(columns: C, row: RowOf<C>): RowOf<C> {
  const values: { [K in keyof C]?: unknown } = {}
  for (const name in columns) values[name] = row[name]
  // Each name of `columns` was given the value that the row has under it.
  return values as RowOf<C>
}

/** Only the named columns, in the table's order. */
export function pickColumns<C extends Columns, K extends keyof C & string>(
  columns: C,
  names: readonly K[],
): Pick<C, K> {
  return filtered(columns, (name) => (names as readonly string[]).includes(name))
}

/** All but the named ones. */
export function omitColumns<C extends Columns, K extends keyof C & string>(
  columns: C,
  names: readonly K[],
): Omit<C, K> {
  return filtered(columns, (name) => !(names as readonly string[]).includes(name))
}

function filtered<T>(columns: Columns, wanted: (name: string) => boolean): T {
  return Object.fromEntries(Object.entries(columns).filter(([name]) => wanted(name))) as T
}

/** `a, b, c` */
export const nameList = (sql: Sql, columns: Columns): Fragment =>
  listOf(sql, columns, 'names', (name) => name)

/** `t.a, t.b, t.c` of a relation `t`. */
export const selectList = (sql: Sql, columns: Columns, relation: string): Fragment =>
  listOf(sql, columns, `of ${relation}`, (name) => `${relation}.${name}`)

/** `a = t.a, b = t.b`, for `set`. */
export const setList = (sql: Sql, columns: Columns, relation: string): Fragment =>
  listOf(sql, columns, `assigned ${relation}`, (name) => `${name} = ${relation}.${name}`)

/** `coalesce(t.a, …) as a, …`: the columns of a row that may be missing, and what they are then. */
export const selectOr = <C extends Columns>(
  sql: Sql,
  columns: C,
  relation: string,
  otherwise: Readonly<Record<keyof C & string, string>>,
): Fragment =>
  listOf(
    sql,
    columns,
    `or else ${relation}`,
    (name) => `coalesce(${relation}.${name}, ${otherwise[name]}) as ${name}`,
  )

/** `a uuid, b text`: what `jsonRows` reads of each object. */
export const typedList = (sql: Sql, columns: Columns): Fragment =>
  listOf(sql, columns, 'typed', (name, type) => `${name} ${type}`)

/** `'a', t.a, 'b', t.b`, for `json_build_object`. */
export const jsonList = (sql: Sql, columns: Columns, relation: string): Fragment =>
  listOf(sql, columns, `json ${relation}`, (name) => `'${name}', ${relation}.${name}`)

const lists = new WeakMap<Columns, Map<string, string>>()

/** Put together once for each table and use: statements are made for every payment. */
function listOf(
  sql: Sql,
  columns: Columns,
  use: string,
  form: (name: string, type: string) => string,
): Fragment {
  const known = lists.get(columns) ?? new Map<string, string>()
  lists.set(columns, known)
  const list =
    known.get(use) ??
    Object.entries(columns)
      .map(([name, { type }]) => form(name, type))
      .join(', ')
  known.set(use, list)
  return verbatim(sql, list)
}
