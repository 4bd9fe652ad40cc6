// Many rows into a table at once, by `copy`: for made-up history and the like. A mechanism: the
// caller answers for which table is written, and no hot path uses it.

import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Tx } from './db.ts'

type Value = string | number | bigint | boolean | Date | null
type Cells = Readonly<Record<string, Value>>

/** Some columns of a row, as `copy` reads them. A part that many rows share is made once. */
export type Part = Readonly<{ names: readonly string[]; text: string }>

export type Row = readonly Part[]

export function partOf(cells: Cells): Part {
  const names = Object.keys(cells)
  return { names, text: names.map((name) => textOf(cells[name] ?? null)).join('\t') }
}

/** Columns that no part names keep their default. Every row has the columns of the first. */
export async function copyRows(tx: Tx, table: string, rows: readonly Row[]): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const names = first.flatMap((part) => part.names)
  const into = await tx`copy ${tx(table)} (${tx(names)}) from stdin`.writable()
  const ended = once(into, 'finish')
  for (let at = 0; at < rows.length; at += rows_a_piece) {
    const piece = rows.slice(at, at + rows_a_piece).map(lineOf)
    if (!into.write(piece.join(''))) await once(into, 'drain')
  }
  await new Promise<void>((done, fail) => {
    into.write('', (error) => (error ? fail(error) : done()))
  })
  into.end()
  await nextTurn()
  // Rows that are refused end the copy without a word of the client: what is asked after it, on
  // the same connection, fails then (25P02), and the transaction with it.
  await Promise.race([ended, tx`select 1`])
  await ended
}

const rows_a_piece = 500

const lineOf = (row: Row): string => `${row.map(({ text }) => text).join('\t')}\n`

/** As `copy` reads text (PostgreSQL manual, COPY, Text Format). */
function textOf(value: Value): string {
  if (value === null) return '\\N'
  if (value instanceof Date) return value.toISOString()
  const text = String(value)
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (one) => escapes[one] ?? one) : text
}

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
}
