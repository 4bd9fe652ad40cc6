// The file of a merchant's refunds: the list's filters, every match.

import { csvExport, type ExportDeps } from '../../platform/export/export-route.ts'
import { checkTimes } from '../../platform/http/filters.ts'
import type { ServedRoute } from '../../platform/http/route.ts'
import { readRefundFilters, refundQuery } from '../filters.ts'
import { columns, refundRows } from './store.ts'

export const refundExportRoute = (deps: ExportDeps): ServedRoute =>
  csvExport(deps, {
    path: '/refunds/export/',
    query: refundQuery,
    check_query: checkTimes,
    summary: 'Export refunds as CSV',
    description:
      '`merchant_reference` is the payment’s, `reference` the refund’s, both yours; ' +
      '`external_reference` is the operator’s.',
    tag: 'Refunds',
    filename: 'refunds.csv',
    columns,
    rowsOf: ({ caller: { merchant_id, environment }, query }) =>
      refundRows({ ...readRefundFilters(query), merchant_id, environment }),
  })
