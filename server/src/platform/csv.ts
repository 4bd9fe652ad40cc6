// CSV that spreadsheet programs open correctly (RFC 4180), and in which no text becomes a formula
// (OWASP, "CSV Injection"). A program may also cut a line at semicolons and tabs, and at a line end
// inside a cell, so a sign after any of these gets an apostrophe, like a sign at the start.

import { Type } from 'typebox'
import { flagFilter, flagSchema } from './http/filters.ts'

export const csv_type = 'text/csv; charset=utf-8'

/** For programs that read a file as UTF-8 only when it says so; otherwise columns come first. */
export const csvQuery = {
  bom: Type.Optional({
    ...flagSchema,
    description: 'When true, the file starts with a byte order mark.',
  }),
  locale: Type.Optional(
    Type.Enum(['en', 'fr'], {
      description:
        '`fr`: as French spreadsheets read a file: semicolons, decimal commas, dates as ' +
        '22/11/2026, and a byte order mark.',
    }),
  ),
}

type Query = Readonly<Record<string, string>>

/** How a file is written (contract 8.19). */
export type CsvForm = Readonly<{
  separator: ',' | ';'
  is_french: boolean
  /** What precedes the first line. */
  start: string
}>

export function csvForm(query: Query): CsvForm {
  const is_french = query['locale'] === 'fr'
  const has_mark = is_french || flagFilter(query, 'bom') === true
  return { separator: is_french ? ';' : ',', is_french, start: has_mark ? '\uFEFF' : '' }
}

/** `1500.00` as this form writes it. */
export const csvDecimal = ({ is_french }: Pick<CsvForm, 'is_french'>, decimal: string): string =>
  is_french ? decimal.replace('.', ',') : decimal

/** `2026-11-22` as this form writes it. */
export const csvDay = ({ is_french }: Pick<CsvForm, 'is_french'>, day: string): string =>
  is_french ? day.split('-').reverse().join('/') : day

export const csvText = (form: CsvForm, rows: readonly (readonly string[])[]): string =>
  rows.map((row) => csvLine(form, row)).join('')

/** One empty cell is `""`: an empty line is passed over by those who read CSV. */
export function csvLine({ separator }: Pick<CsvForm, 'separator'>, cells: readonly string[]) {
  const line = cells.map((cell) => csvCell(cell, separator)).join(separator)
  return `${line === '' ? '""' : line}\r\n`
}

function csvCell(text: string, separator: string): string {
  const plain = plainText(text)
  const is_quoted = plain.includes(separator) || /["\r\n]/.test(plain)
  return is_quoted ? `"${plain.replaceAll('"', '""')}"` : plain
}

// Written so that JavaScript and PostgreSQL read them alike. A full-width sign counts as a sign,
// and characters that a program drops before it decides do not hide one.
const formula = '[ "\\u00a0\\u200b\\u3000\\ufeff]*[=+@\\uff0b\\uff0d\\uff1d\\uff20-]'
const begins = `^([\\t\\r\\n]|${formula})`
const follows = `([;\\t\\r\\n])(?=${formula})`
/** A bare signed number, such as a phone, is harmless and stays as it is. */
const signedNumber = '^[+-][0-9]+(\\.[0-9]+)?$'

const patterns = {
  begins: new RegExp(begins, 'u'),
  follows: new RegExp(follows, 'gu'),
  signedNumber: new RegExp(signedNumber, 'u'),
}

/** Text that no spreadsheet takes for a formula. */
export function plainText(text: string): string {
  if (patterns.signedNumber.test(text)) return text
  const inside = text.replace(patterns.follows, "$1'")
  return patterns.begins.test(text) ? `'${inside}` : inside
}

/**
 * The same for a SQL expression, in files that PostgreSQL writes. The first two branches are cheap
 * and serve nearly every cell: no separator, and no first character that needs more.
 */
export function plainSql(text: string): string {
  const suspects = `E' "=+-@\\t\\r\\n\\u00a0\\u200b\\u3000\\ufeff\\uff0b\\uff0d\\uff1d\\uff20'`
  return `case when strpos(${suspects}, left(${text}, 1)) = 0
                and translate(${text}, E';\\t\\r\\n', '') = ${text} then ${text}
               when ${text} ~ '${signedNumber}' then ${text}
               else case when ${text} ~ '${begins}' then '''' else '' end
                 || regexp_replace(${text}, '${follows}', '\\1''', 'g') end`
}
