// A page of movements costs the same in a long history as in a short one, with a country and
// without, although only one index has them.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { pagesRead } from '../../test/setup/pages-read.ts'
import { type Db, openDb } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { type EntriesQuery, listEntries } from './entries-store.ts'

const owner = { merchant_id: newId(), environment: 'SANDBOX' } as const

let database: TestDatabase
let db: Db
let made = 0

beforeAll(async () => {
  database = await createTestDatabase()
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...database.options, ...name, connections_max: 1, durable: false })
  for (const country of ['BJ', 'CI', 'SN']) {
    await database.owner`
      insert into balances (merchant_id, id, environment, country, currency)
      values (${owner.merchant_id}, ${newId()}, ${owner.environment}, ${country}, 'XOF')`
  }
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

/** Movements of a country's balance, and as many entries that move none. */
async function insertEntries(country: string, count: number): Promise<void> {
  await database.owner`
    insert into ledger_entries (merchant_id, id, environment, country, debit_account,
      credit_account, amount, currency, cause_kind, cause_id, line, available_change, entry_no,
      balance_after, created_at)
    select ${owner.merchant_id}, gen_random_uuid(), ${owner.environment}, ${country},
           gen_random_uuid(), gen_random_uuid(), 100, 'XOF', 'TRANSACTION', gen_random_uuid(), 1,
           case when moves then 100 else 0 end, case when moves then ${made}::int + n end,
           case when moves then 100 end,
           now() - interval '1 hour' + (${made}::int + n) * interval '1 ms'
      from generate_series(1, ${count}::int) n, (values (true), (false)) as m (moves)`
  made += count
  await database.owner`vacuum analyze ledger_entries`
}

const all = {
  country: undefined,
  currency: undefined,
  direction: undefined,
  created_at__gte: undefined,
  created_at__lte: undefined,
}
const filters: readonly (Partial<EntriesQuery> & { found: number })[] = [
  { found: 21 },
  { country: 'BJ', found: 21 },
  { country: 'CI', found: 3 },
  { country: 'SN', found: 0 },
  { country: 'GH', found: 0 },
  { direction: 'CREDIT', found: 21 },
]

async function readByEach(): Promise<[string, number][]> {
  const oldest = { dir: 'prev', created_at: '2020-01-01 00:00:00+00', id: newId() } as const
  const counts: [string, number][] = []
  for (const { found, ...filter } of filters) {
    for (const cursor of [undefined, oldest]) {
      const name = `${cursor?.dir ?? 'next'} ${JSON.stringify(filter)}`
      const pages = await pagesRead(db, 'ledger_entries', async (tx) => {
        const rows = await listEntries(tx, { ...owner, ...all, ...filter, cursor, limit: 21 })
        expect([name, rows.length]).toEqual([name, found])
      })
      counts.push([name, pages])
    }
  }
  return counts
}

it('reads no more when the history is twenty times as long, of one country or all', async () => {
  await insertEntries('CI', 3)
  await insertEntries('BJ', 500)
  const short = new Map(await readByEach())
  await insertEntries('BJ', 10_000)
  const long = await readByEach()
  const grown = long.filter(([name, pages]) => pages > 1.5 * (short.get(name) ?? 0) + 30)
  expect(grown).toEqual([])
  const rows = await listEntries(db, { ...owner, ...all, cursor: undefined, limit: 100_000 })
  expect(rows).toHaveLength(10_503)
  const places = rows.map(({ place }) => place)
  expect(places).toEqual(places.toSorted().reverse())
})
