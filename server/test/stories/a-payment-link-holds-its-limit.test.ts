// A link is paid by as many as it allows and no more, whoever pays at the same moment; slots go back
// when payments fail; and what its merchant does to it ends nothing that is under way.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { eventually, type Json, type Shop, startApp, type TestApp } from '../harness.ts'
import { BrowserWithoutScript } from '../setup/browser-without-script.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { callPublic, paymentBody } from '../setup/payer-calls.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await heldToPublished(await app.shop())
})
afterAll(async () => {
  const checks = await verifyLedger(app.service.db)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  await app.stop()
})

async function make(changes: Record<string, unknown> = {}): Promise<Json> {
  const body = { name: 'Tontine', currency: 'xof', amount: '1000', ...changes }
  const { status, data, body: whole } = await shop.post('/payment-links/', body)
  expect(status, JSON.stringify(whole)).toBe(201)
  return data
}

const send = (method: string, id: string, body: unknown) =>
  shop.call(method, `/payment-links/${id}/`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

const customer = { email: 'kofi@example.com', first_name: 'Kofi', last_name: 'Mensah' }
const checkout = (slug: string, body: Record<string, unknown> = {}) =>
  callPublic(app, 'POST', `/payment-links/public/${slug}/checkout/`, { customer, ...body })
const look = (slug: string) => callPublic(app, 'GET', `/payment-links/public/${slug}/`)
const pay = (slug: string, magic = '10') =>
  callPublic(app, 'POST', `/checkout/${slug}/pay/`, paymentBody(magic))
const slots = async (id: string) => {
  const [row] = await app.owner`
    select usage_count, reserved from payment_links where id = ${id}`
  return row
}

describe('usage_limit', () => {
  it('lets five of twenty pay at the same moment', async () => {
    const link = await make({ usage_limit: 5 })
    const sessions = await Promise.all(
      Array.from({ length: 20 }, () => untilServed(() => checkout(link.slug))),
    )
    expect(new Set(sessions.map(({ status }) => status))).toEqual(new Set([201]))
    const paid = await Promise.all(sessions.map(({ data }) => untilServed(() => pay(data.slug))))
    expect(paid.filter(({ status }) => status === 201)).toHaveLength(5)
    for (const { status, error } of paid.filter((one) => one.status !== 201)) {
      expect([status, error.code]).toEqual([410, 'payment_link_exhausted'])
    }
    await eventually(async () =>
      expect(await slots(link.id)).toEqual({ usage_count: 5, reserved: 0 }),
    )
    expect((await look(link.slug)).error.code).toBe('payment_link_exhausted')
    expect((await shop.get(`/payment-links/${link.id}/`)).data.usage_count).toBe(5)
    const list = await shop.get(`/payment-links/${link.id}/transactions/`)
    expect(list.data).toMatchObject({ count: 5, next: null, previous: null })
    expect(list.data.results[0].payment_link).toBe(link.id)
  })

  it('gets its slot back from a payment that failed', async () => {
    const link = await make({ usage_limit: 1 })
    const [one, two] = [await checkout(link.slug), await checkout(link.slug)]
    const first = await pay(one.data.slug, '04')
    expect(await slots(link.id)).toEqual({ usage_count: 0, reserved: 1 })
    expect((await pay(two.data.slug)).error.code).toBe('payment_link_exhausted')
    const { transaction_id } = first.data
    await shop.post(`/sandbox/transactions/${transaction_id}/resolve/`, { outcome: 'FAILED' })
    await eventually(async () =>
      expect(await slots(link.id)).toEqual({ usage_count: 0, reserved: 0 }),
    )
    expect((await pay(two.data.slug)).status).toBe(201)
    await eventually(async () =>
      expect(await slots(link.id)).toEqual({ usage_count: 1, reserved: 0 }),
    )
    // The merchant tries the failed one again: its slot is taken now.
    const retry = await shop.post(`/payments/${transaction_id}/retry/`, {})
    expect([retry.status, retry.error.code]).toEqual([410, 'payment_link_exhausted'])
  })
})

describe('what a link asks', () => {
  it('is its own sum, or the payer’s from a floor on', async () => {
    const free = await make({ amount_type: 'FREE', amount: null, min_amount: '500' })
    const fields = async (body: Record<string, unknown>) => {
      const { status, error } = await checkout(free.slug, body)
      return [status, Object.keys(error ?? {})]
    }
    expect(await fields({})).toEqual([400, ['amount']])
    expect(await fields({ amount: '499' })).toEqual([400, ['amount']])
    expect(await fields({ amount: '500.50' })).toEqual([400, ['amount']])
    const both = await fields({ amount: 'x', customer: { ...customer, email: 'x' } })
    expect(both).toEqual([400, ['amount', 'customer.email']])
    const { data } = await checkout(free.slug, { amount: '700' })
    const seen = await callPublic(app, 'GET', `/checkout/${data.slug}/`)
    expect(seen.data).toMatchObject({ amount: '700.00', currency: 'XOF' })

    const fixed = await make()
    const session = await checkout(fixed.slug, { amount: '1' })
    const shown = await callPublic(app, 'GET', `/checkout/${session.data.slug}/`)
    expect(shown.data.amount).toBe('1000.00')

    const bare = await make({ amount: null })
    for (const reply of [await look(bare.slug), await checkout(bare.slug)]) {
      expect([reply.status, reply.error.code]).toEqual([422, 'payment_link_incomplete'])
    }
  })
})

describe('what its merchant does', () => {
  it('PATCH changes what is named, PUT needs every field, merchant and counts never change', async () => {
    const link = await make({ usage_limit: 3, description: 'Old' })
    const stolen = { merchant: '01981f3a-0000-7000-8000-000000000001', usage_count: 99, slug: 'x' }
    const unsaid = { description: null, is_active: null, currency: null }
    const patched = await send('PATCH', link.id, { usage_limit: null, ...unsaid, ...stolen })
    expect(patched).toMatchObject({ status: 200 })
    expect(patched.data).toMatchObject({
      usage_limit: null,
      description: 'Old',
      is_active: true,
      currency: 'XOF',
      merchant: shop.merchant_id,
      usage_count: 0,
      slug: link.slug,
    })
    const put = await send('PUT', link.id, { name: 'New' })
    expect(put.status).toBe(400)
    expect(Object.keys(put.error).toSorted()).toEqual([
      'amount',
      'amount_type',
      'currency',
      'description',
      'expires_at',
      'is_active',
      'min_amount',
      'usage_limit',
    ])
    const whole = {
      name: 'New',
      description: '',
      amount_type: 'FREE',
      amount: null,
      min_amount: null,
      currency: 'XAF',
      is_active: true,
      expires_at: null,
      usage_limit: 2,
    }
    expect((await send('PUT', link.id, whole)).data).toMatchObject(whole)
    const wrong = { name: '', currency: 'XOFX', amount: '0', usage_limit: 0, amount_type: 'MAYBE' }
    const bad = await send('PATCH', link.id, wrong)
    expect(Object.keys(bad.error).toSorted()).toEqual(Object.keys(wrong).toSorted())
  })

  it('null takes a limit away, and means nothing for a field that is never null', async () => {
    const link = await make({ description: 'Old', expires_at: '2030-01-01T00:00:00Z' })
    const nothing = { description: null, name: null, is_active: null, currency: null }
    const patched = await send('PATCH', link.id, { ...nothing, amount: null, expires_at: null })
    expect(patched.status).toBe(200)
    expect(patched.data).toMatchObject({
      ...link,
      amount: null,
      expires_at: null,
      updated_at: expect.anything(),
    })
    const put = await send('PUT', link.id, { ...patched.data, name: null, is_active: null })
    const missing = ['This field is required.']
    expect([put.status, put.error]).toEqual([400, { name: missing, is_active: missing }])
  })

  it('a currency that no country can be reached from is refused, as a session’s is', async () => {
    const link = await make()
    const replies = [
      await shop.post('/payment-links/', { name: 'Tontine', currency: 'KWD' }),
      await send('PATCH', link.id, { currency: 'kwd' }),
      await send('PUT', link.id, { ...link, currency: 'KWD' }),
    ]
    const codes = replies.map(({ status, error }) => [status, error?.code, error?.retryable])
    expect(codes).toEqual(replies.map(() => [422, 'no_exchange_rate', true]))
    expect((await shop.get(`/payment-links/${link.id}/`)).data).toEqual(link)
    // The rate may also go away later.
    await app.owner`update payment_links set currency = 'KWD' where id = ${link.id}`
    const { status, error } = await checkout(link.slug)
    expect([status, error.code, error.retryable]).toEqual([422, 'no_exchange_rate', true])
  })

  it('switching off, the end of its time and deleting close it with their own codes', async () => {
    const link = await make()
    const opened = await checkout(link.slug)
    await send('PATCH', link.id, { is_active: false })
    expect((await look(link.slug)).error.code).toBe('payment_link_inactive')
    expect((await pay(opened.data.slug)).error.code).toBe('payment_link_inactive')
    await send('PATCH', link.id, { is_active: true, expires_at: '2020-01-01T00:00:00Z' })
    expect((await look(link.slug)).error.code).toBe('payment_link_expired')
    await send('PATCH', link.id, { expires_at: null })

    const running = await pay(opened.data.slug, '04')
    expect(running.status).toBe(201)
    expect((await shop.call('DELETE', `/payment-links/${link.id}/`)).status).toBe(204)
    expect((await look(link.slug)).status).toBe(404)
    expect((await shop.get(`/payment-links/${link.id}/`)).status).toBe(404)
    const { transaction_id } = running.data
    await shop.post(`/sandbox/transactions/${transaction_id}/resolve/`, { outcome: 'SUCCESS' })
    expect(await shop.becomes(transaction_id, 'SUCCESS')).toMatchObject({ payment_link: link.id })
    expect(await slots(link.id)).toEqual({ usage_count: 1, reserved: 0 })
  })

  it('the end of its time is the end of what is opened by it, and is what its payer is told', async () => {
    const soon = new Date(Date.now() + 10 * 60_000)
    const link = await make({ expires_at: soon.toISOString() })
    const { data: opened } = await checkout(link.slug)
    const seen = await callPublic(app, 'GET', `/checkout/${opened.slug}/`)
    expect(seen.data.expires_at).toBe(soon.toISOString())
    const until = async (at: Date) => {
      const page = await new BrowserWithoutScript(app.url).open(`/checkout/${opened.slug}`)
      const time = at.toLocaleTimeString('en-GB', {
        ...{ timeZone: 'UTC', hour: '2-digit', minute: '2-digit' },
      })
      expect(page.text).toMatch(new RegExp(`You can pay until .*${time} `))
    }
    await until(soon)
    const sooner = new Date(Date.now() + 5 * 60_000)
    await send('PATCH', link.id, { expires_at: sooner.toISOString() })
    await until(sooner)
    await send('PATCH', link.id, { expires_at: '2035-01-01T00:00:00Z' })
    const { data: later } = await checkout(link.slug)
    const usual = await callPublic(app, 'GET', `/checkout/${later.slug}/`)
    const ahead_ms = Date.parse(usual.data.expires_at) - Date.now()
    expect(Math.abs(ahead_ms - 86_400_000)).toBeLessThan(60_000)
  })

  it('is refused to others', async () => {
    const link = await make()
    const stranger = await app.shop()
    expect((await stranger.get(`/payment-links/${link.id}/`)).status).toBe(403)
    expect((await stranger.get(`/payment-links/${link.id}/transactions/`)).status).toBe(403)
    expect((await stranger.call('DELETE', `/payment-links/${link.id}/`)).status).toBe(403)
    const payout = await app.shop({ merchant_id: shop.merchant_id, scope: 'PAYOUT' })
    const made = await payout.post('/payment-links/', { name: 'x', currency: 'XOF' })
    expect(made.error.code).toBe('api_key_scope_forbidden')
  })
})
