// The guarantees of delivery, each against real receivers and a real database.

import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebhookFixture } from '../../test/webhook-fixture.ts'
import type { FeedKey } from '../events/event.ts'
import { resendDelivery } from './logs/resend-delivery.ts'
import { changeWebhook, endWebhook } from './registrations/change-webhook.ts'
import { exhaustWaiting } from './registrations/switched-off.ts'

let fixture: WebhookFixture
let feed: FeedKey

beforeEach(async () => {
  fixture = await WebhookFixture.open()
  feed = fixture.newFeed()
})
afterEach(() => fixture.close())

const until = (check: () => void | Promise<void>, timeout = 10_000) =>
  vi.waitFor(check, { timeout, interval: 20 })

/** All that waits is due now: what the schedule's hours would bring. */
async function passTime() {
  await fixture.db`
    update deliveries set due_at = now() - interval '1 second' where due_at is not null`
  await fixture.db`
    update webhook_lanes set due_at = now() - interval '1 second', marks = marks + 1`
  fixture.waker.wake('deliver-webhooks')
}

const changeDeps = () => ({
  db: fixture.db,
  keyring: fixture.keyring,
  wake: fixture.waker.wake,
  ...fixture.rules,
})

describe('a delivery', () => {
  it('is signed so that a receiver can verify it from the documentation alone', async () => {
    const receiver = await fixture.receiver()
    const { webhook, signing_secret } = await fixture.register(feed, { url: receiver.url })
    fixture.start()
    const [event_id] = await fixture.announce(feed, 1, {
      data: { amount: '100.00', name: 'É\u2028' },
    })
    await until(() => expect(receiver.received).toHaveLength(1))

    const [got] = receiver.received
    expect(got?.body).toMatchObject({ event: 'transaction.success', environment: 'SANDBOX' })
    expect(got?.body.data).toEqual({ n: 0, amount: '100.00', name: 'É\u2028' })
    expect([got?.headers['x-webhook-id'], got?.body.id]).toEqual([event_id, event_id])
    expect(got?.headers).not.toHaveProperty('x-webhook-event-id')
    expect(got?.headers['x-webhook-event']).toBe('transaction.success')
    const timestamp = got?.headers['x-webhook-timestamp']
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(5)
    const hex = createHmac('sha256', signing_secret).update(`${timestamp}.${got?.raw}`)
    expect(got?.headers['x-webhook-signature']).toBe(hex.digest('hex'))
    const key = Buffer.from(signing_secret.replace('whsec_', ''), 'base64')
    const standard = createHmac('sha256', key).update(`${got?.body.id}.${timestamp}.${got?.raw}`)
    expect(got?.headers['webhook-signature']).toBe(`v1,${standard.digest('base64')}`)

    await until(async () => {
      const [row] = await fixture.deliveries(feed)
      expect(row).toMatchObject({
        event_id,
        webhook_id: webhook.id,
        status: 'SUCCESS',
        attempt: 1,
        http_status: 200,
        response_body: 'ok',
        wait_s: null,
      })
    })
  })

  it('is tried again with the same id and body and a fresh timestamp until acknowledged', async () => {
    const receiver = await fixture.receiver()
    receiver.answerWith((response, _got, nth) => {
      response.statusCode = nth < 3 ? 500 : 204
      response.end(nth < 3 ? 'sorry\0' : undefined)
    })
    await fixture.register(feed, { url: receiver.url })
    let seconds = 1_800_000_000
    fixture.start({ clockwork: { now_ms: () => seconds * 1000, random: () => 0.5 } })
    await fixture.announce(feed)
    await until(async () => {
      const [row] = await fixture.deliveries(feed)
      expect(row).toMatchObject({ status: 'FAILED', attempt: 1, http_status: 500 })
      expect(row?.response_body).toBe('sorry\uFFFD')
      expect(row?.wait_s).toBeGreaterThan(29.5)
      expect(row?.wait_s).toBeLessThan(60)
    })
    seconds += 30
    await passTime()
    await until(async () => {
      const [row] = await fixture.deliveries(feed)
      expect(row?.attempt).toBe(2)
      expect(row?.wait_s).toBeGreaterThan(299)
    })
    seconds += 300
    await passTime()
    await until(async () => {
      expect((await fixture.deliveries(feed))[0]).toMatchObject({ status: 'SUCCESS', attempt: 3 })
    })
    const times = receiver.received.map(({ headers }) => headers['x-webhook-timestamp'])
    expect(times).toEqual(['1800000000', '1800000030', '1800000330'])
    expect(new Set(receiver.received.map(({ raw }) => raw)).size).toBe(1)
    const signatures = receiver.received.map(({ headers }) => headers['x-webhook-signature'])
    expect(new Set(signatures).size).toBe(3)
  })

  it('is EXHAUSTED after nine tries and never sent again', async () => {
    const receiver = await fixture.receiver()
    receiver.answerWith((response) => void response.writeHead(503).end())
    await fixture.register(feed, { url: receiver.url })
    fixture.start()
    await fixture.announce(feed)
    for (let tries = 1; tries <= 9; tries += 1) {
      await until(async () => expect((await fixture.deliveries(feed))[0]?.attempt).toBe(tries))
      await passTime()
    }
    const [row] = await fixture.deliveries(feed)
    expect(row).toMatchObject({ status: 'EXHAUSTED', attempt: 9, wait_s: null })
    expect(row?.exhausted_at).not.toBeNull()
    await sleep(200)
    expect(receiver.received).toHaveLength(9)
  })

  it('keeps 8 kB of a long answer and follows no redirect', async () => {
    const target = await fixture.receiver()
    const receiver = await fixture.receiver()
    receiver.answerWith((response) => {
      response.writeHead(302, { location: target.url }).end('x'.repeat(50_000))
    })
    await fixture.register(feed, { url: receiver.url })
    fixture.start()
    await fixture.announce(feed)
    await until(async () => {
      const [row] = await fixture.deliveries(feed)
      expect(row).toMatchObject({ status: 'FAILED', http_status: 302 })
      expect(row?.response_body).toHaveLength(8192)
    })
    expect(target.connections()).toBe(0)
  })

  it('to an address that may not be called is a failed try without any contact', async () => {
    const receiver = await fixture.receiver()
    await fixture.register(feed, { url: receiver.url })
    fixture.rules.allow_private = false
    fixture.start()
    await fixture.announce(feed)
    await until(async () => {
      const [row] = await fixture.deliveries(feed)
      expect(row).toMatchObject({ status: 'FAILED', attempt: 1, http_status: null })
      expect(row?.response_body).toBe('(address not allowed)')
    })
    expect(receiver.connections()).toBe(0)
  })
})

describe('an endpoint', () => {
  it('that answers 410 is switched off, what waits is exhausted, and a resend sends it', async () => {
    const receiver = await fixture.receiver()
    receiver.answerWith((response) => void response.writeHead(410).end())
    const { webhook } = await fixture.register(feed, { url: receiver.url })
    fixture.start()
    await fixture.announce(feed)
    await until(async () => {
      expect(await fixture.endpoint(webhook.id)).toMatchObject({
        is_active: false,
        switched_off_reason: 'GONE',
      })
    })
    await until(async () => {
      const [row] = await fixture.deliveries(feed)
      expect(row).toMatchObject({ status: 'EXHAUSTED', attempt: 1, http_status: 410 })
    })

    receiver.answerWith((response) => void response.end())
    const changes = { id: webhook.id, is_active: true }
    const changed = await changeWebhook(changeDeps(), fixture.caller(feed), changes)
    expect(changed).toMatchObject({ failing_since: null, switched_off_reason: '' })
    await passTime()
    await sleep(200)
    expect(receiver.received).toHaveLength(1)
    const [log] = await fixture.deliveries(feed)
    await resendDelivery(changeDeps(), fixture.caller(feed), String(log?.id))
    await until(async () => {
      expect((await fixture.deliveries(feed))[0]).toMatchObject({ status: 'SUCCESS', attempt: 2 })
    })
  })

  it('that its merchant switches off has nothing waiting, however much that was', async () => {
    const receiver = await fixture.receiver()
    receiver.answerWith((response) => void response.writeHead(500).end())
    const { webhook } = await fixture.register(feed, { url: receiver.url })
    const other = await fixture.register(feed, { url: receiver.url })
    await fixture.announce(feed, 1)
    const [sequence] = fixture.jobs()
    await sequence?.run({ signal: new AbortController().signal })
    await fixture.db`
      insert into deliveries (merchant_id, id, environment, webhook_id, event_id, event_type, url,
        status, attempt, due_at)
      select d.merchant_id, gen_random_uuid(), d.environment, d.webhook_id, d.event_id,
             d.event_type, d.url, 'FAILED', 1, now() + interval '1 day'
        from deliveries d, generate_series(1, 2500)
       where d.webhook_id = ${webhook.id}`
    const off = { id: webhook.id, is_active: false }
    await changeWebhook(changeDeps(), fixture.caller(feed), off)
    fixture.start()
    const waiting = async () => {
      const rows = await fixture.db`
        select webhook_id, count(*)::int as count from deliveries
         where merchant_id = ${feed.merchant_id} and due_at is not null group by webhook_id`
      return rows.map(({ webhook_id, count }) => [webhook_id, count])
    }
    await until(async () => expect(await waiting()).toEqual([[other.webhook.id, 1]]))
  })

  it('switched on again while what waited was being ended loses nothing that came since', async () => {
    const receiver = await fixture.receiver()
    const { webhook } = await fixture.register(feed, { url: receiver.url })
    await fixture.db`update webhooks set is_active = false where id = ${webhook.id}`
    await fixture.db`
      insert into webhook_lanes (merchant_id, webhook_id, lease_no)
      values (${feed.merchant_id}, ${webhook.id}, 7)`
    const queue = { merchant_id: feed.merchant_id, webhook_id: webhook.id, lease_no: 7n }
    const due = () => fixture.db`
      insert into deliveries (merchant_id, id, environment, webhook_id, event_id, event_type, url,
        due_at)
      values (${feed.merchant_id}, gen_random_uuid(), ${feed.environment}, ${webhook.id},
        gen_random_uuid(), 'webhook.test', 'x', now())`
    await due()
    const yes = async () => true
    // The visit has seen it off; before it ends what waits, its merchant has switched it on.
    const ended = await fixture.db.begin(async (tx) => {
      await tx`update webhooks set is_active = true where id = ${webhook.id}`
      const ending = exhaustWaiting(fixture.openDb(), queue, yes)
      await until(async () => expect(await fixture.waiting()).toBe(1))
      return { ending }
    })
    expect(await ended.ending).toBe(0)
    await fixture.db`update webhooks set is_active = false where id = ${webhook.id}`
    const stale = { ...queue, lease_no: 6n }
    expect(await exhaustWaiting(fixture.db, stale, yes)).toBe(0)
    await due()
    expect(await exhaustWaiting(fixture.db, queue, yes)).toBe(2)
    expect(await exhaustWaiting(fixture.db, queue, yes)).toBe(0)
  })

  it('that has failed for five days is switched off; a success in between forgets it', async () => {
    const receiver = await fixture.receiver()
    receiver.answerWith((response) => void response.writeHead(500).end())
    const { webhook } = await fixture.register(feed, { url: receiver.url })
    fixture.start()
    await fixture.announce(feed)
    await until(async () => {
      expect((await fixture.endpoint(webhook.id))?.failing_since).toBeInstanceOf(Date)
    })
    receiver.answerWith((response) => void response.end())
    await passTime()
    await until(async () => {
      expect((await fixture.endpoint(webhook.id))?.failing_since).toBeNull()
    })
    receiver.answerWith((response) => void response.writeHead(500).end())
    await fixture.db`update webhooks set failing_since = now() - interval '119 hours'`
    await fixture.announce(feed)
    await until(async () => {
      expect((await fixture.deliveries(feed)).at(1)?.status).toBe('FAILED')
    })
    expect((await fixture.endpoint(webhook.id))?.is_active).toBe(true)
    await fixture.db`update webhooks set failing_since = now() - interval '121 hours'`
    await passTime()
    await until(async () => {
      expect(await fixture.endpoint(webhook.id)).toMatchObject({
        is_active: false,
        switched_off_reason: 'FAILING',
      })
    })
    // Delivered within seconds; its retry would have been due in half a minute.
    await until(async () => {
      expect((await fixture.deliveries(feed)).every(({ status }) => status !== 'FAILED')).toBe(true)
    })
  })

  it('that was deleted gets nothing more, and what waited for it is shown as EXHAUSTED', async () => {
    const receiver = await fixture.receiver()
    receiver.answerWith((response) => void response.writeHead(500).end())
    const { webhook } = await fixture.register(feed, { url: receiver.url })
    fixture.start()
    await fixture.announce(feed)
    await until(async () => expect((await fixture.deliveries(feed))[0]?.status).toBe('FAILED'))
    await endWebhook(changeDeps(), fixture.caller(feed), webhook.id)
    await fixture.announce(feed)
    await until(async () => {
      const rows = await fixture.deliveries(feed)
      expect(rows.map(({ status }) => status)).toEqual(['EXHAUSTED'])
    })
    expect(receiver.received).toHaveLength(1)
  })

  it('that its merchant deletes or moves is sent nothing more than what is under way', async () => {
    const left = await fixture.receiver()
    const [deleted, moved] = [feed, fixture.newFeed()]
    left.answerWith((response) => void setTimeout(() => response.end(), 200))
    const next = await fixture.receiver()
    const { webhook: gone } = await fixture.register(deleted, { url: `${left.url}?gone` })
    const { webhook } = await fixture.register(moved, { url: `${left.url}?moved` })
    const at = (path: string) => left.received.filter((got) => got.path.endsWith(path))
    await fixture.announce(deleted, 100)
    await fixture.announce(moved, 100)
    fixture.start()
    await until(() => {
      expect(at('gone').length).toBeGreaterThan(0)
      expect(at('moved').length).toBeGreaterThan(0)
    })
    await endWebhook(changeDeps(), fixture.caller(deleted), gone.id)
    const changes = { id: webhook.id, url: next.url }
    await changeWebhook(changeDeps(), fixture.caller(moved), changes)
    // Sixteen are under way at once; a second round began before the change on a slow machine only.
    await until(async () => {
      const rows = await fixture.deliveries(deleted)
      expect(rows.some(({ status }) => status === 'PENDING')).toBe(false)
    })
    await until(() => expect(next.received.length).toBe(100 - at('moved').length))
    expect(at('gone').length).toBeLessThan(100)
    expect(at('moved').length).toBeLessThan(100)
    const ended = await fixture.deliveries(deleted)
    expect(ended.filter(({ status }) => status === 'EXHAUSTED')).toHaveLength(
      100 - at('gone').length,
    )
  })

  it('that hangs delays no other endpoint, and is not given many tries at once', async () => {
    const hanging = await fixture.receiver()
    const held: (() => void)[] = []
    hanging.answerWith((response) => void held.push(() => response.writeHead(503).end()))
    const quick = await fixture.receiver()
    await fixture.register(feed, { url: hanging.url })
    await fixture.register(feed, { url: quick.url })
    // A try hangs for longer than the others are waited for, however slow the machine is.
    fixture.start({ clockwork: { try_timeout_ms: 60_000, lease_ms: 70_000 } })
    await fixture.announce(feed, 300)
    await until(() => expect(quick.received).toHaveLength(300), 30_000)
    await until(() => expect(held.length).toBeGreaterThan(0))
    const first = held.length
    expect(first).toBeLessThanOrEqual(16)
    // Once they have failed it gets one try at a time.
    for (const fail of held.splice(0)) fail()
    await until(() => expect(held).toHaveLength(1))
    await sleep(200)
    expect(held).toHaveLength(1)
    for (const fail of held) fail()
  })
})

describe('many endpoints', () => {
  it('that hang at once leave the others their room', async () => {
    const hanging = await fixture.receiver()
    const held: (() => void)[] = []
    let hangs = true
    hanging.answerWith((response) => {
      const fail = () => void response.writeHead(503).end()
      if (hangs) held.push(fail)
      else fail()
    })
    for (let i = 0; i < 20; i += 1) await fixture.register(feed, { url: hanging.url })
    fixture.start({ clockwork: { try_timeout_ms: 60_000, lease_ms: 70_000 } })
    await fixture.announce(feed, 100)
    // All the room that can be shared is taken: 20 first tries and the 28 to spare of the sandbox.
    await until(() => expect(hanging.received.length).toBe(48), 25_000)

    const others = fixture.newFeed()
    const quick = await fixture.receiver()
    await fixture.register(others, { url: quick.url })
    await fixture.announce(others, 100)
    await until(() => expect(quick.received).toHaveLength(100), 25_000)
    expect(hanging.received.length).toBe(48)
    // The end of the fixture waits for tries that are under way.
    hangs = false
    for (const fail of held) fail()
  })
})

describe('several workers', () => {
  it('send each try of each event exactly once while they live', async () => {
    const receiver = await fixture.receiver()
    const failed = new Set<string>()
    receiver.answerWith((response) => {
      const id = receiver.received.at(-1)?.body.id ?? ''
      response.statusCode = failed.has(id) ? 200 : 500
      failed.add(id)
      setTimeout(() => response.end(), 2)
    })
    await fixture.register(feed, { url: receiver.url })
    for (let i = 0; i < 3; i += 1) fixture.start()
    for (let i = 0; i < 10; i += 1) {
      await fixture.announce(feed, 20)
      await sleep(10)
    }
    const all = async (attempt: number) => {
      const rows = await fixture.deliveries(feed)
      expect(rows).toHaveLength(200)
      expect(rows.every((row) => row.attempt === attempt)).toBe(true)
    }
    await until(() => all(1), 50_000)
    await passTime()
    await until(() => all(2), 50_000)
    const tries = new Map<string, number>()
    for (const { body } of receiver.received) tries.set(body.id, (tries.get(body.id) ?? 0) + 1)
    expect(tries.size).toBe(200)
    expect([...tries.values()].every((count) => count === 2)).toBe(true)
    expect((await fixture.deliveries(feed)).every(({ status }) => status === 'SUCCESS')).toBe(true)
  }, 130_000)

  it('deliver again what a worker had sent, but not recorded, when it died', async () => {
    const receiver = await fixture.receiver()
    await fixture.register(feed, { url: receiver.url })
    const dying = fixture.openDb()
    receiver.answerWith((response, _got, nth) => {
      // The first worker loses its database between the request and the answer.
      if (nth === 1) void dying.end({ timeout: 0 }).then(() => response.end())
      else response.end()
    })
    const clockwork = { try_timeout_ms: 500, lease_ms: 2_000 }
    fixture.start({ db: dying, clockwork })
    await fixture.announce(feed)
    await until(() => expect(receiver.received).toHaveLength(1))
    // The rival's try has its usual time, however slow the machine is.
    fixture.start()
    await until(async () => {
      expect((await fixture.deliveries(feed))[0]).toMatchObject({ status: 'SUCCESS', attempt: 1 })
    })
    const ids = receiver.received.map(({ body }) => body.id)
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
  })

  it('take nothing with them when they stop: what is in flight is recorded first', async () => {
    const receiver = await fixture.receiver()
    receiver.answerWith((response) => void setTimeout(() => response.end(), 400))
    await fixture.register(feed, { url: receiver.url })
    const worker = fixture.start()
    await fixture.announce(feed, 40)
    await until(() => expect(receiver.received.length).toBeGreaterThan(0))
    expect(await worker.stop(5_000)).toEqual({ unfinished: [] })
    const sent = receiver.received.length
    const rows = await fixture.deliveries(feed)
    expect(rows.filter(({ status }) => status === 'SUCCESS')).toHaveLength(sent)
    expect(sent).toBeLessThan(40)
    fixture.start()
    await until(() => expect(receiver.received).toHaveLength(40))
  })
})
