// Events are recorded with the change they announce, or not at all.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Db, openDb } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { composed, part, selectIds } from '../platform/sql.ts'
import { eventCatalogue, eventTypes, type FeedKey, isEventType, type NewEvent } from './event.ts'
import { recordEvents } from './statements.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...database.options, ...name, connections_max: 2, durable: false })
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

const eventFor = (gate: string, data: object): NewEvent => ({
  gate_id: gate,
  id: newId(),
  type: 'transaction.created',
  transaction_id: gate,
  subject_id: null,
  data,
})

/** Records the events of those gates that a change let through. */
function record(feed: FeedKey, open: readonly string[], events: readonly NewEvent[]) {
  const opened = db`opened as (select id from unnest(${[...open]}::uuid[]) as t(id))`
  const when = part('opened', opened)
  const own = events.map((event) => ({ ...feed, ...event }))
  const made = recordEvents(db, own, { when })
  return db`${composed(db, [when, made], selectIds(db, made))}`
}

it('only the events of a gate that opened are recorded, as they were given', async () => {
  const feed: FeedKey = { merchant_id: randomUUID(), environment: 'LIVE' }
  const [open, shut] = [newId(), newId()]
  const data = { amount: '100.00', name: 'L\'Ébène \u2028 \\ "', deep: { list: [1, null] } }
  const events = [eventFor(open, data), eventFor(shut, {}), eventFor(open, { second: true })]
  await record(feed, [open], events)
  const rows = await db`
    select id, environment, type, transaction_id, subject_id, data, seq
      from events where merchant_id = ${feed.merchant_id} order by id`
  const common = { environment: 'LIVE', type: 'transaction.created', transaction_id: open }
  expect(rows).toEqual([
    { id: events[0]?.id, ...common, subject_id: null, data, seq: null },
    { id: events[2]?.id, ...common, subject_id: null, data: { second: true }, seq: null },
  ])
})

it('nothing is recorded when nothing happened, nor when nothing is announced', async () => {
  const feed: FeedKey = { merchant_id: randomUUID(), environment: 'SANDBOX' }
  await record(feed, [], [eventFor(newId(), {})])
  await record(feed, [newId()], [])
  const rows = await db`select 1 from events where merchant_id = ${feed.merchant_id}`
  expect(rows).toHaveLength(0)
})

it('each name has a sentence in both languages', () => {
  for (const type of eventTypes) {
    expect(isEventType(type)).toBe(true)
    expect(eventCatalogue[type].en).toMatch(/^[A-Z].+\.$/)
    expect(eventCatalogue[type].fr).toMatch(/^[A-ZÀÉ].+\.$/)
  }
  expect(isEventType('payment.success')).toBe(false)
})
