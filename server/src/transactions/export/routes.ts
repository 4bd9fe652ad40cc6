// The file of a merchant's transactions: the list's filters and search, every match.

import { Type } from 'typebox'
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
import { columnsIn, transactionRows } from './store.ts'

export const transactionExportRoute = (deps: ExportDeps): ServedRoute =>
  csvExport(deps, {
    path: '/transactions/export/',
    query: {
      ...transactionQuery,
      ...searchQuery,
      ...idsQuery,
      columns: Type.Optional(
        Type.Enum(['default', 'all'], {
          description: '`all` appends merchant_reference, paid_at, failure_code and environment.',
        }),
      ),
    },
    check_query: (query) => ({ ...checkTransactionQuery(query), ...checkIds(query) }),
    summary: 'Export transactions as CSV',
    description: 'Countries, networks and gateways are given by code.',
    tag: 'Transactions',
    filename: 'transactions.csv',
    columnsOf: (query) => columnsIn({ has_all: query['columns'] === 'all' }),
    rowsOf: ({ caller: { merchant_id, environment }, query }) =>
      transactionRows({
        ...readTransactionFilters(query),
        terms: readTerms(query['search'] ?? ''),
        ids: readIds(query),
        merchant_id,
        environment,
      }),
  })
