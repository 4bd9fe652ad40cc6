// A page of the moves of status costs the same in a long history as in a short one, whatever it is
// filtered by (decision 0023).

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { pagesRead } from '../../test/setup/pages-read.ts'
import type { TriggeredBy } from '../attempts/evidence.ts'
import { type Db, openDb } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { TransactionStatus } from './states.ts'
import { listStatusLogs, type StatusLogFilters } from './store.ts'

const owner = { merchant_id: newId(), environment: 'SANDBOX' } as const
const transaction = newId()

let database: TestDatabase
let db: Db
let moment = 0

beforeAll(async () => {
  database = await createTestDatabase()
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...database.options, ...name, connections_max: 1, durable: false })
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

type Move = readonly [to_status: TransactionStatus, triggered_by: TriggeredBy]
const rare: Move[] = [
  ['FAILED', 'CALLBACK'],
  ['SUCCESS', 'ADMIN'],
]
const common: Move[] = [
  ['PENDING', 'API'],
  ['SUCCESS', 'CALLBACK'],
]

/** Moves, without the transactions that they would be of. */
async function insertMoves(moves: readonly Move[], count: number): Promise<void> {
  await database.owner.begin(async (tx) => {
    await tx`set local session_replication_role = 'replica'`
    for (const [to_status, triggered_by] of moves) {
      await tx`
        insert into transaction_status_logs (merchant_id, id, environment, transaction_id,
          from_status, to_status, triggered_by, evidence_kind, created_at)
        select ${owner.merchant_id}, gen_random_uuid(), ${owner.environment},
               case when ${moves === rare} then ${transaction}::uuid else gen_random_uuid() end,
               'PENDING', ${to_status}, ${triggered_by}, 'RULE',
               now() - interval '1 hour' + (${moment}::int + n) * interval '1 ms'
          from generate_series(1, ${count}::int) n`
      moment += count
    }
  })
  await database.owner`vacuum analyze transaction_status_logs`
}

const filters: readonly (Partial<StatusLogFilters> & { found: number })[] = [
  { found: 21 },
  { to_status: 'SUCCESS', found: 21 },
  { to_status: 'FAILED', found: 3 },
  { to_status: 'CANCELLED', found: 0 },
  { triggered_by: 'API', found: 21 },
  { triggered_by: 'ADMIN', found: 3 },
  { triggered_by: 'PAYER', found: 0 },
  { to_status: 'SUCCESS', triggered_by: 'ADMIN', found: 3 },
  { to_status: 'FAILED', triggered_by: 'API', found: 0 },
  { transaction, found: 6 },
  { transaction, to_status: 'FAILED', triggered_by: 'CALLBACK', found: 3 },
]

async function readByEach(): Promise<[string, number][]> {
  const oldest = { dir: 'prev', created_at: '2020-01-01 00:00:00+00', id: newId() } as const
  const counts: [string, number][] = []
  for (const { found, ...filter } of filters) {
    for (const cursor of [undefined, oldest]) {
      const none = { to_status: undefined, triggered_by: undefined, transaction: undefined }
      const name = `${cursor?.dir ?? 'next'} ${JSON.stringify(filter)}`
      const pages = await pagesRead(db, 'transaction_status_logs', async (tx) => {
        const rows = await listStatusLogs(tx, { ...owner, ...none, ...filter, cursor, limit: 21 })
        expect([name, rows.length]).toEqual([name, found])
      })
      counts.push([name, pages])
    }
  }
  return counts
}

it('reads no more when the history is twenty times as long, by any filter', async () => {
  await insertMoves(rare, 3)
  await insertMoves(common, 500)
  const short = new Map(await readByEach())
  await insertMoves(common, 10_000)
  const long = await readByEach()
  const grown = long.filter(([name, pages]) => pages > 1.5 * (short.get(name) ?? 0) + 30)
  expect(grown).toEqual([])
  const every = { to_status: undefined, triggered_by: undefined, transaction: undefined }
  const rows = await listStatusLogs(db, { ...owner, ...every, cursor: undefined, limit: 100_000 })
  expect(rows).toHaveLength(6 + 2 * 10_500)
  const places = rows.map(({ place }) => place)
  expect(places).toEqual(places.toSorted().reverse())
})
