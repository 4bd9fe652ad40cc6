// A page of the logs costs the same in a long history as in a short one, whatever it is filtered by
// (decision 0023): it reads what it shows, and passes nothing over.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import { pagesRead } from '../../../test/setup/pages-read.ts'
import { type Db, openDb } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { type LogsQuery, listLogs } from './store.ts'

const environment = 'SANDBOX'
const merchant_id = newId()
/** Subscribed to all; to all, and fails a tenth of the time; was there at the beginning only. */
const [quick, shaky, rare] = [newId(), newId(), newId()]
const transaction = newId()

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...database.options, ...name, connections_max: 1, durable: false })
  await insertLogs(rareLogs, 3)
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

type Kind = Readonly<{
  webhook_id: string
  event_type: string
  status: string
  /** Absent: 200 where it succeeded, else 500. */
  http_status?: number
}>

/** The oldest of all; newest first, a page of any of these walks over all that came afterwards. */
const rareLogs: Kind[] = [
  { webhook_id: rare, event_type: 'transaction.success', status: 'SUCCESS' },
  { webhook_id: quick, event_type: 'settlement.success', status: 'SUCCESS' },
  { webhook_id: quick, event_type: 'transaction.success', status: 'FAILED' },
  { webhook_id: quick, event_type: 'settlement.failed', status: 'EXHAUSTED', http_status: 404 },
  { webhook_id: quick, event_type: 'transaction.failed', status: 'PENDING' },
]
// A page of SUCCESS passes over what failed after it (decision 0023): here that is not the newest.
const commonLogs: Kind[] = [
  { webhook_id: shaky, event_type: 'transaction.success', status: 'EXHAUSTED' },
  { webhook_id: quick, event_type: 'transaction.created', status: 'SUCCESS' },
  { webhook_id: shaky, event_type: 'transaction.created', status: 'SUCCESS' },
  { webhook_id: quick, event_type: 'transaction.success', status: 'SUCCESS' },
  { webhook_id: shaky, event_type: 'transaction.success', status: 'SUCCESS' },
]

let moment = 0

/** So many of each kind, newer than all before. */
async function insertLogs(kinds: readonly Kind[], count: number): Promise<void> {
  for (const { webhook_id, event_type, status, ...more } of kinds) {
    const http_status = more.http_status ?? (status === 'SUCCESS' ? 200 : 500)
    const waits = status === 'PENDING' || status === 'FAILED'
    await database.owner`
      insert into deliveries (merchant_id, id, environment, webhook_id, event_id, event_type,
        transaction_id, url, status, due_at, exhausted_at, created_at, sent_at, http_status)
      select ${merchant_id},
             (left(uuid_floor(at)::text, 15) || right(gen_random_uuid()::text, 21))::uuid,
             ${environment}, ${webhook_id}, gen_random_uuid(), ${event_type},
             case when ${kinds === rareLogs} then ${transaction}::uuid else gen_random_uuid() end,
             'https://shop.example.com/', ${status}, case when ${waits} then now() end,
             case when ${status === 'EXHAUSTED'} then now() end, at, at, ${http_status}
        from (select now() - interval '1 hour' + (${moment}::int + n) * interval '1 ms' as at
                from generate_series(1, ${count}::int) n) made`
    moment += count
  }
  await database.owner`vacuum analyze deliveries`
}

type Filters = Partial<
  Pick<LogsQuery, 'webhook' | 'status' | 'event_type' | 'transaction' | 'answer'>
>

const page = 20
const queryOf = (filters: Filters, cursor?: LogsQuery['cursor']): LogsQuery => ({
  ...{ merchant_id, environment, cursor, limit: page + 1 },
  webhook: filters.webhook,
  status: filters.status,
  event_type: filters.event_type,
  transaction: filters.transaction,
  answer: filters.answer,
  created_at__gte: undefined,
  created_at__lte: undefined,
})

const filters: (Filters & { found: number })[] = [
  { found: 21 },
  { webhook: quick, found: 21 },
  { webhook: rare, found: 3 },
  { event_type: 'transaction.success', found: 21 },
  { event_type: 'settlement.success', found: 3 },
  { event_type: 'wallet_transfer.rejected', found: 0 },
  { status: 'SUCCESS', found: 21 },
  { status: 'EXHAUSTED', found: 21 },
  { status: 'FAILED', found: 3 },
  { status: 'PENDING', found: 3 },
  { transaction, found: 15 },
  { webhook: quick, status: 'EXHAUSTED', found: 3 },
  { webhook: quick, status: 'FAILED', found: 3 },
  { webhook: quick, status: 'PENDING', found: 3 },
  { webhook: shaky, status: 'EXHAUSTED', found: 21 },
  { webhook: quick, event_type: 'settlement.success', found: 3 },
  { webhook: rare, event_type: 'transaction.success', found: 3 },
  { webhook: shaky, event_type: 'settlement.success', found: 0 },
  { status: 'EXHAUSTED', event_type: 'settlement.failed', found: 3 },
  { webhook: quick, status: 'EXHAUSTED', event_type: 'settlement.failed', found: 3 },
  { transaction, status: 'FAILED', event_type: 'transaction.success', found: 3 },
  { answer: '4xx', found: 3 },
  { answer: '5xx', found: 21 },
  { answer: 'none', found: 0 },
  { answer: '2xx', found: 21 },
  { answer: '4xx', webhook: quick, found: 3 },
  { answer: '5xx', webhook: quick, found: 3 },
  { answer: '4xx', webhook: shaky, found: 0 },
  { answer: '4xx', event_type: 'settlement.failed', found: 3 },
  { answer: '4xx', status: 'EXHAUSTED', found: 3 },
  { answer: '4xx', status: 'FAILED', found: 0 },
]

/** Pages that each filter reads: from the newest on, and from the oldest back. */
async function readByEach(): Promise<[string, number][]> {
  const oldest = { dir: 'prev', created_at: '2020-01-01 00:00:00+00', id: newId() } as const
  const counts: [string, number][] = []
  for (const { found, ...filter } of filters) {
    for (const cursor of [undefined, oldest]) {
      const name = `${cursor?.dir ?? 'next'} ${JSON.stringify(filter)}`
      const pages = await pagesRead(db, 'deliveries', async (tx) => {
        const rows = await listLogs(tx, queryOf(filter, cursor))
        expect([name, rows.length]).toEqual([name, found])
      })
      counts.push([name, pages])
    }
  }
  return counts
}

describe('a page of the logs', () => {
  it('reads no more when the history is twenty times as long, by any filter', async () => {
    await insertLogs(commonLogs, 300)
    const short = new Map(await readByEach())
    await insertLogs(commonLogs, 6_000)
    const long = await readByEach()
    // An index that has grown may be a level deeper, in each of its ranges.
    const grown = long.filter(([name, pages]) => pages > 1.5 * (short.get(name) ?? 0) + 50)
    expect(grown).toEqual([])
    expect(long.filter(([, pages]) => pages > 1_200)).toEqual([])
  }, 60_000)

  it('runs by time whatever the types of the events are, and over all of them', async () => {
    const rows = await listLogs(db, { ...queryOf({ webhook: quick }), limit: 200_000 })
    expect(rows).toHaveLength(12 + 2 * 6_300)
    const places = rows.map(({ created_at, id }) => `${created_at.toISOString()} ${id}`)
    expect(places).toEqual(places.toSorted().reverse())
    expect(new Set(rows.map(({ event_type }) => event_type)).size).toBe(5)
  })
})
