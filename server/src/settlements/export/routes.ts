// The file of a merchant's settlements: the list's filters, every match.

import { csvExport, type ExportDeps } from '../../platform/export/export-route.ts'
import { checkTimes } from '../../platform/http/filters.ts'
import type { ServedRoute } from '../../platform/http/route.ts'
import { readSettlementFilters, settlementQuery } from '../filters.ts'
import { columns, settlementRows } from './store.ts'

export const settlementExportRoute = (deps: ExportDeps): ServedRoute =>
  csvExport(deps, {
    path: '/settlements/export/',
    query: settlementQuery,
    check_query: checkTimes,
    summary: 'Export settlements as CSV',
    description: '`method` is the kind of payout method; its account is not in the file.',
    tag: 'Settlements',
    filename: 'settlements.csv',
    columns,
    rowsOf: ({ caller: { merchant_id, environment }, query }) =>
      settlementRows({ ...readSettlementFilters(query), merchant_id, environment }),
  })
