// A page of the feed costs the same in a long history as in a short one (decision 0023), also of
// the events that happen once a week.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { pagesRead } from '../../test/setup/pages-read.ts'
import { type Db, openDb } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { EventType } from './event.ts'
import { listEventsFrom } from './store.ts'

const feed = { merchant_id: newId(), environment: 'SANDBOX' } as const
const limit = 21

let database: TestDatabase
let db: Db
let last_seq = 0

beforeAll(async () => {
  database = await createTestDatabase()
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...database.options, ...name, connections_max: 1, durable: false })
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

/** Payments, one in ten of which fails, then something rare. */
async function insertEvents(payments: number): Promise<void> {
  const insert = (count: number, type: string) => database.owner`
    insert into events (merchant_id, id, environment, type, plain, seq)
    select ${feed.merchant_id},
           (left(uuid_floor(now())::text, 15) || right(gen_random_uuid()::text, 21))::uuid,
           ${feed.environment},
           case when ${type} <> '' then ${type} when n % 2 = 0 then 'transaction.created'
                when n % 20 = 1 then 'transaction.failed' else 'transaction.success' end,
           '{}', ${last_seq}::int + n
      from generate_series(1, ${count}::int) n`
  await insert(2 * payments, '')
  last_seq += 2 * payments
  await insert(1, 'settlement.success')
  last_seq += 1
  await database.owner`vacuum analyze events`
}

const types: readonly (EventType | undefined)[] = [
  undefined,
  'transaction.created',
  'transaction.success',
  'transaction.failed',
  'settlement.success',
  'wallet_transfer.rejected',
]

async function readByEach(): Promise<[string, number][]> {
  const counts: [string, number][] = []
  for (const type of types) {
    for (const backwards of [false, true]) {
      const place = backwards ? BigInt(last_seq + 1) : 0n
      const pages = await pagesRead(db, 'events', (tx) =>
        listEventsFrom(tx, feed, { place, backwards, limit, type }),
      )
      counts.push([`${backwards} ${type}`, pages])
    }
  }
  return counts
}

it('reads no more when the history is twenty times as long, by any type', async () => {
  await insertEvents(500)
  const short = new Map(await readByEach())
  await insertEvents(10_000)
  const long = await readByEach()
  const grown = long.filter(([name, pages]) => pages > 1.5 * (short.get(name) ?? 0) + 20)
  expect(grown).toEqual([])
  const rare = await listEventsFrom(db, feed, { place: 0n, limit, type: 'settlement.success' })
  expect(rare.map(({ seq }) => seq)).toEqual([1_001n, 21_002n])
})
