// The statements about MAC keys, and about sealed columns of any table: a column is read and
// written here under the names that its owner gives (`SealedColumn`), never as plain text.

import type { Fragment, Sql } from '../db.ts'

export type MacKeyRow = Readonly<{
  purpose: string
  number: number
  sealed_key: Buffer
  signs_from: Date
}>

export const listMacKeys = (sql: Sql): Promise<MacKeyRow[]> => sql<MacKeyRow[]>`
  select purpose, number, sealed_key, signs_from from mac_keys order by purpose, number`

/** When two processes start for the first time at once, only one of them writes a key. */
export async function insertMacKey(
  sql: Sql,
  { purpose, number, sealed_key, signs_from }: MacKeyRow,
): Promise<void> {
  await sql`
    insert into mac_keys (purpose, number, sealed_key, signs_from)
    values (${purpose}, ${number}, ${sealed_key}, ${signs_from})
    on conflict (purpose, number) do nothing`
}

/** Deletes those that a newer key replaced so many days ago. */
export async function deleteOldMacKeys(sql: Sql, days: number): Promise<number> {
  const deleted = await sql`
    delete from mac_keys k
     where exists (select 1 from mac_keys n
                    where n.purpose = k.purpose and n.number > k.number
                      and greatest(n.signs_from, n.created_at)
                          <= now() - ${days} * interval '1 day')`
  return deleted.count
}

export type KeyColumn = readonly [name: string, type: 'uuid' | 'int' | 'text']

/** A column that holds sealed text, by its names in the schema. */
export type SealedColumn = Readonly<{
  table: string
  column: string
  /** The primary key. */
  key: readonly [KeyColumn] | readonly [KeyColumn, KeyColumn]
  /** What its text is bound to, from the values of the primary key. */
  bindingOf: (key: readonly string[]) => string
}>

export type SealedRow = Readonly<{ key: readonly string[]; sealed: Buffer }>

const value = (sql: Sql, [, type]: KeyColumn, text = ''): Fragment =>
  type === 'uuid' ? sql`${text}::uuid` : type === 'int' ? sql`${text}::text::int` : sql`${text}`

/** `(a, b) > (…)`, by which the next portion is found in the primary key. */
function beyond(sql: Sql, { key: [first, second] }: SealedColumn, after: readonly string[]) {
  if (after.length === 0) return sql``
  const one = value(sql, first, after[0])
  if (second === undefined) return sql`and ${sql(first[0])} > ${one}`
  return sql`
    and (${sql(first[0])}, ${sql(second[0])}) > (${one}, ${value(sql, second, after[1])})`
}

/** Not sealed under this key; for the place of the key's id see `seal.ts`. */
const otherKey = (sql: Sql, { column }: SealedColumn, key_id: Buffer): Fragment => sql`
  ${sql(column)} is not null and substring(${sql(column)} from 2 for 8) <> ${key_id}`

export const listSealedOtherwise = (
  sql: Sql,
  column: SealedColumn,
  { key_id, after, limit }: Readonly<{ key_id: Buffer; after: readonly string[]; limit: number }>,
): Promise<SealedRow[]> => {
  const names = column.key.map(([name]) => name)
  const [first = '', second] = names
  const key =
    second === undefined
      ? sql`array[${sql(first)}::text]`
      : sql`array[${sql(first)}::text, ${sql(second)}::text]`
  return sql<SealedRow[]>`
    select ${key} as key, ${sql(column.column)} as sealed
      from ${sql(column.table)}
     where ${otherKey(sql, column, key_id)} ${beyond(sql, column, after)}
     order by ${sql(names)}
     limit ${limit}`
}

export async function countSealedOtherwise(
  sql: Sql,
  column: SealedColumn,
  key_id: Buffer,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from ${sql(column.table)}
     where ${otherKey(sql, column, key_id)}`
  return row?.count ?? 0
}

/** False when the text was rewritten or deleted since it was read. */
export async function replaceSealed(
  sql: Sql,
  column: SealedColumn,
  row: SealedRow & Readonly<{ fresh: Buffer }>,
): Promise<boolean> {
  const [first, second] = column.key
  const name = sql(column.column)
  const more =
    second === undefined ? sql`` : sql`and ${sql(second[0])} = ${value(sql, second, row.key[1])}`
  const done = await sql`
    update ${sql(column.table)} set ${name} = ${row.fresh}
     where ${sql(first[0])} = ${value(sql, first, row.key[0])} ${more} and ${name} = ${row.sealed}`
  return done.count === 1
}
