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

/** An accountant keeps the files of payments and of payouts side by side. */
function nameOf(flow_direction: string | undefined, type: string | undefined): string {
  if (type === 'RETRAIT') return 'payouts.csv'
  const isIn = flow_direction === 'INBOUND' || type === 'PAIEMENT' || type === 'RECHARGE'
  return isIn ? 'payments.csv' : 'transactions.csv'
}

export const transactionExportRoute = (deps: ExportDeps): ServedRoute =>
  csvExport(deps, {
    path: '/transactions/export/',
    query: { ...transactionQuery, ...searchQuery, ...idsQuery },
    check_query: (query) => ({ ...checkTransactionQuery(query), ...checkIds(query) }),
    summary: 'Export transactions as CSV',
    description:
      'Countries, networks and gateways are given by code. With a `file_label` the file is ' +
      'called `payments-…csv` where `flow_direction` or `transaction_type` leaves only what ' +
      'comes in, `payouts-…csv` where only payouts, and `transactions-…csv` otherwise.',
    tag: 'Transactions',
    filename: 'transactions.csv',
    labelled: ({ flow_direction, transaction_type }) => nameOf(flow_direction, transaction_type),
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
