// The file of a merchant's movements: the list's filters, every match.

import { csvExport, type ExportDeps } from '../../platform/export/export-route.ts'
import { checkTimes } from '../../platform/http/filters.ts'
import type { ServedRoute } from '../../platform/http/route.ts'
import { entryQuery, readEntryFilters } from '../filters.ts'
import { columns, entryRows } from './store.ts'

export const entryExportRoute = (deps: ExportDeps): ServedRoute =>
  csvExport(deps, {
    path: '/merchant-ledger-entries/export/',
    query: entryQuery,
    check_query: checkTimes,
    summary: 'Export the movements of your available balances as CSV',
    description:
      '`balance_after` is that of its country, when the movement was booked. With `country`, in ' +
      'the order in which that balance moved.',
    tag: 'Balances',
    filename: 'movements.csv',
    columns,
    rowsOf: ({ caller: { merchant_id, environment }, query }) =>
      entryRows({ ...readEntryFilters(query), merchant_id, environment }),
  })
