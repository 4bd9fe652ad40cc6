// From registration to the receiver's own check (contract 6.5 to 6.7): what is sent, signed by
// both schemes over the raw bytes, tried again under the same id, in versions that only grow.

import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { createEnds } from '../setup/ends.ts'
import { type Answer, type Got, type Receiver, startReceiver } from '../setup/webhook-receiver.ts'

let app: TestApp
/** Its operator leaves two seconds between one word and another, which a busy machine tells apart. */
let patient: TestApp
const ends = createEnds()

beforeAll(async () => {
  ;[app, patient] = await Promise.all([startApp(), startApp({ speed: 1 })])
})
afterAll(async () => {
  // First the receivers: one that never answers would be waited for.
  await ends.all()
  await Promise.all([app?.stop(), patient?.stop()])
})

const receive = (answer?: Answer) => ends.keep(startReceiver(answer))

async function register(shop: Shop, url: string, more: object = {}): Promise<Json> {
  const reply = await shop.post('/merchant-webhooks/', { url, ...more })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.data
}

/** What came about one transaction, as names in the order of their versions. */
const eventsOf = ({ received }: Receiver, id: string) =>
  received
    .map(({ body }) => body)
    .filter((body) => body.data.id === id)
    .toSorted((a, b) => a.data.version - b.data.version)

const receivedAll = (receiver: Receiver, id: string, ...events: string[]) =>
  eventually(async () => {
    const bodies = eventsOf(receiver, id)
    expect(bodies.map((body) => body.event)).toEqual(events)
    const versions = bodies.map((body) => body.data.version)
    expect(new Set(versions).size).toBe(versions.length)
    return bodies
  })

/** Written from the published rules alone: nothing of the service's own signing is used. */
function verify({ headers, raw, at_ms }: Got, secret: string): void {
  const [id, timestamp] = [headers['x-webhook-id'], headers['x-webhook-timestamp']]
  // Of the same hour and zone: how soon it came is the machine's doing.
  expect(Math.abs(at_ms / 1000 - Number(timestamp))).toBeLessThan(60)
  const own = createHmac('sha256', secret).update(`${timestamp}.`).update(raw).digest('hex')
  expect(headers['x-webhook-signature']).toBe(own)
  expect(headers['webhook-id']).toBe(id)
  expect(headers['webhook-timestamp']).toBe(timestamp)
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const standard = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(raw)
  expect(headers['webhook-signature']).toBe(`v1,${standard.digest('base64')}`)
}

describe('a payment that succeeds', () => {
  it('is told as created and success, signed by both schemes, with the fields as documented', async () => {
    const shop = await app.shop()
    const receiver = await receive()
    const { signing_secret } = await register(shop, receiver.url)
    expect(signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    // Letters beyond ASCII: what is signed is bytes, not characters.
    const extra = { metadata: { order: 'Été à Abomey 🛶' }, merchant_reference: 'ORDER-7' }
    const { data } = await shop.pay({ customer: newPayer(), ...extra })
    const paid = await shop.becomes(data.id, 'SUCCESS')
    const [created, success] = await receivedAll(
      receiver,
      data.id,
      'transaction.created',
      'transaction.success',
    )
    for (const one of receiver.received) {
      verify(one, signing_secret)
      expect(one.headers['x-webhook-id']).toBe(one.body.id)
      expect(one.headers['x-webhook-event']).toBe(one.body.event)
      expect(one.headers['content-type']).toBe('application/json')
      expect(Object.keys(one.body)).toEqual(['id', 'event', 'created_at', 'environment', 'data'])
      expect(one.body.environment).toBe('SANDBOX')
    }
    expect(created.data.status).toBe('PENDING')
    expect(success.data).toMatchObject({
      id: data.id,
      reference: data.reference,
      type: 'PAIEMENT',
      flow_direction: 'INBOUND',
      status: 'SUCCESS',
      amount: '5000.00',
      fee: '163.00',
      charged: '5163.00',
      net_amount: '5000.00',
      fee_charge_mode: 'ADD_ON',
      currency: 'XOF',
      country: 'BJ',
      network: 'mtn_bj',
      ...extra,
      checkout_session: null,
      payment_link: null,
      failure_code: '',
      version: paid.version,
    })
    expect(success.data.msisdn).toBe(paid.operation_msisdn)
  })
})

describe('what goes another way', () => {
  it.each([
    ['03', ['transaction.created', 'transaction.failed']],
    ['05', ['transaction.created', 'transaction.success']],
    ['06', ['transaction.created', 'transaction.success']],
    ['07', ['transaction.created', 'transaction.success']],
    ['09', ['transaction.created', 'transaction.failed', 'transaction.success']],
  ])('%s is told once each, with rising versions', async (magic, events) => {
    const shop = await (magic === '09' ? patient : app).shop()
    const receiver = await receive()
    await register(shop, receiver.url)
    const { data } = await shop.pay({ customer: newPayer(magic) })
    const bodies = await receivedAll(receiver, data.id, ...events)
    const last = bodies.at(-1)
    const { data: now } = await shop.get(`/transactions/${data.id}/`)
    expect(last.data).toMatchObject({ status: now.status, version: now.version })
    expect(last.data.failure_code).toBe(now.failure_code)
    const failed = bodies.find((body) => body.event === 'transaction.failed')
    if (failed !== undefined) expect(failed.data.failure_code).not.toBe('')
    await sleep(300)
    expect(eventsOf(receiver, data.id)).toHaveLength(events.length)
  })
})

/** The next try of everything that waits, now instead of in half a minute. */
async function hurry(shop: Shop): Promise<void> {
  const { merchant_id } = shop
  await app.owner`
    update deliveries set due_at = now() - interval '1 second'
     where merchant_id = ${merchant_id} and due_at is not null`
  await app.owner`
    update webhook_lanes set due_at = now() - interval '1 s' where merchant_id = ${merchant_id}`
}

describe('a receiver in trouble', () => {
  it('gets the same id and bytes again after a 500, with a fresh timestamp and signature', async () => {
    const shop = await app.shop()
    const receiver = await receive((response, _got, nth) => {
      response.writeHead(nth === 1 ? 500 : 204).end()
    })
    const webhook = await register(shop, receiver.url, { events: ['transaction.success'] })
    await shop.pay({ customer: newPayer() })
    await eventually(async () => expect(receiver.received).toHaveLength(1))
    const waiting = await eventually(async () => {
      const rows = await app.owner`
        select status, attempt, http_status,
               extract(epoch from due_at - sent_at)::float8 as wait_s
          from deliveries where merchant_id = ${shop.merchant_id}`
      expect(rows).toMatchObject([{ status: 'FAILED', attempt: 1, http_status: 500 }])
      return rows[0]?.['wait_s']
    })
    expect(waiting).toBeGreaterThan(26)
    expect(waiting).toBeLessThan(40)
    await sleep(1_100)
    await hurry(shop)
    await eventually(async () => expect(receiver.received).toHaveLength(2))
    const [first, second] = receiver.received
    if (first === undefined || second === undefined) throw new Error('two tries')
    expect(second.headers['x-webhook-id']).toBe(first.headers['x-webhook-id'])
    expect(second.raw).toBe(first.raw)
    const [before, after] = [first, second].map(({ headers }) => headers['x-webhook-timestamp'])
    expect(Number(after)).toBeGreaterThan(Number(before))
    for (const one of [first, second]) verify(one, webhook.signing_secret)
    await eventually(async () => {
      const { data } = await shop.get(`/merchant-webhooks/${webhook.id}/`)
      expect(data.failing_since).toBeNull()
    })
    await hurry(shop)
    await sleep(400)
    expect(receiver.received).toHaveLength(2)
  })

  it('delays nobody when it never answers: not the merchant’s other endpoint, not others', async () => {
    const [shop, neighbour] = [await app.shop(), await app.shop()]
    const dead = await receive(() => undefined)
    await register(shop, dead.url)
    const [own, others] = [await receive(), await receive()]
    await register(shop, own.url)
    await register(neighbour, others.url)
    const count = 10
    const pay = (who: Shop) =>
      Promise.all(Array.from({ length: count }, () => who.pay({ customer: newPayer() })))
    const began = Date.now()
    await Promise.all([pay(shop), pay(neighbour)])
    const machine_ms = Date.now() - began
    await eventually(async () => {
      for (const alive of [own, others]) expect(alive.received).toHaveLength(2 * count)
    })
    // The first try of the dead one has fifteen seconds: nobody has waited for that. What the
    // machine takes for the calls it may take once more for what follows from them.
    expect(Date.now() - began).toBeLessThan(14_000 + 2 * machine_ms)
    expect(dead.received.length).toBeGreaterThan(0)
  })
})

describe('the merchant decides', () => {
  it('hears nothing more after deletion, neither news nor what was waiting', async () => {
    const shop = await app.shop()
    const failing = await receive((response) => response.writeHead(500).end())
    const witness = await receive()
    const webhook = await register(shop, failing.url)
    await register(shop, witness.url)
    const { data } = await shop.pay({ customer: newPayer() })
    await receivedAll(witness, data.id, 'transaction.created', 'transaction.success')
    await eventually(async () => expect(failing.received).toHaveLength(2))
    expect((await shop.call('DELETE', `/merchant-webhooks/${webhook.id}/`)).status).toBe(204)
    expect((await shop.get(`/merchant-webhooks/${webhook.id}/`)).status).toBe(404)
    await hurry(shop)
    const next = await shop.pay({ customer: newPayer() })
    await receivedAll(witness, next.data.id, 'transaction.created', 'transaction.success')
    await sleep(500)
    expect(failing.received).toHaveLength(2)
  })

  it('hears only what it asked for, and a test that it asked for', async () => {
    const shop = await app.shop()
    const [some, all] = [await receive(), await receive()]
    const webhook = await register(shop, some.url, { events: ['transaction.failed'] })
    await register(shop, all.url)
    const [good, bad] = [
      await shop.pay({ customer: newPayer() }),
      await shop.pay({ customer: newPayer('03') }),
    ]
    await receivedAll(all, good.data.id, 'transaction.created', 'transaction.success')
    await receivedAll(some, bad.data.id, 'transaction.failed')
    expect(eventsOf(some, good.data.id)).toEqual([])
    const test = await shop.post(`/merchant-webhooks/${webhook.id}/test/`)
    expect(test.status).toBe(201)
    await eventually(async () => {
      const last = some.received.at(-1)
      expect(last?.body).toMatchObject({ id: test.data.id, event: 'webhook.test' })
    })
    // With the example of an event it is still a test, and no such event.
    const example = { event_type: 'transaction.success' }
    const shown = await shop.post(`/merchant-webhooks/${webhook.id}/test/`, example)
    expect(shown).toMatchObject({
      status: 201,
      data: { event_type: 'webhook.test', example_of: 'transaction.success' },
    })
    const { data: catalogue } = await shop.get('/merchant-webhook-events/?page_size=100')
    const known = catalogue.results.find((row: Json) => row.event_type === example.event_type)
    await eventually(async () => {
      const last = some.received.at(-1)
      expect(last?.body).toMatchObject({ id: shown.data.id, event: 'webhook.test' })
      expect(last?.body.data).toEqual({ webhook: webhook.id, ...example, example: known.example })
    })
    for (const one of some.received) verify(one, webhook.signing_secret)
    expect(all.received.map(({ body }) => body.event)).not.toContain('webhook.test')
  })
})
