// The file of a merchant's transfers: the list's filters, every match.

import { csvExport, type ExportDeps } from '../../platform/export/export-route.ts'
import { checkTimes } from '../../platform/http/filters.ts'
import type { ServedRoute } from '../../platform/http/route.ts'
import { readTransferFilters, transferQuery } from '../filters.ts'
import { columns, transferRows } from './store.ts'

export const transferExportRoute = (deps: ExportDeps): ServedRoute =>
  csvExport(deps, {
    path: '/wallet-transfers/export/',
    query: transferQuery,
    check_query: checkTimes,
    summary: 'Export transfers as CSV',
    description: '`to_amount` is what arrives: `from_amount` less `fee_amount`, converted.',
    tag: 'Wallet transfers',
    filename: 'transfers.csv',
    columns,
    rowsOf: ({ caller: { merchant_id, environment }, query }) =>
      transferRows({ ...readTransferFilters(query), merchant_id, environment }),
  })
