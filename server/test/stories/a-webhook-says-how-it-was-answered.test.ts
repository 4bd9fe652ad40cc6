// A developer sees how an endpoint has answered lately: what became of its deliveries, how long its
// answers took, and in which hour; nothing of other endpoints, merchants or modes.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/platform/ids.ts'
import { listCounted } from '../../src/webhooks/stats/store.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { createEnds } from '../setup/ends.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { type Receiver, startReceiver } from '../setup/webhook-receiver.ts'

let app: TestApp
let shop: Shop
let receiver: Receiver
const ends = createEnds()
const hour_ms = 3_600_000

beforeAll(async () => {
  app = await startApp()
  shop = await heldToPublished(await app.shop())
  receiver = await ends.keep(startReceiver())
})
afterAll(async () => {
  await ends.all()
  await app?.stop()
})

const statsOf = (id: string, query = '', of: Shop = shop) =>
  of.get(`/merchant-webhooks/${id}/stats/${query}`)
const hook = async (events: string[]): Promise<string> => {
  const { data } = await shop.post('/merchant-webhooks/', { url: receiver.url, events })
  return data.id
}

type Made = Readonly<{
  at: Date
  status?: string
  attempt?: number
  took_ms?: number
  http_status?: number | null
  type?: string
}>

/** A delivery of the past, as a worker left it. */
async function deliver(webhook_id: string, made: Made): Promise<void> {
  const {
    at,
    status = 'SUCCESS',
    attempt = 1,
    took_ms = null,
    type = 'checkout_session.paid',
  } = made
  const isOpen = status === 'PENDING' || status === 'FAILED'
  await app.owner`
    insert into deliveries (merchant_id, id, environment, webhook_id, event_id, event_type, url,
      status, attempt, due_at, http_status, sent_at, exhausted_at, took_ms, created_at)
    values (${shop.merchant_id}, ${newId()}, 'SANDBOX', ${webhook_id}, ${newId()}, ${type},
      ${receiver.url}, ${status}, ${attempt}, ${isOpen ? new Date(Date.now() + hour_ms) : null},
      ${made.http_status ?? null}, ${at}, ${status === 'EXHAUSTED' ? at : null}, ${took_ms}, ${at})`
}

describe('an endpoint', () => {
  it('tells what became of a real delivery, and how long the answer took', async () => {
    const id = await hook(['transaction.success'])
    const made = await shop.pay({ customer: newPayer() })
    await shop.becomes(made.data.id, 'SUCCESS')
    await eventually(async () => {
      const { status, data } = await statsOf(id)
      expect(status).toBe(200)
      expect(data).toMatchObject({ webhook: id, deliveries: 1, tries: 1, succeeded: 1, failed: 0 })
      expect(data.answer_ms_p50).toBeGreaterThanOrEqual(0)
      expect(data.answer_ms_p95).toBe(data.answer_ms_p50)
      const times = [data.from, data.counted_from, data.to].map((text) => Date.parse(text))
      expect(times[1]).toBe(times[0])
      expect((times[2] ?? 0) - (times[0] ?? 0)).toBe(24 * hour_ms)
      const busy = data.hours.filter(({ deliveries }: Json) => deliveries > 0)
      expect([data.hours.length, busy.length, busy[0].height]).toEqual([25, 1, 100])
    })
  })

  it('counts each delivery in the hour it was made in, whatever became of it', async () => {
    const id = await hook(['checkout_session.paid'])
    const first = new Date(Date.UTC(2026, 9, 5, 10, 0))
    const second = new Date(first.getTime() + 1.5 * hour_ms)
    for (const took_ms of [10, 20, 30, 40]) {
      await deliver(id, { at: first, took_ms, http_status: 200 })
    }
    await deliver(id, { at: second, status: 'FAILED', attempt: 3, took_ms: 900, http_status: 503 })
    // Nobody answered: its time is no time of an answer.
    await deliver(id, { at: second, status: 'EXHAUSTED', attempt: 9, took_ms: 20_000 })
    await deliver(id, { at: second, status: 'PENDING', attempt: 0 })
    await deliver(id, { at: new Date(first.getTime() - 1), took_ms: 1, http_status: 200 })
    const period = 'created_at__gte=2026-10-05T10:00:00Z&created_at__lte=2026-10-05T12:59:59Z'
    const { data } = await statsOf(id, `?${period}`)
    const { hours, ...whole } = data
    expect(whole).toEqual({
      ...{ webhook: id, from: '2026-10-05T10:00:00.000Z', to: '2026-10-05T12:59:59.000Z' },
      ...{ counted_from: '2026-10-05T10:00:00.000Z', deliveries: 7, tries: 16, succeeded: 4 },
      ...{ failed: 1, exhausted: 1, waiting: 1, answer_ms_p50: 30, answer_ms_p95: 900 },
    })
    expect(hours.map((one: Json) => [one.from, one.deliveries, one.tries, one.height])).toEqual([
      ['2026-10-05T10:00:00.000Z', 4, 4, 100],
      ['2026-10-05T11:00:00.000Z', 3, 12, 75],
      ['2026-10-05T12:00:00.000Z', 0, 0, 0],
    ])
    expect(hours.map((one: Json) => one.answer_ms_p50)).toEqual([20, 900, null])
  })

  it('counts the newest where there are very many, and says from when', async () => {
    const id = await hook(['checkout_session.paid', 'transaction.success'])
    const at = (minute: number) => new Date(Date.UTC(2026, 9, 6, 10, minute))
    for (const minute of [1, 2, 3, 4]) await deliver(id, { at: at(minute) })
    await deliver(id, { at: at(1), type: 'transaction.success' })
    await deliver(id, { at: at(4), type: 'transaction.success' })
    const key = { merchant_id: shop.merchant_id, webhook_id: id }
    const lines = await listCounted(app.service.db, key, { from: at(0), to: at(9) }, 3)
    const whole = lines.find(({ hour }) => hour === null)
    expect([whole?.cut_at, whole?.deliveries]).toEqual([at(2), 3])
  })

  it('says so where nothing was delivered', async () => {
    const { data } = await statsOf(await hook(['checkout_session.paid']))
    expect(data).toMatchObject({ deliveries: 0, tries: 0, answer_ms_p50: null })
    expect(data.hours.every(({ height }: Json) => height === 0)).toBe(true)
  })

  it('is asked about the first and the last day of the calendar', async () => {
    const id = await hook(['webhook.test'])
    const { status, data } = await statsOf(id, '?created_at__lte=0001-01-01')
    expect([status, data.from]).toEqual([200, '0001-01-01T00:00:00.000Z'])
    expect((await statsOf(id, '?created_at__lte=9999-12-31T23:59:59Z')).status).toBe(200)
  })

  it('is the merchant’s own, in its own mode', async () => {
    const id = await hook(['checkout_session.paid'])
    const stranger = await app.shop()
    expect((await statsOf(id, '', stranger)).status).toBe(403)
    expect((await statsOf(newId())).status).toBe(404)
  })
})
