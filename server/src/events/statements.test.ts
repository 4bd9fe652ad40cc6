// Events are recorded with the change they announce, or not at all.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Db, inTransaction, openDb } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { type Kept, keptText } from '../platform/packed/kept.ts'
import { composed, type Part, part, selectIds } from '../platform/sql.ts'
import { eventCatalogue, eventTypes, type FeedKey, isEventType, type NewEvent } from './event.ts'
import { recordEvents, recordNumbered } from './statements.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...database.options, ...name, connections_max: 6, durable: false })
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
  const name = 'L\'Ébène \u2028 \\ "'
  const data = { amount: '100.00', name, payment_link: newId(), deep: { list: [1, null] } }
  const events = [eventFor(open, data), eventFor(shut, {}), eventFor(open, { second: true })]
  await record(feed, [open], events)
  const rows = await db<(Kept & { id: string })[]>`
    select id, environment, type, transaction_id, subject_id, payment_link, plain, packed, seq
      from events where merchant_id = ${feed.merchant_id} order by id`
  const common = { environment: 'LIVE', type: 'transaction.created', transaction_id: open }
  const nothing = { subject_id: null, seq: null, plain: null }
  const link = data.payment_link
  expect(rows.map(({ packed: _packed, ...row }) => row)).toEqual([
    { id: events[0]?.id, ...common, ...nothing, payment_link: link },
    { id: events[2]?.id, ...common, ...nothing, payment_link: null },
  ])
  expect(rows.map((row) => keptText(row))).toEqual([JSON.stringify(data), '{"second":true}'])
})

it('nothing is recorded when nothing happened, nor when nothing is announced', async () => {
  const feed: FeedKey = { merchant_id: randomUUID(), environment: 'SANDBOX' }
  await record(feed, [], [eventFor(newId(), {})])
  await record(feed, [newId()], [])
  const rows = await db`select 1 from events where merchant_id = ${feed.merchant_id}`
  expect(rows).toHaveLength(0)
})

/** Records and numbers the events of those gates; `after` are further parts of the statement. */
function announce(
  feeds: readonly FeedKey[],
  open: readonly string[],
  { shut = [], after = [] }: { shut?: readonly string[]; after?: readonly Part<never>[] } = {},
) {
  const when = part('opened', db`opened as (select id from unnest(${[...open]}::uuid[]) as t(id))`)
  const gates = [...open, ...shut]
  const own = feeds.flatMap((feed) => gates.map((gate) => ({ ...feed, ...eventFor(gate, {}) })))
  const made = recordNumbered(db, own, { when })
  return db`${composed(db, [when, made, ...after], selectIds(db, when))}`
}

const newFeed = (): FeedKey => ({ merchant_id: randomUUID(), environment: 'SANDBOX' })

/** The numbers of a feed's events, in the order of their ids, and the feed's last one. */
async function numbersOf({ merchant_id }: FeedKey) {
  const rows = await db<{ seq: bigint }[]>`
    select seq from events where merchant_id = ${merchant_id} order by id`
  const [feed] = await db<{ last_seq: bigint }[]>`
    select last_seq from event_feeds where merchant_id = ${merchant_id}`
  return { numbers: rows.map(({ seq }) => Number(seq)), last: Number(feed?.last_seq ?? 0) }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

it('numbered at once, they have the next numbers of their feed, in the order of ids', async () => {
  const feeds = [newFeed(), newFeed()]
  await announce(feeds, [newId(), newId(), newId()], { shut: [newId()] })
  await announce(feeds.slice(0, 1), [newId()])
  await announce(feeds.slice(0, 1), [], { shut: [newId()] })
  expect(await Promise.all(feeds.map(numbersOf))).toEqual([
    { numbers: [1, 2, 3, 4], last: 4 },
    { numbers: [1, 2, 3], last: 3 },
  ])
})

it('a statement that fails leaves no gap, and neither do many at once', async () => {
  const feeds = [newFeed(), newFeed(), newFeed()]
  await announce(feeds, [newId()])
  const fails = part<never>(
    'failed',
    db`failed as (
    insert into event_feeds (merchant_id, environment) values (${randomUUID()}, 'NOWHERE'))`,
  )
  await expect(announce(feeds, [newId()], { after: [fails] })).rejects.toThrow(/environment_check/)
  // Crosswise: both orders of the feeds, and yet no two statements wait for each other.
  const orders = [feeds, feeds.toReversed()]
  const many = Array.from({ length: 40 }, (_, at) => announce(orders[at % 2] ?? [], [newId()]))
  await Promise.all(many)
  for (const feed of feeds) {
    const { numbers, last } = await numbersOf(feed)
    expect(numbers.toSorted((a, b) => a - b)).toEqual(upTo(41))
    expect(last).toBe(41)
  }
})

it('a reader sees a number only when it sees every smaller one', async () => {
  const feed = newFeed()
  let writing = true
  const write = async () => {
    for (let at = 0; at < 50; at += 1) await announce([feed], [newId(), newId()])
  }
  const writers = Promise.all([write(), write(), write()]).finally(() => {
    writing = false
  })
  let looks = 0
  while (writing) {
    const { numbers } = await numbersOf(feed)
    expect(numbers.toSorted((a, b) => a - b)).toEqual(upTo(numbers.length))
    looks += 1
  }
  await writers
  expect(looks).toBeGreaterThan(1)
})

it('the row of the feed is locked after everything else of the statement', async () => {
  const [feed, other] = [newFeed(), newFeed()]
  await announce([feed, other], [newId()])
  const isFree = async () => {
    const rows = await db`
      select 1 from event_feeds where merchant_id = ${feed.merchant_id} for update skip locked`
    return rows.count === 1
  }
  const waits = part<never>(
    'waited',
    db`waited as (
    update event_feeds set last_seq = last_seq where merchant_id = ${other.merchant_id})`,
  )
  let done: Promise<unknown> | undefined
  await inTransaction(db, async (tx) => {
    await tx`select 1 from event_feeds where merchant_id = ${other.merchant_id} for update`
    done = Promise.resolve(announce([feed], [newId()], { after: [waits] }))
    const isWaiting = async () => {
      const rows = await database.owner`
        select 1 from pg_stat_activity where wait_event_type = 'Lock'
           and datname = current_database()`
      return rows.count === 1
    }
    await expect.poll(isWaiting).toBe(true)
    expect(await isFree()).toBe(true)
  })
  await done
  expect(await numbersOf(feed)).toEqual({ numbers: [1, 2], last: 2 })
})

it('each name has a sentence in both languages', () => {
  for (const type of eventTypes) {
    expect(isEventType(type)).toBe(true)
    expect(eventCatalogue[type].en).toMatch(/^[A-Z].+\.$/)
    expect(eventCatalogue[type].fr).toMatch(/^[A-ZÀÉ].+\.$/)
  }
  expect(isEventType('payment.success')).toBe(false)
})
