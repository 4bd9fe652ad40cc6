// Several processes on one database work as one (contract 7.2): what one begins the other may end,
// and nothing is done twice because there are two of them.

import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Service } from '../../src/app/start.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { openDb } from '../../src/platform/db.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Shop,
  shopWith,
  softpay,
  startApp,
  type TestApp,
} from '../harness.ts'
import { createEnds } from '../setup/ends.ts'
import { serveHttp } from '../setup/loopback.ts'
import { untilServed } from '../setup/until-served.ts'
import { type Receiver, startReceiver } from '../setup/webhook-receiver.ts'

let app: TestApp
let second: Service
const ends = createEnds()
/** How often each order was asked about, as the operator sees it. */
const counts = new Map<string, number>()

beforeAll(async () => {
  const operator = await ends.keep(
    serveHttp(async (request, response) => {
      const { method = 'GET', url = '/', headers } = request
      const reference = /^\/[ab]\/collections\/([^/]+)$/.exec(url)?.[1]
      if (method === 'GET' && reference !== undefined) {
        counts.set(reference, (counts.get(reference) ?? 0) + 1)
      }
      const { authorization = '', 'content-type': type = 'application/json' } = headers
      const body = method === 'GET' ? {} : { body: await buffer(request) }
      const passed = { method, headers: { authorization, 'content-type': type }, ...body }
      const reply = await fetch(app.simulator.url + url, passed)
      const content = { 'content-type': reply.headers.get('content-type') ?? 'text/plain' }
      response.writeHead(reply.status, content).end(Buffer.from(await reply.arrayBuffer()))
    }),
  )
  app = await startApp({ env: { SIMULATOR_URL: operator.url } })
  second = await app.another()
})
afterAll(async () => {
  await ends.all()
  await app?.stop()
})

const at = (service: Pick<Service, 'public_url'>, shop: Shop) =>
  shopWith(service.public_url, shop.merchant_id, shop.key)

/** Answers slowly and unevenly, so that both workers have work at the same time. */
const receive = (status: (nth: number) => number = () => 200): Promise<Receiver> =>
  ends.keep(
    startReceiver(async (response, _got, nth) => {
      await sleep(Math.random() * 60)
      response.writeHead(status(nth)).end()
    }),
  )

const timesOf = (received: Receiver['received']) => {
  const times = new Map<string, number>()
  for (const { body } of received) times.set(body.id, (times.get(body.id) ?? 0) + 1)
  return [...times.values()]
}

const payAt = (clients: readonly Shop[], count: number) =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const reply = await (clients[n % clients.length] as Shop).pay({ customer: newPayer() })
      expect(reply.status, JSON.stringify(reply.body)).toBe(201)
      return String(reply.data.id)
    }),
  )

describe('two processes', () => {
  it('deliver each event of 60 payments to each of two endpoints once', async () => {
    const shop = await app.shop()
    const receivers = [await receive(), await receive()]
    for (const { url } of receivers) {
      expect((await shop.post('/merchant-webhooks/', { url })).status).toBe(201)
    }
    const ids = await payAt([shop, at(second, shop)], 60)
    await eventually(async () => {
      for (const { received } of receivers) {
        const successes = received.filter(({ body }) => body.event === 'transaction.success')
        expect(new Set(successes.map((one) => one.body.data.id)).size).toBe(ids.length)
      }
    })
    await sleep(500)
    for (const { received } of receivers) expect(timesOf(received)).toEqual(Array(120).fill(1))
    const feeds = await app.owner`
      select count(*)::int as events, max(seq)::int as last, count(distinct seq)::int as places
        from events where merchant_id = ${shop.merchant_id}`
    expect(feeds).toEqual([{ events: 120, last: 120, places: 120 }])
    expect(await shop.balance()).toMatchObject({ available_amount: '300000.00' })
  })

  it('make each further try once, too', async () => {
    const shop = await app.shop()
    const { url, received } = await receive((nth) => (nth <= 20 ? 500 : 200))
    const events = ['transaction.created']
    await shop.post('/merchant-webhooks/', { url, events })
    await payAt([shop, at(second, shop)], 20)
    const { merchant_id } = shop
    await eventually(async () => {
      const rows = await app.owner`
        select count(*)::int as failed from deliveries
         where merchant_id = ${merchant_id} and status = 'FAILED' and attempt = 1`
      expect(rows).toEqual([{ failed: 20 }])
    })
    await app.owner`update deliveries set due_at = now() - interval '1 s' where merchant_id = ${merchant_id}`
    await app.owner`update webhook_lanes set due_at = now() - interval '1 s' where merchant_id = ${merchant_id}`
    await eventually(async () => expect(received).toHaveLength(40))
    await sleep(500)
    expect(timesOf(received)).toEqual(Array(20).fill(2))
  })

  it('ask the operator once about each payment that is due', async () => {
    const shop = await app.shop()
    const clients = [shop, at(second, shop)]
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        (clients[n % 2] as Shop).pay({ customer: newPayer('04') }),
      ),
    )
    const ids = replies.map((reply) => reply.data.id)
    for (let round = 1; round <= 3; round += 1) {
      counts.clear()
      await app.owner`
        update attempts
           set due_at = now() - interval '1 second', asked_at = null, asks = ${round - 1}
         where transaction_id = any(${ids}::uuid[])`
      await eventually(async () => {
        const rows = await app.owner`
          select min(asks)::int as least, max(asks)::int as most from attempts
           where transaction_id = any(${ids}::uuid[])`
        expect(rows).toEqual([{ least: round, most: round }])
      })
      // The right to ask is taken first, the question follows: over a slow machine, later.
      await eventually(async () => expect(counts.size).toBe(30))
      await sleep(400)
      expect([...counts.values()]).toEqual(Array(30).fill(1))
    }
  })

  it('answer one key with the same bytes, whichever is asked', async () => {
    const shop = await app.shop()
    const urls = [app.url, second.public_url]
    const body = JSON.stringify(softpay({ customer: newPayer() }))
    const call = async (url: string) => {
      const reply = await fetch(`${url}/api/v1/payments/softpay/`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${shop.key}`,
          'content-type': 'application/json',
          'idempotency-key': 'same-bytes',
        },
        body,
      })
      const bytes = Buffer.from(await reply.arrayBuffer()).toString('base64')
      return { status: reply.status, bytes, replayed: reply.headers.get('idempotent-replayed') }
    }
    const at_once = await Promise.all(
      Array.from({ length: 20 }, (_, n) => untilServed(() => call(urls[n % 2] ?? ''))),
    )
    const done = at_once.filter(({ status }) => status === 201)
    expect(done.filter(({ replayed }) => replayed === null)).toHaveLength(1)
    expect(at_once.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
    for (const url of urls) {
      expect(await call(url)).toEqual({ status: 201, bytes: done[0]?.bytes, replayed: 'true' })
    }
    const { data } = await shop.get('/transactions/')
    expect(data.results).toHaveLength(1)
  })

  it('see a payment begun by the other at once, and can end it', async () => {
    const shop = await app.shop()
    const other = at(second, shop)
    const { data } = await shop.pay({ customer: newPayer('04') })
    expect((await other.get(`/payments/${data.id}/verify/`)).data.status).toBe('PENDING')
    const resolve = `/sandbox/transactions/${data.id}/resolve/`
    const resolved = await other.post(resolve, { outcome: 'SUCCESS' })
    expect(resolved.data).toMatchObject({ id: data.id, status: 'SUCCESS' })
    expect((await shop.get(`/transactions/${data.id}/`)).data.status).toBe('SUCCESS')
    expect(await other.balance()).toEqual(await shop.balance())
  })

  it('lose nothing and double nothing when one of them stops in the middle', async () => {
    const shop = await app.shop()
    const { url, received } = await receive()
    await shop.post('/merchant-webhooks/', { url })
    const third = await app.another()
    const paying = payAt([shop, at(third, shop)], 40)
    const ids = await paying
    await third.stop()
    for (const id of ids) await shop.becomes(id, 'SUCCESS', 20_000)
    await eventually(async () => {
      const successes = received.filter(({ body }) => body.event === 'transaction.success')
      expect(new Set(successes.map((one) => one.body.data.id))).toEqual(new Set(ids))
    })
    await sleep(500)
    expect(timesOf(received)).toEqual(Array(80).fill(1))
    expect(await shop.balance()).toEqual({ available_amount: '200000.00', pending_amount: '0.00' })
  })

  it('leave books that balance', async () => {
    const options = { connections_max: 1, durable: true, application_name: 'audit' }
    const db = openDb({ ...app.database.options, ...options })
    try {
      expect((await verifyLedger(db)).filter((check) => !check.ok)).toEqual([])
    } finally {
      await db.end()
    }
  })
})

describe('an API process and a worker process', () => {
  it('are one service: what the one takes in, the other numbers and tells at once', async () => {
    const api = await app.another({ ROLE: 'api' })
    const shop = await app.shop()
    const { url, received } = await receive()
    await shop.post('/merchant-webhooks/', { url })
    const { data } = await at(api, shop).pay({ customer: newPayer() })
    await eventually(async () => {
      const events = received.filter(({ body }) => body.data.id === data.id)
      expect(events.map(({ body }) => body.event).toSorted()).toEqual([
        'transaction.created',
        'transaction.success',
      ])
    })
    const ready: Json = await (await fetch(`${api.public_url}/readyz`)).json()
    expect(ready).toMatchObject({ status: 'ready', worker: 'ok' })
  })
})

describe('a process whose clock is wrong', () => {
  const true_now = Date.now
  const off = (minutes: number) =>
    vi.spyOn(Date, 'now').mockImplementation(() => true_now() + minutes * 60_000)

  it.each([
    [6, /clock is 6 minutes ahead of the database/],
    [-90, /clock is 90 minutes behind the database/],
  ])('does not start: by %i minutes', async (minutes, message) => {
    const clock = off(minutes)
    try {
      await expect(app.another({ ROLE: 'api' })).rejects.toThrow(message)
    } finally {
      clock.mockRestore()
    }
  })

  it('is not ready once it is, and says so; a few minutes are none', async () => {
    const api = await app.another({ ROLE: 'api' })
    const clock = off(4)
    try {
      expect((await fetch(`${api.public_url}/readyz`)).status).toBe(200)
      clock.mockImplementation(() => true_now() + 7 * 60_000)
      const reply = await fetch(`${api.public_url}/readyz`)
      expect(reply.status).toBe(503)
      expect(await reply.json()).toMatchObject({ database: 'ok', clock: 'wrong' })
      const metrics = await (await fetch(`${api.public_url}/metrics`)).text()
      const [, ahead] = /^pirogue_clock_ahead_seconds ([\d.]+)$/m.exec(metrics) ?? []
      expect(Math.round(Number(ahead))).toBe(420)
    } finally {
      clock.mockRestore()
    }
    expect((await fetch(`${api.public_url}/readyz`)).status).toBe(200)
  })
})
