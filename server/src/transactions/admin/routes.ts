// Staff read transactions across merchants, in the environment that they are looking at. Read only.

import { Type } from 'typebox'
import { findPassedOver, listAttemptsOf } from '../../attempts/attempt-statements.ts'
import { noteLook } from '../../audit/audit-log.ts'
import type { Db } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import { uuidParam } from '../../platform/http/filters.ts'
import { type CursorSecret, keysetPage, readCursorRequest } from '../../platform/http/pages.ts'
import { type Input, ok, type Reply, type Route } from '../../platform/http/route.ts'
import { cursorList, reads, routesWith } from '../../platform/http/route-list.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { checkTransactionQuery, readTransactionFilters, transactionQuery } from '../filters.ts'
import { listStatusLogsOf } from '../store.ts'
import { findLook } from '../wait-statements.ts'
import { listAcross, type Patience, patience } from './list-across.ts'
import { findAcross, type StaffTransaction } from './store.ts'
import {
  detailExample,
  ofMerchantExample,
  StaffTransactionDetailSchema,
  StaffTransactionSchema,
  viewStaffTransaction,
  viewStaffTransactionDetail,
} from './view.ts'

export type Deps = Readonly<{
  db: Db
  /** Signs the cursors of lists. */
  cursor_secret: CursorSecret
  /** For how long a page may search; tests set it shorter. */
  patience?: Patience
}>

export const transactionAdminRoutes = (deps: Deps): Route[] =>
  routesWith({ tag: 'Staff', access: 'staff' }, [
    {
      path: '/admin/transactions/',
      staff: 'read',
      ...cursorList(StaffTransactionSchema, ofMerchantExample, {
        ...transactionQuery,
        reference: Type.Optional(
          Type.String({ maxLength: 100, description: 'The exact reference.' }),
        ),
      }),
      check_query: checkTransactionQuery,
      summary: 'List transactions of all merchants',
      description:
        'In the environment given by `X-Environment`, newest first. When a search takes long, a ' +
        'page may be short or empty with a `next` that continues it: follow it until it is null. ' +
        'Filtering by `merchant`, `reference` or time makes it fast.',
      handler: (input) => answerTransactions(deps, input),
    },
    {
      path: '/admin/transactions/:id/',
      staff: 'read',
      summary: 'Retrieve a transaction of any merchant',
      description: 'Includes every attempt, every status change, and the evidence for each change.',
      ...reads(StaffTransactionDetailSchema, detailExample),
      handler: (input) => answerTransaction(deps, input),
    },
  ])

async function answerTransactions(deps: Deps, input: Input): Promise<Reply> {
  const { query, url, person, locale } = input
  const { db, cursor_secret: secret } = deps
  const request = readCursorRequest(query, secret)
  const filters = {
    ...readTransactionFilters(query),
    reference: query['reference'],
    environment: person.environment,
    cursor: request.cursor,
    limit: request.page_size + 1,
  }
  const { environment } = person
  await noteLook(db, person, { merchant_id: query['merchant'], environment })
  const { rows, stopped_at } = await listAcross(db, filters, deps.patience ?? patience)
  const keyOf = ({ id }: StaffTransaction) => ({ created_at: '', id })
  const reached = stopped_at === undefined ? undefined : { created_at: '', id: stopped_at }
  const page = keysetPage({ ...request, rows, stopped_at: reached, url, secret, keyOf })
  return ok({ ...page, results: page.results.map((row) => viewStaffTransaction(row, locale)) })
}

async function answerTransaction({ db }: Deps, input: Input): Promise<Reply> {
  const { environment } = input.person
  const transaction = await findAcross(db, { id: uuidParam(input, 'id'), environment })
  if (transaction === undefined) throw refuse(transportErrors.not_found)
  const { merchant_id, id } = transaction
  await noteLook(db, input.person, { merchant_id, environment })
  const [attempts, passed_over, waited_for, status_logs] = await Promise.all([
    listAttemptsOf(db, merchant_id, id),
    findPassedOver(db, merchant_id, id),
    findLook(db, merchant_id, id),
    listStatusLogsOf(db, { merchant_id, id }),
  ])
  const parts = { transaction, attempts, passed_over, waited_for, status_logs }
  return ok(viewStaffTransactionDetail(parts, input.locale))
}
