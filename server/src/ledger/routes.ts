// What a merchant has, and every movement of it (contract: Wallet and balances; contract 5.12).

import type { Db } from '../platform/db.ts'
import { checkTimes, singleSort, uuidParam } from '../platform/http/filters.ts'
import { listByCursor, listByNumber } from '../platform/http/lists.ts'
import { inEnvironment } from '../platform/http/ownership.ts'
import type { CursorSecret } from '../platform/http/pages.ts'
import { type Input, ok, type Reply, type Route } from '../platform/http/route.ts'
import {
  cursorList,
  numberList,
  orderingBy,
  reads,
  routesWith,
  searchFilter,
} from '../platform/http/route-list.ts'
import { entryQuery, readEntryFilters } from './filters.ts'
import { findEntries } from './find-entries.ts'
import { findBalance, listBalances, requireOwnBalance } from './store.ts'
import {
  BalanceView,
  balanceExample,
  EntryView,
  entryExample,
  viewBalance,
  viewEntry,
} from './view.ts'

export type LedgerDeps = Readonly<{
  db: Db
  /** Signs the cursors of lists. */
  cursor_secret: CursorSecret
}>

const balanceFields = ['country', 'created_at'] as const
export const ledgerRoutes = (deps: LedgerDeps): Route[] =>
  routesWith({ tag: 'Balances', access: 'any' }, [
    {
      path: '/merchant-balances/',
      ...numberList(BalanceView, balanceExample, {
        search: searchFilter('Searches country and currency.', 100),
        ordering: orderingBy(balanceFields),
      }),
      summary: 'List your balances',
      description: 'One per country, from its first movement on; by country.',
      handler: answerBalances(deps),
    },
    {
      path: '/merchant-balances/:id/',
      summary: 'Retrieve a balance',
      ...reads(BalanceView, balanceExample),
      handler: (input) => answerBalance(deps, input),
    },
    {
      path: '/merchant-ledger-entries/',
      ...cursorList(EntryView, entryExample, entryQuery),
      check_query: checkTimes,
      summary: 'List the movements of your available balances',
      description: 'Newest first.',
      handler: answerEntries(deps),
    },
  ])

const answerBalances = ({ db }: LedgerDeps) =>
  listByNumber(viewBalance, ({ caller, query }, cut) =>
    listBalances(db, {
      merchant_id: caller.merchant_id,
      environment: caller.environment,
      search: query['search'],
      order: singleSort(query, balanceFields, { field: 'country', descending: false }),
      ...cut,
    }),
  )

async function answerBalance({ db }: LedgerDeps, input: Input): Promise<Reply> {
  const { merchant_id, environment } = input.caller
  const id = uuidParam(input, 'id')
  const key = { merchant_id, id }
  const balance = inEnvironment(await findBalance(db, key), environment)
  return ok(viewBalance(await requireOwnBalance(db, key, balance)))
}

const answerEntries = ({ db, cursor_secret }: LedgerDeps) =>
  listByCursor(cursor_secret, viewEntry, ({ caller, query }, stretch) =>
    findEntries(db, {
      merchant_id: caller.merchant_id,
      environment: caller.environment,
      ...readEntryFilters(query),
      ...stretch,
    }),
  )
