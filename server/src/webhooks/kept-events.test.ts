// An event that is kept plain, as before events were packed or after an erasure, goes every way that
// a packed one goes: into deliveries, the feed, the logs and replays; and what was sent once is sent
// again byte by byte.

import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { WebhookFixture } from '../../test/webhook-fixture.ts'
import type { FeedKey } from '../events/event.ts'
import { eraseEvents } from '../events/statements.ts'
import { listEventsFrom } from '../events/store.ts'
import { inTransaction } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { bodyOf } from './logs/log.ts'
import { getLog } from './logs/store.ts'
import { countSubscribed } from './replays/store.ts'

let fixture: WebhookFixture
let feed: FeedKey

beforeEach(async () => {
  fixture = await WebhookFixture.open()
  feed = fixture.newFeed()
})
afterEach(() => fixture.close())

const link = randomUUID()
const data = {
  payment_link: link,
  name: 'N\'Diaye \u2028 "É" \\u0041',
  list: [1.5, null],
  id: newId(),
}

/** As the version before kept it, before anybody has read it. */
async function insertPlain(about: object): Promise<string> {
  const { db } = fixture
  const row = { ...feed, id: newId(), type: 'transaction.success', plain: db.json(data as never) }
  await db`insert into ${db('events')} ${db({ ...row, ...about })}`
  return row.id
}

const until = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: 10_000, interval: 20 })

it('plain or packed, it is delivered to whom its payment link says, listed and logged', async () => {
  const receiver = await fixture.receiver()
  const { webhook } = await fixture.register(feed, { url: receiver.url })
  const other = (await fixture.register(feed, { url: receiver.url })).webhook.id
  await fixture.db`update webhooks set payment_link = ${link} where id = ${webhook.id}`
  await fixture.db`update webhooks set payment_link = ${randomUUID()} where id = ${other}`
  receiver.answerWith((response, _got, nth) => {
    response.statusCode = nth <= 2 ? 500 : 200
    response.end()
  })
  const ids = [await insertPlain({}), ...(await fixture.announce(feed, 1, { data }))]
  fixture.start()
  await until(() => expect(receiver.received).toHaveLength(2))
  await until(async () => {
    const rows = await fixture.deliveries(feed)
    expect(rows.map(({ status }) => status)).toEqual(['FAILED', 'FAILED'])
  })
  await fixture.db`
    update deliveries set due_at = now() - interval '1 second' where due_at is not null`
  await fixture.db`
    update webhook_lanes set due_at = now() - interval '1 second', marks = marks + 1`
  fixture.waker.wake('deliver-webhooks')
  await until(() => expect(receiver.received).toHaveLength(4))

  for (const id of ids) {
    const tries = receiver.received.filter(({ body }) => body.id === id)
    expect(tries.map(({ raw }) => raw)).toEqual([tries[0]?.raw, tries[0]?.raw])
    expect(tries[0]?.body.data).toMatchObject(data)
    const [delivery] = (await fixture.deliveries(feed)).filter((one) => one.event_id === id)
    const log = await getLog(fixture.db, feed, delivery?.id ?? '')
    expect(bodyOf(log)).toBe(tries[0]?.raw)
  }
  const listed = await listEventsFrom(fixture.db, feed, { place: 0n, limit: 9 })
  expect(listed.map(({ id }) => id)).toEqual(ids)
  for (const event of listed) expect(event.data).toMatchObject(data)
  const window = { since: '2020-01-01', done_seq: 0n, last_seq: 9n, only_failed: false }
  const countFor = (webhook_id: string) =>
    countSubscribed(fixture.db, feed, { ...window, webhook_id })
  expect(await countFor(webhook.id)).toBe(2)
  expect(await countFor(other)).toBe(0)
})

it('its person is erased from it, while it is given its number', async () => {
  const transaction_id = newId()
  const person = { msisdn: '+2290101000110', metadata: { to: 'Awa Diop' }, note: 'for awa diop' }
  await fixture.announce(feed, 1, { data: { ...data, ...person } })
  await fixture.db`update ${fixture.db('events')} set transaction_id = ${transaction_id}`
  const plain = fixture.db.json({ ...data, ...person } as never)
  await insertPlain({ transaction_id, plain })
  fixture.start()
  const erasing = { ...feed, subject_ids: [transaction_id] }
  await inTransaction(fixture.db, (tx) => eraseEvents(tx, erasing, ['%awa diop%']))
  const listed = await feedOf(2)
  for (const event of listed) {
    const clean = { msisdn: `${'*'.repeat(12)}10`, metadata: {}, note: '' }
    expect(event.data).toEqual({ ...data, ...clean, ...('n' in event.data ? { n: 0 } : {}) })
  }
  const packed = await fixture.db`select 1 from events where packed is not null`
  expect(packed.count).toBe(0)
  // Once more there is nothing to do, and nothing is undone.
  await inTransaction(fixture.db, (tx) => eraseEvents(tx, erasing, ['%awa diop%']))
  expect(await listEventsFrom(fixture.db, feed, { place: 0n, limit: 9 })).toEqual(listed)
})

/** The feed, when it has so many. */
const feedOf = (count: number) =>
  vi.waitFor(
    async () => {
      const listed = await listEventsFrom(fixture.db, feed, { place: 0n, limit: 9 })
      expect(listed).toHaveLength(count)
      return listed
    },
    { timeout: 10_000, interval: 20 },
  )
