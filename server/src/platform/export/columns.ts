// The columns of a file that PostgreSQL writes, each with where it comes from and how a form of the
// file writes it (contract 8.19, 8.20).

import { type CsvForm, plainSql } from '../csv.ts'

/** A zone from a moment on, until the next one's. */
export type ZoneFrom = Readonly<{ from_at: Date; zone: string }>

/** How a file of rows is written. */
export type ExportForm = CsvForm &
  Readonly<{
    /** Whose clocks it shows, in their order; absent: UTC. */
    zones?: readonly ZoneFrom[]
  }>

/** How a value that is no part of the statement gets into it, as SQL. */
export type Setting = (value: string) => string

type Writing = Readonly<{
  is_french: boolean
  /** The zone of a moment, as SQL. */
  zoneOf: (moment: string) => string
}>

/** A column as a form writes it, as SQL. */
export type Column = (writing: Writing) => string

/** By their names, in their order. */
export type Columns = Readonly<Record<string, Column>>

/** What precedes the first row. */
export const headOf = (columns: Columns, { start, separator }: CsvForm): string =>
  `${start}${Object.keys(columns).join(separator)}\n`

export function selectListOf(columns: Columns, form: ExportForm, setting: Setting): string {
  const writing = { is_french: form.is_french, zoneOf: zonesAsSql(form.zones, setting) }
  const written = Object.values(columns).map((column) => column(writing))
  // A line of one empty cell would be an empty line, which readers of CSV pass over: `""` is not.
  return written.length === 1 ? `coalesce((${written[0]})::text, '')` : written.join(', ')
}

/** A code or an id of ours, as it is. */
export const asItIs =
  (source: string): Column =>
  () =>
    source

/** Text as in all our CSV files; an empty one is an empty cell, without quotes. */
export const plain = (source: string): Column => asItIs(plainSql(`nullif(${source}, '')`))

/** Hundredths with their two digits; exact, being a numeric. */
export const amount =
  (source: string): Column =>
  ({ is_french }) => {
    const decimal = `((${source}) * 0.01)::numeric(20, 2)`
    return is_french ? `replace(${decimal}::text, '.', ',')` : decimal
  }

/** A whole number of parts, `factor` each, by a pattern of `to_char`. */
export const decimal =
  (source: string, factor: string, pattern: string): Column =>
  ({ is_french }) => {
    const text = `to_char((${source}) * ${factor}, '${pattern}')`
    return is_french ? `replace(${text}, '.', ',')` : text
  }

/** To the second where a spreadsheet is to read it. */
export const moment =
  (source: string): Column =>
  ({ is_french, zoneOf }) => {
    const pattern = is_french ? 'DD/MM/YYYY HH24:MI:SS' : 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
    return `to_char((${source}) at time zone ${zoneOf(source)}, '${pattern}')`
  }

function zonesAsSql(zones: ExportForm['zones'] = [], setting: Setting): Writing['zoneOf'] {
  const [first, ...later] = zones
  if (first === undefined) return () => `'UTC'`
  const before = setting(first.zone)
  if (later.length === 0) return () => before
  const cases = later.map(({ from_at, zone }) => [setting(from_at.toISOString()), setting(zone)])
  return (source) =>
    `case ${cases
      .toReversed()
      .map(([from_at, zone]) => `when (${source}) >= ${from_at}::timestamptz then ${zone} `)
      .join('')}else ${before} end`
}
