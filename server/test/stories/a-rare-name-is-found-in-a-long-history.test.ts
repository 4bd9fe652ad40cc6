// A search finds in a history longer than its walk what is rare in it, indexed or not yet, and
// costs the same in a long one as in a short one.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { indexCustomers } from '../../src/customers/search/index-customers.ts'
import { readTerms } from '../../src/customers/search/terms.ts'
import { type Db, openDb, type Sql, type Tx } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Found } from '../../src/search/found.ts'
import { listFound } from '../../src/search/store.ts'
import { indexTransactions } from '../../src/transactions/search/index-transactions.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { pagesRead } from '../setup/pages-read.ts'
import { plantEvent, plantTransaction, type Row } from '../setup/transaction-rows.ts'

const merchant_id = newId()
const never_aborted = { signal: new AbortController().signal }

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  const options = { connections_max: 2, durable: false, application_name: 'test' }
  db = openDb({ ...database.options, ...options, role: 'pirogue_app' })
})
afterAll(async () => {
  await db.end({ timeout: 5 })
  await database.drop()
})

/** The statement alone, in a transaction of the test's. */
const within = (tx: Tx): Db => tx as Sql as Db

const soughtBy = (typed: string, steps = 5) => ({
  ...{ merchant_id, environment: 'SANDBOX' as const, id: undefined },
  ...{ typed, terms: readTerms(typed), steps, limit: 3 },
})

async function found(typed: string, kind: Found['kind']): Promise<string[]> {
  const rows = await listFound(db, soughtBy(typed))
  return rows.filter((one) => one.kind === kind).map(({ id }) => id)
}

let second = 0

/** A second older than the one before. */
async function plant(row: Row, how: 'numbered' | 'silent'): Promise<string> {
  second += 1
  const created_at = new Date(Date.parse('2026-11-21T08:00:00Z') - second * 1000)
  const key = await plantTransaction(database.owner, merchant_id, {
    ...{ created_at, status: 'SUCCESS', ...row },
  })
  if (how === 'numbered') await plantEvent(database.owner, key, how)
  return key.id
}

/** So many payments of one name, each with a customer, all older than what stands already. */
async function plantMany(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    await plant({ customer_first_name: 'Common', customer_last_name: 'Name' }, 'numbered')
  }
  await database.owner`
    insert into customers (merchant_id, id, environment, phone, first_name, last_name, created_at)
    select ${merchant_id}, gen_random_uuid(), 'SANDBOX',
           '+22901' || lpad((${second} * 1000 + n)::text, 8, '0'), 'Common', 'Name',
           now() - interval '1 day' - ${second} * interval '1 hour' - n * interval '1 second'
      from generate_series(1, ${count}::int) as n`
}

const index = async () => {
  await indexTransactions({ quick: db }).run(never_aborted)
  await indexCustomers({ quick: db }).run(never_aborted)
}

describe('a search', () => {
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    ids['newest'] = await plant({ customer_first_name: 'Kossi' }, 'silent')
    await plantMany(30)
    ids['indexed'] = await plant({ customer_first_name: 'Zénabou' }, 'numbered')
    ids['twice'] = await plant({ customer_first_name: 'Kossi' }, 'numbered')
    const pending = { status: 'PENDING', customer_first_name: 'Gbèdjromèdé' }
    ids['pending'] = await plant(pending, 'silent')
    ids['ordered'] = await plant({ merchant_reference: 'BON 12' }, 'silent')
    ids['customer'] = newId()
    ids['fresh'] = newId()
    for (const [name, age] of [
      ['customer', '9 days'],
      ['fresh', '1 second'],
    ] as const) {
      await database.owner`
        insert into customers (merchant_id, id, environment, email, first_name, created_at)
        values (${merchant_id}, ${ids[name] ?? ''}, 'SANDBOX', ${`${name}@example.com`},
                'Rokhaya', now() - ${age}::interval)`
    }
    await index()
    ids['late'] = await plant({ customer_first_name: 'Yao' }, 'numbered')
  })

  it('finds what lies beyond the walk by the search rows, with what they do not have yet', async () => {
    expect(await found('zenabou', 'TRANSACTION')).toEqual([ids['indexed']])
    expect(await found('gbedj', 'TRANSACTION')).toEqual([ids['pending']])
    expect(await found('yao', 'TRANSACTION')).toEqual([ids['late']])
    expect(await found('kossi', 'TRANSACTION')).toHaveLength(2)
  })

  it('finds the merchant’s own reference whatever the history', async () => {
    expect(await found('BON 12', 'TRANSACTION')).toEqual([ids['ordered']])
  })

  it('fills what is shown with the newest of what is common, without the search rows', async () => {
    expect(await found('common', 'TRANSACTION')).toHaveLength(3)
    const [common = 0, rare = 0] = await Promise.all(
      ['common name', 'zenabou'].map((typed) =>
        pagesRead(db, 'transaction_search', (tx) => listFound(within(tx), soughtBy(typed))),
      ),
    )
    // To plan it takes a look at the index.
    expect(common).toBeLessThanOrEqual(2)
    expect(rare).toBeGreaterThan(common)
  })

  it('finds a customer of long ago, and one who is newer than the search rows', async () => {
    expect((await found('rokhaya', 'CUSTOMER')).sort()).toEqual(
      [ids['customer'], ids['fresh']].sort(),
    )
    expect(await found('customer@example.com', 'CUSTOMER')).toEqual([ids['customer']])
  })

  it('reads as little in a history twenty times as long', async () => {
    const cost = () =>
      Promise.all([
        pagesRead(db, 'transactions', (tx) => listFound(within(tx), soughtBy('common'))),
        pagesRead(db, 'transactions', (tx) => listFound(within(tx), soughtBy('zenabou'))),
        pagesRead(db, 'customers', (tx) => listFound(within(tx), soughtBy('rokhaya'))),
      ])
    await database.owner`analyze`
    const before = await cost()
    await plantMany(600)
    await index()
    await database.owner`analyze`
    const after = await cost()
    // A walk of the same steps may lie on a page more, and an index may be a level deeper.
    for (const [at, pages] of after.entries()) {
      expect(pages, `${before} and ${after}`).toBeLessThanOrEqual((before[at] ?? 0) * 2)
    }
  })
})
