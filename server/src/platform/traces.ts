// Finds a person in texts that others wrote: by e-mail, by phone in any spelling without spaces, by
// whole name; and removes what was found.

import type { Fragment, Sql } from './db.ts'

/** `like` patterns of lower-case text. */
export type Traces = readonly string[]

/** The digits that a number has in all its spellings, national and international. */
const digits_kept = 8

const literally = (text: string): string =>
  `%${text
    .trim()
    .toLowerCase()
    .replace(/[\\%_]/g, '\\$&')}%`

export function tracesOf(
  person: Readonly<{ emails: string[]; phones: string[]; names: string[] }>,
): Traces {
  const phones = person.phones.map((phone) => phone.replace(/\D/g, '').slice(-digits_kept))
  // A first name alone is a word like others.
  const names = person.names.filter((name) => /\S\s+\S/.test(name.trim()))
  const texts = [...person.emails, ...phones, ...names].filter((text) => text.trim() !== '')
  return [...new Set(texts.map(literally))]
}

/** Whether this text names the person. */
export const names = (sql: Sql, text: Fragment, traces: Traces): Fragment =>
  sql`(lower(${text}) like any(${[...traces]}::text[]))`

/** The text, or empty when it names the person. */
export const without = (sql: Sql, text: Fragment, traces: Traces): Fragment =>
  sql`case when ${names(sql, text, traces)} then '' else ${text} end`

/** A phone of which the last two digits stay, for receipts. */
export const lastTwo = (sql: Sql, phone: Fragment): Fragment =>
  sql`(repeat('*', greatest(length(${phone}) - 2, 0)) || right(${phone}, 2))`
