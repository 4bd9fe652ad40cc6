// Many rows into a table at once, by `copy`: for made-up history and the like. A mechanism; which
// table is written is the caller's to answer for, and never a hot path's.

import { once } from 'node:events'
import type { Tx } from './db.ts'

type Value = string | number | bigint | boolean | Date | null | undefined

/** Columns that no row names keep their default. Every row has the names of the first. */
export async function copyRows(
  tx: Tx,
  table: string,
  rows: readonly Readonly<Record<string, Value>>[],
): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const names = Object.keys(first)
  const into = await tx`copy ${tx(table)} (${tx(names)}) from stdin`.writable()
  const ended = once(into, 'finish')
  for (let at = 0; at < rows.length; at += rows_a_piece) {
    const piece = rows.slice(at, at + rows_a_piece)
    const text = piece.map((row) => `${names.map((name) => textOf(row[name])).join('\t')}\n`)
    if (!into.write(text.join(''))) await once(into, 'drain')
  }
  into.end()
  await ended
}

const rows_a_piece = 500

/** As `copy` reads text (PostgreSQL manual, COPY, Text Format). */
function textOf(value: Value): string {
  if (value === null || value === undefined) return '\\N'
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
