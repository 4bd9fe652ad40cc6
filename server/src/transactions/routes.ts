// Transactions and the history of their status, read only (contract: Transactions). A list is one
// round trip, a detail one, and then a few side by side.

import { Type } from 'typebox'
import { listAttemptsOf } from '../attempts/attempt-statements.ts'
import type { CatalogueOf } from '../catalogue/read-catalogue.ts'
import { namesOfCreators } from '../merchants/caller-name-store.ts'
import type { Db } from '../platform/db.ts'
import { enumFilter, uuidFilter, uuidParam } from '../platform/http/filters.ts'
import { listByCursor, listByLooking } from '../platform/http/lists.ts'
import { inEnvironment } from '../platform/http/ownership.ts'
import type { CursorSecret } from '../platform/http/pages.ts'
import { type Caller, type Input, ok, type Reply, type Route } from '../platform/http/route.ts'
import { cursorList, type Listed, reads, routesWith } from '../platform/http/route-list.ts'
import {
  evidenceExample,
  listedTransactionExample,
  statusLogExample,
  transactionDetailExample,
} from './example.ts'
import {
  checkTransactionQuery,
  readTransactionFilters,
  searchQuery,
  transactionQuery,
} from './filters.ts'
import {
  EvidenceSchema,
  ListedTransactionSchema,
  StatusLogSchema,
  TransactionDetailSchema,
  transactionStatuses,
  triggers,
} from './schema.ts'
import { lookForTransactions } from './search/find-transactions.ts'
import { findStatusLog, listStatusLogs, listStatusLogsOf, requireOwnStatusLog } from './store.ts'
import type { Transaction } from './transaction.ts'
import { getOwnTransaction } from './transaction-now.ts'
import {
  type ApprovalNow,
  viewEvidence,
  viewListed,
  viewStatusLog,
  viewTransactionDetail,
} from './view.ts'

export type TransactionDeps = Readonly<{
  db: Db
  catalogue: CatalogueOf
  /** For lists, which a slow search may occupy. */
  reads?: Db
  /** Signs the cursors of lists. */
  cursor_secret: CursorSecret
  /** Of a transaction that waits for an approval. */
  approvalOf: (caller: Caller, transaction: Transaction) => Promise<ApprovalNow>
  /** Of a payment that failed. */
  mayRetry: (transaction: Transaction) => Promise<boolean>
}>

/** Lists and details of transactions and of their status logs; the evidence of a transaction. */
export const transactionRoutes = (deps: TransactionDeps): Route[] =>
  routesWith({ tag: 'Transactions', access: 'any' }, [
    {
      path: '/transactions/',
      ...cursorList(ListedTransactionSchema, listedTransactionExample, {
        ...transactionQuery,
        ...searchQuery,
      }),
      check_query: checkTransactionQuery,
      summary: 'List transactions',
      description:
        'Payments, payouts, top-ups and transfers, newest first. Filtered by amount, `via`, ' +
        '`api_key`, `created_by_member` or `failure_code`, a page looks at 20,000 transactions ' +
        '(of `failure_code`: failed ones) at most: it may be short or empty with a `next` that ' +
        'goes on from there, so follow it until it is null.',
      handler: answerTransactions(deps),
    },
    {
      path: '/transactions/:id/',
      summary: 'Retrieve a transaction',
      description: 'Includes every attempt and every status change.',
      ...reads(TransactionDetailSchema, transactionDetailExample),
      handler: (input) => answerTransaction(deps, input),
    },
    {
      path: '/transactions/:id/evidence/',
      summary: 'List the evidence of each status change',
      ...reads(EvidenceSchema, evidenceExample),
      handler: (input) => answerEvidence(deps, input),
    },
    ...statusLogRoutes(deps),
  ])

const statusLogRoutes = (deps: TransactionDeps): Listed[] => [
  {
    path: '/transaction-status-logs/',
    ...cursorList(StatusLogSchema, statusLogExample, {
      to_status: Type.Optional(Type.Enum([...transactionStatuses])),
      triggered_by: Type.Optional(Type.Enum([...triggers])),
      transaction: Type.Optional(Type.String({ format: 'uuid' })),
    }),
    summary: 'List status changes',
    description: 'Newest first. A status change is never altered or removed.',
    handler: answerStatusLogs(deps),
  },
  {
    path: '/transaction-status-logs/:id/',
    summary: 'Retrieve a status change',
    ...reads(StatusLogSchema, statusLogExample),
    handler: (input) => answerStatusLog(deps, input),
  },
]

const answerTransactions = ({ db, reads = db, cursor_secret }: TransactionDeps) =>
  listByLooking(cursor_secret, viewListed, async ({ caller, query }, stretch) => {
    const found = await lookForTransactions(reads, {
      ...readTransactionFilters(query),
      search: query['search'],
      merchant_id: caller.merchant_id,
      environment: caller.environment,
      ...stretch,
    })
    const nameOf = await namesOfCreators(db, caller, found.rows)
    const rows = found.rows.map((row) => ({ ...row, created_by_name: nameOf(row) }))
    return { ...found, rows }
  })

const no_approval: ApprovalNow = {
  ...{ may_approve: false, may_not: null },
  ...{ ends_at: null, after: null },
}

async function answerTransaction(deps: TransactionDeps, input: Input): Promise<Reply> {
  const { db, catalogue, approvalOf, mayRetry } = deps
  const { caller, locale } = input
  const id = uuidParam(input, 'id')
  // Read first, so that what is read of it afterwards is never older than its status.
  const transaction = await getOwnTransaction(db, caller, id)
  const [approval, may_retry, created_by_name, attempts, status_logs, known] = await Promise.all([
    transaction.approval === 'REQUIRED' ? approvalOf(caller, transaction) : no_approval,
    // What people have decided of it may bar that for good.
    transaction.status === 'FAILED' &&
      transaction.incident?.prevents_retry !== true &&
      mayRetry(transaction),
    namesOfCreators(db, caller, [transaction]).then((nameOf) => nameOf(transaction)),
    listAttemptsOf(db, caller.merchant_id, id),
    listStatusLogsOf(db, { merchant_id: caller.merchant_id, id }),
    catalogue(caller.catalogue_version),
  ])
  const parts = { transaction, approval, may_retry, created_by_name, attempts, status_logs }
  return ok(viewTransactionDetail(parts, known, locale))
}

async function answerEvidence({ db }: TransactionDeps, input: Input): Promise<Reply> {
  const { caller } = input
  const id = uuidParam(input, 'id')
  const [transaction, logs] = await Promise.all([
    getOwnTransaction(db, caller, id),
    listStatusLogsOf(db, { merchant_id: caller.merchant_id, id }),
  ])
  return ok(viewEvidence(transaction.id, logs))
}

const answerStatusLogs = ({ db, cursor_secret }: TransactionDeps) =>
  listByCursor(cursor_secret, viewStatusLog, ({ caller, query }, stretch) =>
    listStatusLogs(db, {
      merchant_id: caller.merchant_id,
      environment: caller.environment,
      to_status: enumFilter(query, 'to_status', transactionStatuses),
      triggered_by: enumFilter(query, 'triggered_by', triggers),
      transaction: uuidFilter(query, 'transaction'),
      ...stretch,
    }),
  )

async function answerStatusLog({ db }: TransactionDeps, input: Input): Promise<Reply> {
  const { merchant_id, environment } = input.caller
  const id = uuidParam(input, 'id')
  const key = { merchant_id, id }
  const log = inEnvironment(await findStatusLog(db, key), environment)
  return ok(viewStatusLog(await requireOwnStatusLog(db, key, log)))
}
