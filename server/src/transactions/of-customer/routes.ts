// The transactions of one customer (contract 6.3). They are here because customers rank above
// transactions and cannot import them.

import { Type } from 'typebox'
import { getOwnCustomer } from '../../customers/records/keep-customer.ts'
import type { Db } from '../../platform/db.ts'
import { orderingFilter, orderings, uuidParam } from '../../platform/http/filters.ts'
import { listByNumber } from '../../platform/http/list-by-number.ts'
import { numberPageSchema, numberQuery } from '../../platform/http/pages.ts'
import type { Route } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { transactionExample } from '../example.ts'
import {
  checkTransactionQuery,
  readTransactionFilters,
  searchQuery,
  transactionQuery,
} from '../filters.ts'
import { TransactionSchema } from '../schema.ts'
import { findOfCustomer } from '../search/find-transactions.ts'
import { viewTransaction } from '../view.ts'

const sortFields = ['created_at'] as const

export const customerTransactionRoutes = ({ db }: Readonly<{ db: Db }>): Route[] => [
  {
    method: 'GET',
    path: '/customers/:id/transactions/',
    access: 'any',
    query: Type.Object({
      ...numberQuery,
      ...transactionQuery,
      ...searchQuery,
      ordering: Type.Optional(Type.Enum(orderings(sortFields))),
    }),
    check_query: checkTransactionQuery,
    summary: 'List the transactions of a customer',
    description: 'Newest first.',
    tag: 'Customers',
    responses: { 200: numberPageSchema(TransactionSchema) },
    errors: [accessErrors.permission_denied],
    example: { reply: { count: 1, next: null, previous: null, results: [transactionExample] } },
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
