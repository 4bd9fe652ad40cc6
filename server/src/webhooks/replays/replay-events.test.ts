// A replay takes nothing from what is new, and is queued once however many workers there are.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Receiver } from '../../../test/setup/webhook-receiver.ts'
import { WebhookFixture } from '../../../test/webhook-fixture.ts'
import type { FeedKey } from '../../events/event.ts'
import { changeWebhook, endWebhook } from '../registrations/change-webhook.ts'
import { webhooks_max } from '../webhook.ts'
import { waiting_max } from './replay.ts'
import { startReplay } from './replay-events.ts'
import { findReplay, listOpenReplays, queuePortion } from './store.ts'

let fixture: WebhookFixture
let feed: FeedKey

beforeEach(async () => {
  fixture = await WebhookFixture.open()
  feed = fixture.newFeed()
})
afterEach(() => fixture.close())

const until = (check: () => void | Promise<void>, timeout = 50_000) =>
  vi.waitFor(check, { timeout, interval: 20 })
const deps = () => ({
  db: fixture.db,
  keyring: fixture.keyring,
  wake: fixture.waker.wake,
  ...fixture.rules,
})
const an_hour_ago = () => new Date(Date.now() - 3_600_000).toISOString()

/** That many events with numbers, that nobody was registered for. */
async function past(count: number): Promise<void> {
  await fixture.announce(feed, count)
  const [sequence] = fixture.jobs()
  const signal = new AbortController().signal
  while ((await sequence?.run({ signal })) === 'more');
}

async function replayTo(url: string): Promise<string> {
  const { webhook } = await fixture.register(feed, { url })
  await startReplay(deps(), fixture.caller(feed), { id: webhook.id, since: an_hour_ago() })
  return webhook.id
}

const replayOf = async (webhook_id: string) => {
  const replay = await findReplay(fixture.db, { merchant_id: feed.merchant_id, webhook_id })
  if (replay === undefined) throw new Error('no replay')
  return replay
}

it('lets what is new go first: it waits for no more than the tries under way', async () => {
  await past(300)
  const receiver = await fixture.receiver()
  receiver.answerWith((response) => void setTimeout(() => response.end(), 400))
  await replayTo(receiver.url)
  fixture.start()
  await until(() => expect(receiver.received.length).toBeGreaterThan(20))
  const [id] = await fixture.announce(feed, 1, { data: { n: 1_000 } })
  const sent = receiver.received.length
  await until(() => expect(receiver.received.some(({ body }) => body.data.n === 1_000)).toBe(true))
  const at = receiver.received.findIndex(({ body }) => body.data.n === 1_000)
  expect(receiver.received[at]?.headers['x-webhook-id']).toBe(id)
  // Some are sent until it has its number; then only those under way are before it.
  expect(at - sent).toBeLessThan(40)
})

it('is queued by portions, few of them waiting, whole and once under many rivals', async () => {
  const events = 2 * waiting_max + 100
  await past(events)
  const receiver = await fixture.receiver()
  const webhook = await replayTo(receiver.url)
  const rivals = Array.from({ length: 8 }, () => fixture.openDb())
  const [open] = await listOpenReplays(fixture.db, 10)
  if (open === undefined) throw new Error('no replay')
  await Promise.all(rivals.map((db) => queuePortion(db, open)))
  await Promise.all(rivals.map((db) => queuePortion(db, open)))
  const early = await replayOf(webhook)
  expect(early.events_waiting).toBe(early.events_queued)
  expect(early.events_waiting).toBeLessThan(2 * waiting_max)
  for (let i = 0; i < 3; i += 1) fixture.start()
  await until(async () => {
    expect(await replayOf(webhook)).toMatchObject({
      events_total: events,
      events_queued: events,
      events_waiting: 0,
      finished_at: expect.any(Date),
    })
  })
  const ids = receiver.received.map(({ body }) => body.id)
  expect(ids).toHaveLength(events)
  expect(new Set(ids).size).toBe(events)
})

/** Of another merchant, begun after all of `feed`: ten events. */
async function replayOfAnother(): Promise<Receiver> {
  const another = fixture.newFeed()
  await fixture.announce(another, 10)
  const [sequence] = fixture.jobs()
  const signal = new AbortController().signal
  while ((await sequence?.run({ signal })) === 'more');
  const receiver = await fixture.receiver()
  const { webhook } = await fixture.register(another, { url: receiver.url })
  await startReplay(deps(), fixture.caller(another), { id: webhook.id, since: an_hour_ago() })
  return receiver
}

/** As many as one merchant may have. */
async function replaysTo({ url }: Receiver): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < webhooks_max; at += 1) ids.push(await replayTo(url))
  return ids
}

describe('a merchant with as many replays as it may have keeps nobody else’s waiting', () => {
  it('when its endpoints are off', async () => {
    await past(10)
    for (const id of await replaysTo(await fixture.receiver())) {
      await changeWebhook(deps(), fixture.caller(feed), { id, is_active: false })
    }
    const receiver = await replayOfAnother()
    fixture.start()
    await until(() => expect(receiver.received).toHaveLength(10), 10_000)
  })

  it('when its endpoints do not answer', async () => {
    await past(waiting_max + 1)
    const dead = await fixture.receiver()
    dead.answerWith(() => undefined)
    await replaysTo(dead)
    for (const open of await listOpenReplays(fixture.db, 100)) await queuePortion(fixture.db, open)
    const receiver = await replayOfAnother()
    fixture.start()
    await until(() => expect(receiver.received).toHaveLength(10), 20_000)
  })

  it('when they fail', async () => {
    await past(10)
    await replaysTo(await fixture.receiver())
    // A number that no portion can be added to.
    await fixture.database.owner`
      update webhook_replays set events_queued = 2147483647
       where merchant_id = ${feed.merchant_id}`
    const receiver = await replayOfAnother()
    fixture.start()
    await until(() => expect(receiver.received).toHaveLength(10), 10_000)
  })
})

it('rests while its endpoint is off, goes on when it is on, and ends with it', async () => {
  await past(10)
  const receiver = await fixture.receiver()
  const webhook = await replayTo(receiver.url)
  const change = (is_active: boolean) =>
    changeWebhook(deps(), fixture.caller(feed), { id: webhook, is_active })
  const queue = async () => {
    for (const open of await listOpenReplays(fixture.db, 10)) await queuePortion(fixture.db, open)
  }
  await change(false)
  await queue()
  expect(await replayOf(webhook)).toMatchObject({ events_queued: 0, finished_at: null })
  await change(true)
  await queue()
  expect(await replayOf(webhook)).toMatchObject({ events_queued: 10, events_waiting: 10 })
  await endWebhook(deps(), fixture.caller(feed), webhook)
  await queue()
  expect((await replayOf(webhook)).finished_at).not.toBeNull()
})
