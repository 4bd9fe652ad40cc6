// Numbers and deliveries are made once for each event, by however many workers and whenever it
// commits.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebhookFixture } from '../../test/webhook-fixture.ts'
import type { FeedKey } from '../events/event.ts'
import { feedsWithNews, readFeed, subjectOfFeed } from '../events/feed.ts'
import { recordEvents } from '../events/statements.ts'
import { inTransaction } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { runPart } from '../platform/sql.ts'
import { deliveryId } from './delivery.ts'
import { testWebhook } from './registrations/change-webhook.ts'
import { sequenceEvents } from './sequence-events.ts'
import { deliverFeeds, listFeedsBehind, numberFeeds } from './sequence-store.ts'

let fixture: WebhookFixture

beforeAll(async () => {
  fixture = await WebhookFixture.open()
})
afterAll(() => fixture.close())

const url = 'https://shop.example.com/hook'
const signal = new AbortController().signal

/** Runs sequencers until none of them finds anything. */
async function sequence(sequencers = 1) {
  const runOne = async () => {
    const [job] = fixture.jobs()
    while ((await job?.run({ signal })) === 'more');
  }
  await Promise.all(Array.from({ length: sequencers }, runOne))
}

const numbersIn = async (feed: FeedKey) => {
  const events = await readFeed(fixture.db, feed, { place: 0n, limit: 10_000 })
  return events.map(({ seq }) => Number(seq))
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('the feed', () => {
  it('numbers each event of a merchant and environment from 1 without a gap, in order', async () => {
    const feed = fixture.newFeed()
    const live: FeedKey = { ...feed, environment: 'LIVE' }
    const ids = await fixture.announce(feed, 1_200)
    await fixture.announce(live, 3)
    await sequence()
    const events = await readFeed(fixture.db, feed, { place: 0n, limit: 10_000 })
    expect(events.map(({ id }) => id)).toEqual(ids)
    expect(events.map(({ seq }) => Number(seq))).toEqual(upTo(1_200))
    expect(await numbersIn(live)).toEqual([1, 2, 3])
    const last = await readFeed(fixture.db, feed, { place: 1_198n, limit: 1 })
    expect(last).toMatchObject([{ seq: 1_199n, type: 'transaction.success', data: { n: 1_198 } }])
    expect(await feedsWithNews(fixture.db, 10)).toEqual([])
    expect(await listFeedsBehind(fixture.db, 10)).toEqual([])
  })

  it('does not skip an event that commits after younger ones were numbered', async () => {
    const feed = fixture.newFeed()
    await fixture.register(feed, { url })
    const late = newId()
    const event = {
      ...feed,
      gate_id: late,
      id: late,
      type: 'transaction.failed' as const,
      transaction_id: null,
      subject_id: null,
      data: {},
    }
    await inTransaction(fixture.openDb(), async (tx) => {
      await runPart(tx, recordEvents(tx, [event]))
      await fixture.announce(feed, 5)
      await sequence()
      expect(await numbersIn(feed)).toEqual(upTo(5))
    })
    await sequence()
    const events = await readFeed(fixture.db, feed, { place: 5n, limit: 10 })
    expect(events).toMatchObject([{ id: late, seq: 6n }])
    expect(await fixture.deliveries(feed)).toHaveLength(6)
  })

  it('stays without gap or double under many sequencers and writers at once', async () => {
    const feeds = [fixture.newFeed(), fixture.newFeed()]
    for (const feed of feeds) {
      await fixture.register(feed, { url })
      await fixture.register(feed, { url })
    }
    let writing = true
    const write = async (feed: FeedKey) => {
      for (let i = 0; i < 60; i += 1) await fixture.announce(feed, 7)
    }
    const keepAdding = async () => {
      while (writing) await sequence()
    }
    const sequencers = Promise.all([keepAdding(), keepAdding(), keepAdding(), keepAdding()])
    await Promise.all(feeds.flatMap((feed) => [write(feed), write(feed)]))
    writing = false
    await sequencers
    await sequence(2)
    for (const feed of feeds) {
      expect(await numbersIn(feed)).toEqual(upTo(840))
      const made = await fixture.deliveries(feed)
      expect(made).toHaveLength(1_680)
      const pairs = new Set(made.map(({ event_id, webhook_id }) => event_id + webhook_id))
      expect(pairs.size).toBe(1_680)
    }
  })

  it('leaves out a feed that another sequencer holds', async () => {
    const feed = fixture.newFeed()
    await fixture.announce(feed, 1)
    await sequence()
    await fixture.announce(feed, 3)
    await inTransaction(fixture.openDb(), async (tx) => {
      expect(await numberFeeds(tx, [feed], 2)).toMatchObject([{ events: 2 }])
      expect(await numberFeeds(fixture.db, [feed], 500)).toMatchObject([{ events: 0 }])
    })
    await sequence()
    expect(await numbersIn(feed)).toEqual([1, 2, 3, 4])
  })

  it('leaves the deliveries of a feed to the sequencer that makes them', async () => {
    const feed = fixture.newFeed()
    await fixture.register(feed, { url })
    await fixture.announce(feed, 1)
    await sequence()
    await fixture.announce(feed, 3)
    await numberFeeds(fixture.db, [feed], 500)
    await inTransaction(fixture.openDb(), async (tx) => {
      expect(await deliverFeeds(tx, [feed], 2)).toMatchObject([{ events: 2, deliveries: 2 }])
      expect(await deliverFeeds(fixture.db, [feed], 500)).toMatchObject([{ events: 0 }])
    })
    expect(await fixture.deliveries(feed)).toHaveLength(3)
    await sequence()
    expect(await fixture.deliveries(feed)).toHaveLength(4)
  })
})

describe('a sequencer that does not look at all feeds now', () => {
  const looks = { look: async () => [] }
  const blind = () => sequenceEvents({ db: fixture.openDb(), wake: () => undefined, looks })

  /** So many events that have their numbers, as a payment's have. */
  async function numbered(feed: FeedKey, count: number) {
    await fixture.announce(feed, count)
    await numberFeeds(fixture.db, [feed], 500)
  }

  async function known(): Promise<FeedKey> {
    const feed = fixture.newFeed()
    await fixture.register(feed, { url })
    await fixture.announce(feed, 1)
    await sequence()
    return feed
  }

  it('makes the deliveries of the feeds that it was woken about, and of no others', async () => {
    const [feed, other] = [await known(), await known()]
    await numbered(feed, 150)
    await numbered(other, 1)
    const job = blind()
    expect(await job.run({ signal, subjects: [subjectOfFeed(feed), 'nobody', '/LIVE'] })).toBe(
      'more',
    )
    expect(await fixture.deliveries(feed)).toHaveLength(151)
    expect(await fixture.deliveries(other)).toHaveLength(1)
    expect(await job.run({ signal })).toBe('rest')
  })

  it('makes them of what it has numbered itself', async () => {
    const feed = await known()
    await fixture.announce(feed, 2)
    await blind().run({ signal })
    expect(await fixture.deliveries(feed)).toHaveLength(3)
  })

  it('comes back to what a rival held, who may not have seen all of it', async () => {
    const feed = await known()
    await numbered(feed, 1)
    const job = blind()
    await inTransaction(fixture.openDb(), async (tx) => {
      expect(await deliverFeeds(tx, [feed], 500)).toMatchObject([{ is_rivals: false }])
      await numbered(feed, 1)
      expect(await job.run({ signal, subjects: [subjectOfFeed(feed)] })).toBe('rest')
    })
    expect(await fixture.deliveries(feed)).toHaveLength(2)
    await job.run({ signal })
    expect(await fixture.deliveries(feed)).toHaveLength(3)
  })

  it('comes back to a feed whose row is locked', async () => {
    const feed = await known()
    await numbered(feed, 1)
    const db = fixture.openDb({ lock_timeout_ms: 300 })
    const job = sequenceEvents({ db, wake: () => undefined, looks })
    await inTransaction(fixture.openDb(), async (tx) => {
      await tx`select 1 from webhooks where merchant_id = ${feed.merchant_id} for update`
      await tx`select 1 from webhook_lanes where merchant_id = ${feed.merchant_id} for update`
      await job.run({ signal, subjects: [subjectOfFeed(feed)] })
      expect(await fixture.deliveries(feed)).toHaveLength(1)
    })
    await job.run({ signal })
    expect(await fixture.deliveries(feed)).toHaveLength(2)
  })
})

it('a feed that no statement takes holds up no other, and is taken when one does', async () => {
  const [bad, good] = [fixture.newFeed(), fixture.newFeed()]
  for (const feed of [bad, good]) {
    await fixture.register(feed, { url })
    await fixture.announce(feed, 1)
  }
  await sequence()
  for (const feed of [bad, good]) await fixture.announce(feed, 1)
  const { owner } = fixture.database
  await owner.unsafe(`
    create function bad() returns trigger language plpgsql as
    $$ begin raise exception 'a row that no statement takes'; end $$`)
  await owner.unsafe(`
    create trigger bad before insert on deliveries
       for each row when (new.merchant_id = '${bad.merchant_id}') execute function bad()`)
  const job = sequenceEvents({ db: fixture.openDb(), wake: () => undefined })
  const faults: string[] = []
  const run = () => job.run({ signal, onFault: (about) => void faults.push(about) })
  while ((await run()) === 'more');
  expect(await fixture.deliveries(good)).toHaveLength(2)
  expect(faults).toEqual([`${bad.merchant_id} SANDBOX`])
  expect(await run()).toBe('rest')
  expect(faults).toHaveLength(1)
  await owner.unsafe('drop trigger bad on deliveries')
  await sleep(2_100)
  while ((await run()) === 'more');
  expect(await fixture.deliveries(bad)).toHaveLength(2)
})

describe('deliveries', () => {
  const receivedBy = async (feed: FeedKey, webhook_id: string) => {
    const rows = await fixture.deliveries(feed)
    const own = rows.filter((row) => row.webhook_id === webhook_id)
    return own.map((row) => row.event_type).toSorted()
  }

  it('are made for active endpoints that hear of the event, and for no others', async () => {
    const feed = fixture.newFeed()
    const other = { ...feed, environment: 'LIVE' as const }
    const add = async (settings: object) =>
      (await fixture.register(feed, { url, ...settings })).webhook.id
    const all = await add({})
    const some = await add({ events: ['transaction.failed', 'settlement.success'] })
    const link = randomUUID()
    const linked = await add({})
    await fixture.db`update webhooks set payment_link = ${link} where id = ${linked}`
    const off = await add({})
    await fixture.db`update webhooks set is_active = false where id = ${off}`
    const live = (await fixture.register(other, { url })).webhook.id
    await fixture.announce(feed, 1, { type: 'transaction.success' })
    await fixture.announce(feed, 1, { type: 'transaction.failed', data: { payment_link: link } })
    await sequence()
    expect(await receivedBy(feed, all)).toEqual(['transaction.failed', 'transaction.success'])
    expect(await receivedBy(feed, some)).toEqual(['transaction.failed'])
    expect(await receivedBy(feed, linked)).toEqual(['transaction.failed'])
    expect(await receivedBy(feed, off)).toEqual([])
    expect(await receivedBy(feed, live)).toEqual([])
  })

  it('of a test go to the tested endpoint alone, under the id that was answered', async () => {
    const feed = fixture.newFeed()
    await fixture.register(feed, { url })
    const { webhook } = await fixture.register(feed, { url, events: ['settlement.failed'] })
    const { db, keyring, rules } = fixture
    const deps = { db, keyring, wake: () => undefined, ...rules }
    const test = await testWebhook(deps, fixture.caller(feed), { id: webhook.id, carries: {} })
    await sequence()
    const rows = await fixture.deliveries(feed)
    expect(rows).toMatchObject([
      { id: test.delivery_id, webhook_id: webhook.id, event_type: 'webhook.test' },
    ])
  })

  it('have an id that both languages make alike, with the time of the event', async () => {
    const feed = fixture.newFeed()
    await fixture.register(feed, { url })
    await fixture.announce(feed, 50)
    await sequence()
    const rows = await fixture.deliveries(feed)
    expect(rows).toHaveLength(50)
    for (const row of rows) {
      expect(row.id).toBe(deliveryId(row.event_id, row.webhook_id))
      expect(row.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(row.id.slice(0, 13)).toBe(row.event_id.slice(0, 13))
    }
  })
})
