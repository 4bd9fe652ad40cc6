// The file of a merchant's transactions: the list's filters and search, every match.

import { readTerms } from '../../customers/search/terms.ts'
import { csvExport, type ExportDeps } from '../../platform/export/export-route.ts'
import type { ServedRoute } from '../../platform/http/route.ts'
import {
  checkTransactionQuery,
  readTransactionFilters,
  searchQuery,
  transactionQuery,
} from '../filters.ts'
import { checkIds, idsQuery, readIds } from './ids.ts'
import { columns, more_columns, transactionRows } from './store.ts'

export const transactionExportRoute = (deps: ExportDeps): ServedRoute =>
  csvExport(deps, {
    path: '/transactions/export/',
    query: { ...transactionQuery, ...searchQuery, ...idsQuery },
    check_query: (query) => ({ ...checkTransactionQuery(query), ...checkIds(query) }),
    summary: 'Export transactions as CSV',
    description: 'Countries, networks and gateways are given by code.',
    tag: 'Transactions',
    filename: 'transactions.csv',
    columns,
    more_columns,
    rowsOf: ({ caller: { merchant_id, environment }, query }) =>
      transactionRows({
        ...readTransactionFilters(query),
        terms: readTerms(query['search'] ?? ''),
        ids: readIds(query),
        merchant_id,
        environment,
      }),
  })
