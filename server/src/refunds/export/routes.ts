// The file of a merchant's refunds: the list's filters, every match.

import { Type } from 'typebox'
import { listZones } from '../../merchants/time-zones/store.ts'
import { csvForm, csvQuery } from '../../platform/csv.ts'
import type { Sql } from '../../platform/db.ts'
import { answerFile } from '../../platform/export/answer-file.ts'
import type { Exports } from '../../platform/export/exports.ts'
import type { FileReply, Input, ServedRoute } from '../../platform/http/route.ts'
import { readRefundFilters, refundQuery } from '../filters.ts'
import { column_names, fileOfRefunds } from './store.ts'

export type RefundExportDeps = Readonly<{ db: Sql; exports: Exports }>

export const refundExportRoute = (deps: RefundExportDeps): ServedRoute => ({
  method: 'GET',
  path: '/refunds/export/',
  access: 'any',
  query: Type.Object({ ...refundQuery, ...csvQuery }),
  summary: 'Export refunds as CSV',
  description:
    'Every match in one file, newest first, in UTF-8; gzipped if accepted. The columns: ' +
    `${column_names.join(',')}. \`merchant_reference\` is the payment’s, \`reference\` the ` +
    'refund’s, both yours; `external_reference` is the operator’s. Times are in UTC; with ' +
    '`locale=fr` by the merchant’s own clocks, and the header `Time-Zone` names the zone (each ' +
    'in its turn where it has changed). Text that a spreadsheet would take for a formula is ' +
    'prefixed with an apostrophe.',
  tag: 'Refunds',
  responses: { 200: Type.String({ contentMediaType: 'text/csv' }) },
  example: {},
  handler: (input) => answerExport(deps, input),
})

async function answerExport({ db, exports }: RefundExportDeps, input: Input): Promise<FileReply> {
  const { merchant_id, environment } = input.caller
  const form = csvForm(input.query)
  const zones = form.is_french ? await listZones(db, merchant_id) : []
  const sought = { ...readRefundFilters(input.query), merchant_id, environment }
  return answerFile(exports, input, {
    file: fileOfRefunds(sought, { ...form, zones }),
    filename: 'refunds.csv',
    zones,
  })
}
