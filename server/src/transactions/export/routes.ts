// The file of a merchant's transactions: the list's filters and search, every match.

import { Type } from 'typebox'
import { listZones } from '../../merchants/time-zones/store.ts'
import { csvForm, csvQuery } from '../../platform/csv.ts'
import type { Sql } from '../../platform/db.ts'
import { answerFile } from '../../platform/export/answer-file.ts'
import type { Exports } from '../../platform/export/exports.ts'
import type { FileReply, Input, ServedRoute } from '../../platform/http/route.ts'
import {
  checkTransactionQuery,
  readTransactionFilters,
  searchQuery,
  transactionQuery,
} from '../filters.ts'
import { readTerms } from '../search/terms.ts'
import { default_columns, fileOfTransactions } from './store.ts'

/** The first line of a file that nobody asked more of. */
const csv_header = default_columns.join(',')

export type ExportDeps = Readonly<{ db: Sql; exports: Exports }>

export const exportRoute = (deps: ExportDeps): ServedRoute => ({
  method: 'GET',
  path: '/transactions/export/',
  access: 'any',
  query: Type.Object({
    ...transactionQuery,
    ...searchQuery,
    ...csvQuery,
    columns: Type.Optional(
      Type.Enum(['default', 'all'], {
        description: '`all` appends merchant_reference, paid_at, failure_code and environment.',
      }),
    ),
  }),
  check_query: checkTransactionQuery,
  summary: 'Export transactions as CSV',
  description:
    'Every match in one file, newest first, in UTF-8; gzipped if accepted. The columns: ' +
    `${csv_header}. Times are in UTC; with \`locale=fr\` by the merchant’s own clocks, and the ` +
    'header `Time-Zone` names the zone (each in its turn where it has changed). Countries, ' +
    'networks and gateways are given by code. Text that a spreadsheet would take for a formula ' +
    'is prefixed with an apostrophe.',
  tag: 'Transactions',
  responses: { 200: Type.String({ contentMediaType: 'text/csv' }) },
  example: {},
  handler: (input) => answerExport(deps, input),
})

async function answerExport({ db, exports }: ExportDeps, input: Input): Promise<FileReply> {
  const { query } = input
  const { merchant_id, environment } = input.caller
  const sought = {
    ...readTransactionFilters(query),
    terms: readTerms(query['search'] ?? ''),
    merchant_id,
    environment,
  }
  const form = { ...csvForm(query), has_all: query['columns'] === 'all' }
  const zones = form.is_french ? await listZones(db, merchant_id) : []
  return answerFile(exports, input, {
    file: fileOfTransactions(sought, { ...form, zones }),
    filename: 'transactions.csv',
    zones,
  })
}
