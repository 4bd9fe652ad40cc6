// The schema in words of SQL: one column, constraint, index or grant a line, always in one order.

export type Column = Readonly<{
  name: string
  type: string
  is_not_null: boolean
  is_generated: boolean
  /** The default, or what the column is generated from; empty when neither. */
  expression: string
}>

export type Table = Readonly<{
  name: string
  is_unlogged: boolean
  /** Storage parameters, as in `with (…)`; empty when none. */
  storage: string
  /** As in `partition by …`; empty when not partitioned. */
  partition_key: string
  default_partitions: readonly string[]
  columns: readonly Column[]
  constraints: readonly string[]
  indexes: readonly string[]
  grants: readonly string[]
}>

export type Routine = Readonly<{ text: string; grants: readonly string[] }>

export function formatTable(table: Table): string {
  const { name, storage, partition_key } = table
  const body = [...table.columns.map(formatColumn), ...table.constraints]
  const partitioned = partition_key === '' ? '' : ` partition by ${partition_key.toLowerCase()}`
  const stored = storage === '' ? '' : ` with (${storage})`
  const statements = [
    `create ${table.is_unlogged ? 'unlogged ' : ''}table ${name} (\n  ${body.join(',\n  ')}\n)` +
      `${partitioned}${stored}`,
    ...table.default_partitions.map((one) => `create table ${one} partition of ${name} default`),
    ...table.indexes,
    ...table.grants,
  ]
  return statements.map((statement) => `${statement};\n`).join('')
}

function formatColumn({ name, type, is_not_null, is_generated, expression }: Column): string {
  const made = is_generated ? ` generated always as (${oneLine(expression)}) stored` : ''
  const otherwise = expression === '' || is_generated ? '' : ` default ${expression}`
  return `${name} ${type}${is_not_null ? ' not null' : ''}${otherwise}${made}`
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

export function formatFunction({ text, grants }: Routine): string {
  return [text.trimEnd(), ...grants].map((statement) => `${statement};\n`).join('')
}
