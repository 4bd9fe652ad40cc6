// What each try of a delivery got can be read as long as the delivery itself: "the first got 503,
// the second was cut off, the third was accepted". What named a payer there is erased with them.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expiringKinds } from '../../src/app/retention.ts'
import { eraseLateTraces } from '../../src/erasure/late-traces.ts'
import { expireAll } from '../../src/platform/retention/expire.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { createEnds } from '../setup/ends.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { type Answer, startReceiver } from '../setup/webhook-receiver.ts'

let app: TestApp
let shop: Shop
const ends = createEnds()

beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  await ends.all()
  await app?.stop()
})
beforeEach(async () => {
  shop = await heldToPublished(await app.shop())
})

const busy: Answer = (response) => response.writeHead(503, { 'x-reason': 'stocktaking' }).end('no')
const cutOff: Answer = (response) => void response.destroy()
const accept: Answer = (response) => void response.end('thanks')

/** An endpoint that answers its first try in the first way, and so on; the last way stays. */
async function register(...ways: readonly Answer[]) {
  const receiver = await ends.keep(
    startReceiver((response, got, nth) => {
      ways[Math.min(nth, ways.length) - 1]?.(response, got, nth)
    }),
  )
  const { data } = await shop.post('/merchant-webhooks/', { url: receiver.url })
  return { receiver, webhook: data }
}

const test = async (webhook: Json): Promise<string> =>
  (await shop.post(`/merchant-webhooks/${webhook.id}/test/`)).data.webhook_log

const read = async (id: string): Promise<Json> => (await shop.get(`/webhook-logs/${id}/`)).data

/** The log, once so many tries of it are recorded. */
const tryOf = (id: string, attempt: number) =>
  eventually(async () => {
    const log = await read(id)
    expect(log.attempt).toBe(attempt)
    expect(log.tries.map((one: Json) => one.attempt).at(-1)).toBe(attempt)
    return log
  })

/** Makes the next try of all that waits due now. */
async function hurry() {
  const { merchant_id } = shop
  await app.owner`
    update deliveries set due_at = now() - interval '1 second'
     where merchant_id = ${merchant_id} and due_at is not null`
  await app.owner`
    update webhook_lanes set due_at = now() - interval '1 second', marks = marks + 1
     where merchant_id = ${merchant_id}`
}

const storedTries = async () => {
  const [row] = await app.owner<{ count: number }[]>`
    select count(*)::int as count from delivery_tries where merchant_id = ${shop.merchant_id}`
  return row?.count
}

describe('a delivery', () => {
  it('that is accepted at once has one try, and keeps no row of it', async () => {
    const { receiver, webhook } = await register(accept)
    const id = await test(webhook)
    const log = await tryOf(id, 1)
    expect(log.tries).toEqual([
      {
        attempt: 1,
        sent_at: log.sent_at,
        url: receiver.url,
        succeeded: true,
        http_status: 200,
        response_headers: expect.objectContaining({ connection: expect.any(String) }),
        response_body: 'thanks',
        took_ms: expect.any(Number),
      },
    ])
    expect(await storedTries()).toBe(0)
  })

  it('shows none before its first try', async () => {
    const { webhook } = await register(accept)
    const id = await test(webhook)
    await tryOf(id, 1)
    await app.owner`
      update deliveries
         set status = 'PENDING', attempt = 0, sent_at = null, due_at = now() + interval '1 day'
       where id = ${id}`
    expect((await read(id)).tries).toEqual([])
  })

  it('that was refused, cut off and accepted says so, the oldest first', async () => {
    const { receiver, webhook } = await register(busy, cutOff, accept)
    const id = await test(webhook)
    const first = await tryOf(id, 1)
    await hurry()
    const second = await tryOf(id, 2)
    await hurry()
    const third = await tryOf(id, 3)
    expect(third).toMatchObject({ status: 'SUCCESS', response_body: 'thanks' })
    expect(third.tries).toEqual([...first.tries, ...second.tries.slice(1), third.tries[2]])
    expect(third.tries).toMatchObject([
      { attempt: 1, succeeded: false, http_status: 503, response_body: 'no' },
      { attempt: 2, succeeded: false, http_status: null, response_headers: null },
      { attempt: 3, succeeded: true, http_status: 200, response_body: 'thanks' },
    ])
    expect(third.tries[0].response_headers).toMatchObject({ 'x-reason': 'stocktaking' })
    expect(third.tries[1].response_body).toMatch(/^\(no answer: \w+\)$/)
    const times = third.tries.map((one: Json) => one.sent_at)
    expect(times).toEqual([first.sent_at, second.sent_at, third.sent_at])
    expect(times).toEqual(times.toSorted())
    expect(receiver.received).toHaveLength(3)
    // The list stays what it was: one log, without its tries.
    const { data } = await shop.get(`/webhook-logs/?webhook=${webhook.id}`)
    expect(data.results).toHaveLength(1)
    expect(data.results[0]).not.toHaveProperty('tries')
  })

  it('sent again, also to another address, keeps the tries of before', async () => {
    const { receiver, webhook } = await register(accept, busy, accept)
    const id = await test(webhook)
    await tryOf(id, 1)
    const resent = await shop.post(`/webhook-logs/${id}/resend/`)
    expect(resent.data).toMatchObject({ status: 'PENDING', tries: [{ attempt: 1 }] })
    await tryOf(id, 2)
    await shop.call('PATCH', `/merchant-webhooks/${webhook.id}/`, {
      body: JSON.stringify({ url: `${receiver.url}/moved` }),
      headers: { 'content-type': 'application/json' },
    })
    await hurry()
    const log = await tryOf(id, 3)
    expect(log.tries).toMatchObject([
      { attempt: 1, succeeded: true, url: receiver.url },
      { attempt: 2, succeeded: false, url: receiver.url },
      { attempt: 3, succeeded: true, url: `${receiver.url}/moved` },
    ])
    expect(await storedTries()).toBe(2)
  })

  it('sent again by twenty at once shows each try once', async () => {
    const { receiver, webhook } = await register(accept)
    const id = await test(webhook)
    await tryOf(id, 1)
    await Promise.all(Array.from({ length: 20 }, () => shop.post(`/webhook-logs/${id}/resend/`)))
    const log = await eventually(async () => {
      const found = await read(id)
      expect([found.status, found.attempt]).toEqual(['SUCCESS', receiver.received.length])
      return found
    })
    expect(log.attempt).toBeGreaterThan(1)
    const numbers = log.tries.map((one: Json) => one.attempt)
    expect(numbers).toEqual(Array.from({ length: log.attempt }, (_, at) => at + 1))
  })

  it('with tries without end shows the newest hundred', async () => {
    const { webhook } = await register(accept)
    const id = await test(webhook)
    await tryOf(id, 1)
    await app.owner`update deliveries set attempt = 251 where id = ${id}`
    await app.owner`
      insert into delivery_tries (merchant_id, delivery_id, attempt, url, response_body, sent_at)
      select ${shop.merchant_id}, ${id}, n, 'https://shop.example.com/', '', now()
        from generate_series(1, 250) n`
    const numbers = (await read(id)).tries.map((one: Json) => one.attempt)
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, at) => 152 + at))
  })
})

describe('what an endpoint answered to an earlier try', () => {
  it('is erased with the payer whom it may name', async () => {
    const echo: Answer = (response, { raw }) =>
      response.writeHead(500, { 'x-told': encodeURIComponent(raw.slice(0, 500)) }).end(raw)
    const { webhook } = await register(echo, echo, accept)
    const customer = newPayer()
    const { data: payment } = await shop.pay({ customer })
    const { customer: customer_id } = await shop.becomes(payment.id, 'SUCCESS')
    await eventually(async () => {
      await hurry()
      const { data } = await shop.get(`/webhook-logs/?webhook=${webhook.id}&status=SUCCESS`)
      expect(data.results).toHaveLength(2)
    })
    const named = async () => {
      const rows = await app.owner<{ text: string }[]>`
        select t::text as text from delivery_tries t where merchant_id = ${shop.merchant_id}`
      return rows.map(({ text }) => text.includes(customer.phone.slice(1)))
    }
    expect(await named()).toContain(true)
    expect((await shop.call('DELETE', `/customers/${customer_id}/`)).status).toBe(204)
    const left = await named()
    expect(left.length).toBeGreaterThan(0)
    expect(left).not.toContain(true)
    const [log] = (await shop.get(`/webhook-logs/?transaction=${payment.id}`)).data.results
    const { tries } = await read(log.id)
    expect(tries.every((one: Json) => one.response_body === '')).toBe(true)
  })

  it('is erased, too, where the try was under way meanwhile', async () => {
    let answerNow: () => void = () => undefined
    const erased = new Promise<void>((go) => {
      answerNow = go
    })
    const echo: Answer = async (response, { raw, body }) => {
      if (body.event === 'transaction.success') await erased
      response.end(raw)
    }
    const { receiver } = await register(echo)
    const customer = newPayer()
    const { data: payment } = await shop.pay({ customer })
    const { customer: customer_id } = await shop.becomes(payment.id, 'SUCCESS')
    await eventually(async () => expect(receiver.received).toHaveLength(2))
    expect((await shop.call('DELETE', `/customers/${customer_id}/`)).status).toBe(204)
    answerNow()
    const isNamed = async () => {
      const [row] = await app.owner<{ status: string; text: string }[]>`
        select status, d::text as text from deliveries d
         where merchant_id = ${shop.merchant_id} and event_type = 'transaction.success'`
      expect(row?.status).toBe('SUCCESS')
      return row?.text.includes(customer.phone.slice(1))
    }
    expect(await eventually(isNamed)).toBe(true)
    await eraseLateTraces({ db: app.service.db, live_payer_days: 0 })
    expect(await isNamed()).toBe(false)
  })

  it('goes with the month of its delivery', async () => {
    const floor = (day: string) => {
      const hex = Date.parse(day).toString(16).padStart(12, '0')
      return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
    }
    for (const parent of ['deliveries', 'delivery_tries']) {
      await app.owner.unsafe(`
        create table ${parent}_202001 partition of ${parent}
          for values from ('${floor('2020-01-01')}') to ('${floor('2020-02-01')}')`)
      await app.owner.unsafe(`alter table ${parent}_202001 owner to pirogue_owner`)
    }
    const months = async () => {
      const rows = await app.owner<{ name: string }[]>`
        select relname as name from pg_class where relname ~ '^deliver.*_202001$' order by 1`
      return rows.map(({ name }) => name)
    }
    expect(await months()).toEqual(['deliveries_202001', 'delivery_tries_202001'])
    await eventually(async () => {
      await expireAll(app.service.db, expiringKinds(app.config.retention))
      expect(await months()).toEqual([])
    })
  })
})
