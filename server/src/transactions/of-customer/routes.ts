// The transactions of one customer (decisions 6.3): customers stand above transactions and cannot
// know them.

import { Type } from 'typebox'
import { getOwnCustomer } from '../../customers/records/keep-customer.ts'
import type { Db } from '../../platform/db.ts'
import { orderingFilter, orderings, uuidParam } from '../../platform/http/filters.ts'
import {
  numberPage,
  numberPageSchema,
  numberQuery,
  readNumberRequest,
} from '../../platform/http/pages.ts'
import { ok, type Route } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { transactionExample } from '../example.ts'
import { TransactionSchema } from '../schema.ts'
import { listTransactionsOf } from '../transaction-record.ts'
import { viewTransaction } from '../view.ts'

const orders = ['created_at'] as const

export const customerTransactionRoutes = ({ db }: Readonly<{ db: Db }>): Route[] => [
  {
    method: 'GET',
    path: '/customers/:id/transactions/',
    access: 'any',
    query: Type.Object({
      ...numberQuery,
      ordering: Type.Optional(Type.Enum(orderings(orders))),
    }),
    summary: 'List the transactions of a customer',
    description: 'The newest first.',
    tag: 'Customers',
    responses: { 200: numberPageSchema(TransactionSchema) },
    errors: [accessErrors.permission_denied],
    example: { reply: { count: 1, next: null, previous: null, results: [transactionExample] } },
    handler: async (input) => {
      const { caller, query, url, locale } = input
      const customer = await getOwnCustomer(db, caller, uuidParam(input, 'id'))
      const request = readNumberRequest(query)
      const [order] = orderingFilter(query, orders, [])
      const { count, rows } = await listTransactionsOf(db, {
        merchant_id: customer.merchant_id,
        environment: customer.environment,
        of: { customer_id: customer.id },
        oldest_first: order?.descending === false,
        limit: request.page_size,
        offset: request.offset,
      })
      const results = rows.map((row) => viewTransaction(row, locale))
      return ok(numberPage(request, { count, results, url }))
    },
  },
]
