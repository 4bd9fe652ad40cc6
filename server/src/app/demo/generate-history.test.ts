// A made-up history is one that the books prove, that the list shows and that search finds; and it
// is never made up for a merchant of LIVE.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { payin, senegal } from '../../../test/ledger/books.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import { compareGatewayBooks, verifyLedger } from '../../ledger/verify.ts'
import { createMerchant } from '../../merchants/merchant.ts'
import { type Db, openDb } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { fundBalance } from '../../sandbox/fund-balance.ts'
import { readTransactionFilters } from '../../transactions/filters.ts'
import { findTransactions } from '../../transactions/search/find-transactions.ts'
import { seedCatalogue } from '../seed.ts'
import { generateHistory } from './generate-history.ts'

let database: TestDatabase
let db: Db
let merchant_id: string

beforeAll(async () => {
  database = await createTestDatabase()
  const options = { connections_max: 3, durable: false, application_name: 'test' }
  db = openDb({ ...database.options, ...options, role: 'pirogue_owner' })
  await seedCatalogue(db)
  merchant_id = (await createMerchant(db, { name: 'Made up', live_enabled: false })).id
})
afterAll(async () => {
  await db.end({ timeout: 5 })
  await database.drop()
})

it('is booked as real payments are, of every kind, in many countries and over all its days', async () => {
  const reported: number[] = []
  const passed = (count: number) => reported.push(count)
  // Twice, the second time over a portion and a bit: the numbers go on where they were.
  const until = new Date(Date.now() - 30.5 * 86_400_000)
  const before = { merchant_id, transactions: 600, days: 30, until, passed }
  const first = await generateHistory(db, before)
  const second = await generateHistory(db, { merchant_id, transactions: 10_100, days: 30, passed })
  expect(reported.sort((a, b) => a - b)).toEqual([50, 50, 300, 300, 5_000, 5_000])
  expect(first + second).toBeGreaterThan(10_000)
  // What is proven of whole tables is planned by what is known of them.
  await database.owner`analyze`
  const checks = await verifyLedger(db)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  const [seen] = await db<{ rows: number; kinds: number; countries: number; days: number }[]>`
    select count(*)::int as rows, count(distinct (transaction_type, status))::int as kinds,
           count(distinct country_code)::int as countries,
           count(distinct date_trunc('day', created_at))::int as days
      from transactions where merchant_id = ${merchant_id}`
  expect(seen).toMatchObject({ rows: first + second, kinds: 6 })
  expect(seen?.countries).toBeGreaterThan(8)
  expect(seen?.days).toBeGreaterThan(59)
  expect(await unsummed(merchant_id)).toEqual([])
}, 120_000)

describe('the operators’ books', () => {
  const none = { simulator_a: {}, simulator_b: {} }

  it('are compared without what was made up, which no operator has seen', async () => {
    const books = await compareGatewayBooks(db, none)
    expect(books).toMatchObject({ ok: true, examples: [] })
    const [seen] = await db<{ count: number }[]>`
      select count(*)::int as count from transactions
       where merchant_id = ${merchant_id} and status = 'SUCCESS'`
    expect(books.left_out).toBe(seen?.count)
  })

  it('show a true difference beside it', async () => {
    await payin(database.owner, senegal(newId()))
    const books = await compareGatewayBooks(db, none)
    expect(books).toMatchObject({ ok: false, broken: 1 })
    expect(books.examples).toEqual(["simulator_a XOF collected: ours 10325.00, the gateway's 0.00"])
  })
})

/** Movements whose balance after is not that of the movement before and their own change. */
const unsummed = (of: string) => db`
  select * from (
    select country, created_at, balance_after, available_change,
           coalesce(lag(balance_after) over (partition by country order by created_at, id), 0)
             as before
      from ledger_entries
     where merchant_id = ${of} and environment = 'SANDBOX' and entry_no is not null) e
   where balance_after <> before + available_change`

describe('a merchant with movements', () => {
  const made = async () => (await createMerchant(db, { name: 'Moved', live_enabled: false })).id
  const past = { transactions: 200, days: 30, passed: () => undefined }

  it('gets no history before them: nothing is written, and the countries are named', async () => {
    const of = await made()
    const [country, currency, amount] = ['BJ', 'XOF', 500_000n]
    await fundBalance(db, { merchant_id: of, country, currency, amount })
    await expect(generateHistory(db, { merchant_id: of, ...past })).rejects.toThrow(
      /cannot begin before movements that are there \(BJ\)/,
    )
    const [rows] = await db`
      select count(*)::int as count from transactions where merchant_id = ${of}`
    expect(rows).toEqual({ count: 0 })
  })

  it('filled twice at once is filled once, and what was booked adds up', async () => {
    const of = await made()
    const twice = [1, 2].map(() => generateHistory(db, { merchant_id: of, ...past, streams: 1 }))
    const ends = (await Promise.allSettled(twice)).map(({ status }) => status)
    expect(ends.sort()).toEqual(['fulfilled', 'rejected'])
    await fundBalance(db, { merchant_id: of, country: 'BJ', currency: 'XOF', amount: 500_000n })
    expect(await unsummed(of)).toEqual([])
  })

  it('a history as dense as a second a payment adds up too', async () => {
    const of = await made()
    const dense = { transactions: 3_000, days: 0.02, streams: 1, passed: () => undefined }
    await generateHistory(db, { merchant_id: of, ...dense })
    expect(await unsummed(of)).toEqual([])
  })
})

it('is found by search at once', async () => {
  const page = { merchant_id, environment: 'SANDBOX' as const, cursor: undefined, limit: 20 }
  const query = { ...readTransactionFilters({}), search: 'customer.3@example.com' }
  const rows = await findTransactions(db, { ...page, ...query }, 1)
  expect(rows.length).toBeGreaterThan(3)
  for (const row of rows) expect(row.customer_email).toBe('customer.3@example.com')
})

it('is merged into the index of its search, as a history is in time', async () => {
  await database.owner`vacuum analyze transaction_search`
})

// With walks of fifty steps, and of five hundred more, 10 700 rows are a long history.
it.each([
  {},
  { status: 'SUCCESS' },
  { status: 'FAILED' },
  { status: 'PENDING' },
  { status: 'CANCELLED' },
  { transaction_type: 'TRANSFERT' },
  { flow_direction: 'OUTBOUND' },
  { currency: 'EUR' },
  { country: 'ZZ' },
  { network: 'no_such' },
  { status: 'FAILED', transaction_type: 'RECHARGE', country: 'SL' },
  { merchant_reference: 'none' },
  { created_at__gte: '2000-01-01', created_at__lte: '2000-01-02' },
  { search: 'example' },
  { search: 'customer.33@' },
  { search: 'nobody at all' },
  { search: 'zx' },
  { search: 'awa', status: 'CANCELLED' },
])('a page reads little of a long history: %j', async (query: Record<string, string>) => {
  const app = openDb({
    ...database.options,
    ...{ connections_max: 1, durable: false, application_name: 'test', role: 'pirogue_app' },
  })
  const rows = await app.begin(async (tx) => {
    const page = { merchant_id, environment: 'SANDBOX' as const, cursor: undefined, limit: 21 }
    const filters = { ...readTransactionFilters(query), search: query['search'] }
    await findTransactions(tx, { ...page, ...filters }, 50)
    return tx<{ relname: string; whole: number; found: number }[]>`
      select relname, seq_tup_read::int as whole, idx_tup_fetch::int as found
        from pg_stat_xact_user_tables
       where relname in ('transactions', 'transaction_search')`
  })
  await app.end()
  for (const { whole, found } of rows) {
    expect(whole).toBe(0)
    expect(found).toBeLessThan(1_200)
  }
})
