// The file of a merchant's deliveries: the list's filters, every match.

import { csvExport, type ExportDeps } from '../../../platform/export/export-route.ts'
import { checkTimes } from '../../../platform/http/filters.ts'
import type { ServedRoute } from '../../../platform/http/route.ts'
import { logQuery, readLogFilters } from '../filters.ts'
import { columns, logRows } from './store.ts'

export const logExportRoute = (deps: ExportDeps): ServedRoute =>
  csvExport(deps, {
    path: '/webhook-logs/export/',
    query: logQuery,
    check_query: checkTimes,
    summary: 'Export webhook deliveries as CSV',
    description: 'One line per delivery, with its last try; neither payloads nor responses.',
    tag: 'Webhooks',
    filename: 'deliveries.csv',
    columns,
    rowsOf: ({ caller: { merchant_id, environment }, query }) =>
      logRows({ ...readLogFilters(query), merchant_id, environment }),
  })
