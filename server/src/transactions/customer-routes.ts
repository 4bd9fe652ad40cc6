// The transactions of one customer (contract 6.3). They are here because customers rank above
// transactions and cannot import them.

import { getOwnCustomer } from '../customers/records/keep-customer.ts'
import type { Db } from '../platform/db.ts'
import { orderingFilter, uuidParam } from '../platform/http/filters.ts'
import { listByNumber } from '../platform/http/lists.ts'
import type { Route } from '../platform/http/route.ts'
import { numberList, orderingBy } from '../platform/http/route-list.ts'
import { transactionExample } from './example.ts'
import {
  checkTransactionQuery,
  readTransactionFilters,
  searchQuery,
  transactionQuery,
} from './filters.ts'
import { TransactionSchema } from './schema.ts'
import { findOfCustomer } from './search/find-transactions.ts'
import { viewTransaction } from './view.ts'

const sortFields = ['created_at'] as const

export const customerTransactionRoutes = ({ db }: Readonly<{ db: Db }>): Route[] => [
  {
    path: '/customers/:id/transactions/',
    access: 'any',
    ...numberList(TransactionSchema, transactionExample, {
      ...transactionQuery,
      ...searchQuery,
      ordering: orderingBy(sortFields),
    }),
    check_query: checkTransactionQuery,
    summary: 'List the transactions of a customer',
    description: 'Newest first.',
    tag: 'Customers',
    handler: listByNumber(viewTransaction, async (input, cut) => {
      const customer = await getOwnCustomer(db, input.caller, uuidParam(input, 'id'))
      const { merchant_id, environment, id: customer_id } = customer
      const [order] = orderingFilter(input.query, sortFields, [])
      const oldest_first = order?.descending === false
      const filters = readTransactionFilters(input.query)
      const sought = { ...filters, merchant_id, environment, customer_id, oldest_first }
      return findOfCustomer(db, { ...sought, search: input.query['search'], ...cut })
    }),
  },
]
