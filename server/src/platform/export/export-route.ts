// The route of a file of rows: what each of them shares. A folder says which rows, which columns
// and which filters; how a file is asked for, written and answered is the same for all of them.

import { type TProperties, Type } from 'typebox'
import { csvForm, csvQuery } from '../csv.ts'
import type { Db, Fragment } from '../db.ts'
import type { Query } from '../http/filters.ts'
import type { Input, Route, ServedRoute } from '../http/route.ts'
import { answerFile } from './answer-file.ts'
import { checkColumns, chosenColumns, columnsQuery } from './chosen-columns.ts'
import { type Columns, type ExportForm, headOf, type ZoneFrom } from './columns.ts'
import { type Copied, copyOut } from './copy-statements.ts'
import type { Exports, NewFile } from './exports.ts'
import { labelQuery, namedWith } from './file-label.ts'

export type ExportDeps = Readonly<{
  exports: Exports
  /** Whose clocks a merchant's files show, in their order. */
  zonesOf: (merchant_id: string) => Promise<readonly ZoneFrom[]>
}>

/** Which rows: a statement without its `select` list, for a connection of the file's own. */
export type RowsOf = (db: Db, copied: Copied) => Fragment

/** A file of rows as its folder describes it. */
export type CsvExport = Pick<Route, 'path' | 'tag' | 'summary' | 'permission' | 'check_query'> &
  Readonly<{
    access?: Route['access']
    /** Of the rows, before what is said of every file. */
    description: string
    filename: string
    /** What a file with a label is called, where its filters say more than `filename` does. */
    labelled?: (asked: Query) => string
    query: TProperties
    /** What a caller gets who asks for no others. */
    columns: Columns
    /** What there is beside them. */
    more_columns?: Columns
    /** What its rows need of another place is read first. */
    rowsOf: (input: Pick<Input, 'caller' | 'query'>) => RowsOf | Promise<RowsOf>
  }>

type Owned = Pick<NewFile, 'merchant_id' | 'environment'>
type Written = Readonly<{ columns: Columns; form: ExportForm; rowsOf: RowsOf }>

/** Every row of a merchant's environment, in the order of `rowsOf`. */
export const fileOfRows = ({ merchant_id, environment }: Owned, written: Written): NewFile => ({
  merchant_id,
  environment,
  head: headOf(written.columns, written.form),
  copy: (db) => copyOut(db, { ...written, rowsOf: (copied) => written.rowsOf(db, copied) }),
})

/** The whole route of a file of rows. */
export function csvExport({ exports, zonesOf }: ExportDeps, file: CsvExport): ServedRoute {
  const { query, check_query, columns, more_columns = {}, rowsOf, ...named } = file
  const { filename, labelled = () => filename, ...route } = named
  const offered = { columns, more_columns }
  return {
    access: 'any',
    ...route,
    method: 'GET',
    query: Type.Object({ ...query, ...columnsQuery(offered), ...csvQuery, ...labelQuery }),
    check_query: (asked) => ({ ...check_query?.(asked), ...checkColumns(offered, asked) }),
    description: `${route.description} ${commonText(Object.keys(columns))}`,
    sends: ['Content-Disposition', 'Time-Zone'],
    responses: { 200: Type.String({ contentMediaType: 'text/csv' }) },
    example: {},
    handler: async (input: Input) => {
      const { caller, query: asked } = input
      const form = csvForm(asked)
      const zones = form.is_french ? await zonesOf(caller.merchant_id) : []
      const rows = await rowsOf(input)
      const chosen = chosenColumns(offered, asked)
      const written = { columns: chosen, form: { ...form, zones }, rowsOf: rows }
      const label = asked['file_label']
      const name = label === undefined ? filename : labelled(asked)
      const answer = { file: fileOfRows(caller, written), zones, filename: namedWith(name, label) }
      return answerFile(exports, input, answer)
    },
  }
}

const commonText = (names: readonly string[]): string =>
  'Every match in one file, newest first, in UTF-8; gzipped if accepted. The columns: ' +
  `${names.join(',')}. Times are in UTC; with \`locale=fr\` by the merchant’s own clocks, and ` +
  'the header `Time-Zone` names the zone (each in its turn where it has changed). Text that a ' +
  'spreadsheet would take for a formula is prefixed with an apostrophe.'
