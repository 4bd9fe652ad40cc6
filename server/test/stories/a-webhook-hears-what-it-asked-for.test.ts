// Of which events an endpoint hears (contract 6.5): its subscriptions, its payment link, and the
// catalogue that says what there is.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventTypes } from '../../src/events/event.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { createEnds } from '../setup/ends.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { callPublic, paymentBody } from '../setup/payer-calls.ts'
import { paidPayment, refund, refundEnds, refundingShop } from '../setup/refunds.ts'
import { untilServed } from '../setup/until-served.ts'
import { type Receiver, startReceiver } from '../setup/webhook-receiver.ts'

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
  shop = await heldToPublished(await app.shop({ live: true }))
})

const receive = (): Promise<Receiver> => ends.keep(startReceiver())

async function register(url: string, more: object = {}): Promise<string> {
  const reply = await shop.post('/merchant-webhooks/', { url, ...more })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.data.id
}

const path = '/merchant-webhook-subscriptions/'
const subscribe = (webhook: unknown, event_type: unknown) =>
  shop.post(path, { webhook, event_type })
const eventsOf = ({ received }: Receiver) => received.map(({ body }) => body.event).sort()
const codeOf = ({ status, error }: { status: number; error: Json }) => [status, error?.code]
const listed = async (query = ''): Promise<Json[]> => (await shop.get(path + query)).data.results

describe('a subscription', () => {
  it('narrows a webhook to its events, and without the last one it hears of all again', async () => {
    const receiver = await receive()
    const webhook = await register(receiver.url)
    const made = await subscribe(webhook, 'transaction.failed')
    expect(made).toMatchObject({
      status: 201,
      data: { id: expect.any(String), webhook, event_type: 'transaction.failed' },
    })
    expect((await shop.get(`/merchant-webhooks/${webhook}/`)).data.events).toEqual([
      'transaction.failed',
    ])
    await shop.pay({ customer: newPayer('03') })
    await eventually(async () => expect(eventsOf(receiver)).toEqual(['transaction.failed']))
    expect((await shop.call('DELETE', `${path}${made.data.id}/`)).status).toBe(204)
    expect((await shop.get(`${path}${made.data.id}/`)).status).toBe(404)
    expect((await shop.get(`/merchant-webhooks/${webhook}/`)).data.events).toEqual([])
    await shop.pay({ customer: newPayer('03') })
    await eventually(async () =>
      expect(eventsOf(receiver)).toEqual([
        'transaction.created',
        'transaction.failed',
        'transaction.failed',
      ]),
    )
  })

  it('is made by `events` at creation, listed with filters, read by its id', async () => {
    const url = 'https://hooks.example.com/x'
    const one = await register(url, { events: ['transaction.success', 'settlement.failed'] })
    const two = await register(url, { events: ['transaction.success'] })
    expect(await listed()).toHaveLength(3)
    expect(await listed(`?webhook=${one}`)).toHaveLength(2)
    expect(await listed('?event_type=transaction.success')).toHaveLength(2)
    expect(await listed('?search=Settlement')).toHaveLength(1)
    const [found] = await listed(`?webhook=${two}&event_type=transaction.success`)
    expect((await shop.get(`${path}${found.id}/`)).data).toEqual(found)
    expect((await listed('?ordering=event_type'))[0].event_type).toBe('settlement.failed')
    await shop.call('DELETE', `/merchant-webhooks/${one}/`)
    expect(await listed()).toEqual([found])
  })

  it('is there once, however often it is asked for at once', async () => {
    const webhook = await register('https://hooks.example.com/x')
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => untilServed(() => subscribe(webhook, 'transaction.failed'))),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    const refused = replies.filter(({ status }) => status !== 201)
    expect(new Set(refused.map((reply) => codeOf(reply).join()))).toEqual(
      new Set(['409,already_subscribed']),
    )
    expect(await listed()).toHaveLength(1)
  })

  it('of nothing, of an unknown event or of a webhook that is not theirs is refused by field', async () => {
    const stranger = await app.shop()
    const url = 'https://hooks.example.com/x'
    const { data: theirs } = await stranger.post('/merchant-webhooks/', { url })
    const fieldsOf = async (webhook: unknown, event_type: unknown) => {
      const { status, error } = await subscribe(webhook, event_type)
      return status === 400 ? Object.keys(error).sort() : status
    }
    expect(await fieldsOf(undefined, undefined)).toEqual(['event_type', 'webhook'])
    expect(await fieldsOf('x', 'payment.done')).toEqual(['event_type', 'webhook'])
    expect(await fieldsOf(theirs.id, 'transaction.failed')).toEqual(['webhook'])
    expect(await fieldsOf(shop.merchant_id, 'transaction.failed')).toEqual(['webhook'])
    const { data: own } = await stranger.post(path, {
      webhook: theirs.id,
      event_type: 'transaction.failed',
    })
    for (const method of ['GET', 'DELETE']) {
      const ask = (id: string) => shop.call(method, `${path}${id}/`)
      expect(codeOf(await ask(own.id))).toEqual([403, 'permission_denied'])
      expect(codeOf(await ask(shop.merchant_id))).toEqual([404, 'not_found'])
      expect(codeOf(await ask('nonsense'))).toEqual([404, 'not_found'])
    }
    expect((await shop.get(`${path}?webhook=x&event_type=y&ordering=z`)).status).toBe(400)
    expect((await shop.get(`${path}?page=7`)).status).toBe(404)
  })

  it('made and ended leaves its lines in the audit log', async () => {
    const owner = await app.member({ merchant_id: shop.merchant_id, second_factor: 'FRESH' })
    const webhook = await register('https://hooks.example.com/x')
    const { data } = await subscribe(webhook, 'transaction.failed')
    await shop.call('DELETE', `${path}${data.id}/`)
    const lines = await owner.get(`/audit-logs/?target_id=${webhook}`)
    expect(lines.data.results.slice(0, 2)).toMatchObject([
      { action: 'webhook.unsubscribed', after: { event_type: 'transaction.failed' } },
      { action: 'webhook.subscribed', after: { event_type: 'transaction.failed' } },
    ])
  })
})

describe('the catalogue', () => {
  it('has every event, in both languages, with the fields that the event really has', async () => {
    const reply = await shop.get('/merchant-webhook-events/?page_size=100', {
      'accept-language': 'fr',
    })
    expect(reply.data.count).toBe(eventTypes.length)
    const byType = new Map<string, Json>(
      reply.data.results.map((row: Json) => [row.event_type, row]),
    )
    expect([...byType.keys()]).toEqual([...eventTypes])
    for (const row of byType.values()) {
      expect(row.description).toBe(row.descriptions.fr)
      expect(row.descriptions.en).not.toBe('')
      expect(Object.keys(row.example).length).toBeGreaterThan(0)
    }
    const receiver = await receive()
    const webhook = await register(receiver.url)
    await shop.pay({ customer: newPayer() })
    await shop.pay({ customer: newPayer('03') })
    const { data: session } = await shop.post('/checkout-sessions/', {
      amount: '5000',
      currency: 'XOF',
      customer_email: 'awa@example.com',
      customer_name: 'Awa Diop',
    })
    await shop.post(`/checkout-sessions/${session.id}/cancel/`)
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
    await shop.post('/wallet-transfers/', {
      from_country: 'BJ',
      to_country: 'CI',
      from_amount: '1000',
    })
    await shop.post(`/merchant-webhooks/${webhook}/test/`)
    const wanted = [
      ...['transaction.created', 'transaction.success', 'transaction.failed', 'webhook.test'],
      ...['checkout_session.cancelled', 'wallet_transfer.requested'],
    ]
    await eventually(async () => expect(eventsOf(receiver)).toEqual(expect.arrayContaining(wanted)))
    for (const { body } of receiver.received) {
      const fields = Object.keys(body.data).sort()
      expect(fields).toEqual(Object.keys(byType.get(body.event).example).sort())
    }
  })
})

describe('a webhook of a payment link', () => {
  it('hears of that link’s payments and of nothing else', async () => {
    const link = async () =>
      (
        await shop.post('/payment-links/', {
          name: 'Tontine',
          currency: 'XOF',
          amount_type: 'FIXED',
          amount: '1000',
        })
      ).data
    const [own, other] = [await link(), await link()]
    const [receiver, witness] = [await receive(), await receive()]
    const webhook = await register(receiver.url, { payment_link: own.id })
    await register(witness.url)
    const { data: made } = await shop.get(`/merchant-webhooks/${webhook}/`)
    expect(made.payment_link).toBe(own.id)
    for (const { slug } of [own, other]) {
      const opened = await callPublic(app, 'POST', `/payment-links/public/${slug}/checkout/`, {
        customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
      })
      const session: string = opened.data.slug
      await callPublic(app, 'POST', `/checkout/${session}/pay/`, paymentBody())
    }
    await shop.pay({ customer: newPayer() })
    await eventually(async () => {
      const paid = witness.received.filter(({ body }) => body.event === 'checkout_session.paid')
      expect(paid).toHaveLength(2)
      expect(witness.received).toHaveLength(8)
    })
    await eventually(async () =>
      expect(eventsOf(receiver)).toEqual([
        'checkout_session.paid',
        'transaction.created',
        'transaction.success',
      ]),
    )
    for (const { body } of receiver.received) expect(body.data.payment_link).toBe(own.id)
  })

  it('hears of the refunds of that link’s payments too', async () => {
    shop = await heldToPublished(await refundingShop(app))
    const terms = { name: 'Tontine', currency: 'XOF', amount_type: 'FIXED', amount: '1000' }
    const { data: link } = await shop.post('/payment-links/', terms)
    const receiver = await receive()
    const events = ['refund.created', 'refund.success', 'transaction.refunded']
    await register(receiver.url, { payment_link: link.id, events })
    const opened = await callPublic(app, 'POST', `/payment-links/public/${link.slug}/checkout/`, {
      customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
    })
    await callPublic(app, 'POST', `/checkout/${opened.data.slug}/pay/`, paymentBody())
    const own = await eventually(async () => {
      const { data } = await shop.get(`/transactions/?payment_link=${link.id}&status=SUCCESS`)
      expect(data.results).toHaveLength(1)
      return data.results[0]
    })
    for (const payment of [await paidPayment(shop), own]) {
      const made = await refund(shop, payment)
      expect(made.status, JSON.stringify(made.body)).toBe(201)
      await refundEnds(shop, made.data.id, 'SUCCESS')
    }
    await eventually(async () => expect(eventsOf(receiver)).toEqual(events))
    for (const { body } of receiver.received) {
      expect(body.data.payment_link).toBe(link.id)
      expect(body.data.payment_id ?? body.data.id).toBe(own.id)
    }
  })

  it('is given one, another or none later on, and only a link of its own merchant', async () => {
    const link = async (who: Shop) =>
      (await who.post('/payment-links/', { name: 'Tontine', currency: 'XOF', amount: '1000' })).data
    const [own, theirs] = [await link(shop), await link(await app.shop())]
    const live = await app.shop({ merchant_id: shop.merchant_id, environment: 'LIVE' })
    const elsewhere = await link(live)
    const receiver = await receive()
    const webhook = await register(receiver.url)
    const change = (payment_link: unknown) =>
      shop.call('PATCH', `/merchant-webhooks/${webhook}/`, {
        body: JSON.stringify({ payment_link }),
        headers: { 'content-type': 'application/json' },
      })
    for (const wrong of [theirs.id, elsewhere.id, shop.merchant_id, 'x', '']) {
      const { status, error } = await change(wrong)
      expect([status, Object.keys(error)]).toEqual([400, ['payment_link']])
    }
    expect(await change(own.id)).toMatchObject({ status: 200, data: { payment_link: own.id } })
    await shop.pay({ customer: newPayer('03') })
    // An event is for whoever hears of it when it gets its number.
    await eventually(async () => expect((await shop.get('/events/')).data.results).toHaveLength(2))
    expect((await change(undefined)).data.payment_link).toBe(own.id)
    expect(await change(null)).toMatchObject({ status: 200, data: { payment_link: null } })
    const { data: heard } = await shop.pay({ customer: newPayer('03') })
    await eventually(async () => expect(receiver.received).toHaveLength(2))
    expect(receiver.received.every(({ body }) => body.data.id === heard.id)).toBe(true)
  })

  it('cannot be that of another merchant’s link, of an unknown or a deleted one', async () => {
    const stranger = await app.shop()
    const linkOf = async (by: Shop) =>
      (await by.post('/payment-links/', { name: 'Tontine', currency: 'XOF' })).data.id
    const deleted = await linkOf(shop)
    await shop.call('DELETE', `/payment-links/${deleted}/`)
    for (const payment_link of [await linkOf(stranger), shop.merchant_id, deleted]) {
      const url = 'https://hooks.example.com/x'
      const reply = await shop.post('/merchant-webhooks/', { url, payment_link })
      expect([reply.status, Object.keys(reply.error)]).toEqual([400, ['payment_link']])
    }
  })
})
