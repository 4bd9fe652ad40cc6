// What a key may not do (contract 3): another scope, another environment, another merchant's
// records, anything new while suspended. What is in flight then still ends, is booked and is told.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { simulatorSecrets } from '../../src/app/wire.ts'
import { restoreMerchant, suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Reply,
  type Shop,
  startApp,
  type TestApp,
} from '../harness.ts'
import { startReceiver } from '../setup/webhook-receiver.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

type Call = Readonly<{ method: string; path: string; body?: unknown }>

const get = (path: string): Call => ({ method: 'GET', path })
const post = (path: string, body: unknown = {}): Call => ({ method: 'POST', path, body })

function make(shop: Shop, { method, path, body }: Call): Promise<Reply> {
  const headers = { 'content-type': 'application/json' }
  if (body === undefined) return shop.call(method, path)
  return shop.call(method, path, { headers, body: JSON.stringify(body) })
}

const softpayBody = { amount: '5000', currency: 'XOF', country: 'BJ', network: 'mtn_bj' }

/** Every call fails alike; the message names those that did not. */
async function allAnswer(shop: Shop, calls: readonly Call[], status: number, code: string) {
  const replies = await Promise.all(calls.map((call) => make(shop, call)))
  const answers = replies.map((reply, n) => [
    `${calls[n]?.method} ${calls[n]?.path}`,
    reply.status,
    reply.error?.code,
  ])
  expect(answers).toEqual(calls.map(({ method, path }) => [`${method} ${path}`, status, code]))
}

/** A paid transaction and everything a merchant has by then, each under its address. */
async function recordsOf(shop: Shop) {
  const { data } = await shop.pay({ customer: newPayer() })
  const paid = await shop.becomes(data.id, 'SUCCESS')
  const url = 'https://shop.example.com/hook'
  const webhook = await shop.post('/merchant-webhooks/', { url })
  const logs = await shop.get('/transaction-status-logs/')
  const balances = await shop.get('/merchant-balances/')
  return {
    transaction: paid.id as string,
    attempt: paid.attempts[0].id as string,
    log: logs.data.results[0].id as string,
    balance: balances.data.results[0].id as string,
    webhook: webhook.data.id as string,
  }
}

type Records = Awaited<ReturnType<typeof recordsOf>>

/** Every call that names a record. */
const namingCalls = (of: Records): Call[] => [
  get(`/transactions/${of.transaction}/`),
  get(`/transactions/${of.transaction}/evidence/`),
  get(`/transactions/${of.transaction}/timeline/`),
  get(`/transaction-attempts/${of.attempt}/`),
  get(`/transaction-status-logs/${of.log}/`),
  get(`/merchant-balances/${of.balance}/`),
  get(`/payments/${of.transaction}/verify/`),
  post(`/payments/${of.transaction}/confirm-otp/`, { otp: '123456' }),
  post(`/payments/${of.transaction}/retry/`),
  get(`/merchant-webhooks/${of.webhook}/`),
  { method: 'PATCH', path: `/merchant-webhooks/${of.webhook}/`, body: { is_active: false } },
  { method: 'DELETE', path: `/merchant-webhooks/${of.webhook}/` },
  post(`/merchant-webhooks/${of.webhook}/test/`),
]

const lists = [
  '/transactions/',
  '/transaction-attempts/',
  '/transaction-status-logs/',
  '/merchant-balances/',
  '/merchant-ledger-entries/',
  '/merchant-webhooks/',
]

describe('a key and its scope', () => {
  it('PAYOUT cannot collect, and still reads; PAYIN can', async () => {
    const payout = await app.shop({ scope: 'PAYOUT' })
    const payin = await app.shop({ scope: 'PAYIN', merchant_id: payout.merchant_id })
    const { data } = await payin.pay({ customer: newPayer('04') })
    const collecting = [
      post('/payments/softpay/initialize/', { ...softpayBody, customer: newPayer() }),
      post('/payments/softpay/', { nonsense: true }),
      get(`/payments/${data.id}/verify/`),
      post(`/payments/${data.id}/confirm-otp/`, { otp: '1' }),
      post(`/payments/${data.id}/retry/`),
    ]
    await allAnswer(payout, collecting, 403, 'api_key_scope_forbidden')
    for (const path of [...lists, `/transactions/${data.id}/`, '/pricing/my-rates/']) {
      expect((await payout.get(path)).status, path).toBe(200)
    }
    expect((await payin.get(`/payments/${data.id}/verify/`)).status).toBe(200)
  })

  it('no key, a wrong key and half a key are told apart from each other by nothing secret', async () => {
    const shop = await app.shop()
    const call = async (headers: Record<string, string>) => {
      const reply = await fetch(`${app.url}/api/v1/merchant-balances/`, { headers })
      const body: Json = await reply.json()
      return [reply.status, body.error.code, reply.headers.get('ratelimit-limit')]
    }
    expect(await call({})).toEqual([401, 'not_authenticated', null])
    for (const authorization of [
      `Bearer sk_test_${'x'.repeat(43)}`,
      `Bearer ${shop.key.slice(0, -1)}`,
      `Bearer ${shop.key.replace('sk_test_', 'sk_live_')}`,
      `Basic ${shop.key}`,
    ]) {
      expect(await call({ authorization })).toEqual([401, 'invalid_api_key', null])
    }
  })
})

describe('a key at the doors of people and staff', () => {
  it.each([
    ['/auth/me/', 'dashboard_only'],
    ['/admin/merchants/', 'permission_denied'],
  ])('is refused at %s with %s, and shown what its account has left', async (path, code) => {
    const shop = await app.shop()
    const { status, error, headers } = await shop.get(path)
    expect([status, error.code]).toEqual([403, code])
    for (const name of ['limit', 'remaining', 'reset']) {
      expect(headers.get(`ratelimit-${name}`), name).toMatch(/^\d+$/)
    }
  })
})

describe('a key and its environment', () => {
  it('LIVE sees no sandbox record, not even by its id, and the sandbox has no doors', async () => {
    const shop = await app.shop({ live: true })
    const records = await recordsOf(shop)
    const live = await app.shop({ environment: 'LIVE', merchant_id: shop.merchant_id })
    for (const path of lists) {
      expect((await shop.get(path)).data.results.length, path).toBeGreaterThan(0)
      expect((await live.get(path)).data.results, path).toEqual([])
    }
    await allAnswer(live, namingCalls(records), 404, 'not_found')
    const pending = await shop.pay({ customer: newPayer('04') })
    const resolve = `/sandbox/transactions/${pending.data.id}/resolve/`
    const sandbox = [
      post(resolve, { outcome: 'SUCCESS' }),
      post('/sandbox/balances/', { country: 'BJ', amount: '1000' }),
    ]
    await allAnswer(live, sandbox, 404, 'not_found')
    expect((await make(shop, post(resolve, { outcome: 'SUCCESS' }))).status).toBe(200)
  })

  it('LIVE without a route answers no_route_available and makes nothing', async () => {
    const live = await app.shop({ environment: 'LIVE', live: true })
    const books = app.simulator.books().length
    const reply = await live.pay({ customer: newPayer() }, { 'idempotency-key': 'live-1' })
    expect(reply).toMatchObject({ status: 422, error: { code: 'no_route_available' } })
    expect(reply.error).toMatchObject({ retryable: true })
    expect(reply.error.transaction).toBeUndefined()
    expect(reply.headers.get('retry-after')).toBeTruthy()
    expect((await live.get('/transactions/')).data.results).toEqual([])
    expect(app.simulator.books()).toHaveLength(books)
  })

  it('LIVE hears by https only, and a key registers for its own environment alone', async () => {
    const live = await app.shop({ environment: 'LIVE', live: true })
    const plain = await live.post('/merchant-webhooks/', { url: 'http://shop.example.com/hook' })
    expect(plain.status).toBe(400)
    expect(Object.keys(plain.error)).toEqual(['url'])
    const url = 'https://shop.example.com/hook'
    const other = { url, environment: 'SANDBOX' }
    await allAnswer(live, [post('/merchant-webhooks/', other)], 403, 'permission_denied')
    expect((await live.post('/merchant-webhooks/', { url })).data.environment).toBe('LIVE')
  })

  it('LIVE ends with the approval: the key is refused, the sandbox goes on', async () => {
    const live = await app.shop({ environment: 'LIVE', live: true })
    const test = await app.shop({ merchant_id: live.merchant_id })
    expect((await live.get('/transactions/')).status).toBe(200)
    await app.owner`update merchants set live_enabled = false where id = ${live.merchant_id}`
    await allAnswer(live, [get('/transactions/')], 403, 'live_mode_not_enabled')
    expect((await test.get('/transactions/')).status).toBe(200)
  })
})

describe('a key and other merchants', () => {
  it('a known id of another is 403, an unknown and an ill-formed one 404, and nothing moves', async () => {
    const [owner, stranger] = [await app.shop(), await app.shop()]
    const records = await recordsOf(owner)
    await allAnswer(stranger, namingCalls(records), 403, 'permission_denied')
    const nobodys = Object.fromEntries(
      Object.keys(records).map((name) => [name, randomUUID()]),
    ) as Records
    await allAnswer(stranger, namingCalls(nobodys), 404, 'not_found')
    const crooked = { ...records, transaction: 'x', attempt: '1', log: '-', balance: 'b' }
    await allAnswer(stranger, namingCalls({ ...crooked, webhook: 'w' }), 404, 'not_found')
    for (const path of lists) expect((await stranger.get(path)).data.results, path).toEqual([])
    const webhook = await owner.get(`/merchant-webhooks/${records.webhook}/`)
    expect(webhook.data.is_active).toBe(true)
  })
})

describe('a suspended merchant', () => {
  /** What the payer does, told to the operator itself. */
  async function approve(transaction_id: string) {
    const [attempt] = await app.owner`
      select our_key from attempts where transaction_id = ${transaction_id}`
    const { token } = simulatorSecrets(openKeyring(app.config.secret_key ?? ''))
    const path = `/a/collections/${attempt?.['our_key']}/resolve`
    const reply = await fetch(app.simulator.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ outcome: 'SUCCESS' }),
    })
    expect(reply.status).toBe(200)
  }

  it('starts nothing new, reads its own, and what was in flight is paid, booked and told', async () => {
    const shop = await app.shop()
    const records = await recordsOf(shop)
    await shop.call('DELETE', `/merchant-webhooks/${records.webhook}/`)
    const receiver = await startReceiver()
    onTestFinished(receiver.close)
    const webhook = await shop.post('/merchant-webhooks/', { url: receiver.url })
    const { data } = await shop.pay({ customer: newPayer('04') })
    const before = await shop.balance()
    await suspendMerchant(app.owner, shop.merchant_id, 'papers missing')

    const refused = [
      post('/payments/softpay/initialize/', { ...softpayBody, customer: newPayer() }),
      post('/payments/softpay/', { nonsense: true }),
      post(`/payments/${data.id}/retry/`),
      post(`/payments/${data.id}/confirm-otp/`, { otp: '123456' }),
      post('/merchant-webhooks/', { url: 'https://shop.example.com/' }),
      { method: 'PATCH', path: `/merchant-webhooks/${webhook.data.id}/`, body: {} },
      { method: 'DELETE', path: `/merchant-webhooks/${webhook.data.id}/` },
      post(`/merchant-webhooks/${webhook.data.id}/test/`),
      post(`/sandbox/transactions/${data.id}/resolve/`, { outcome: 'SUCCESS' }),
      post('/sandbox/balances/', { country: 'BJ', amount: '1000' }),
    ]
    await allAnswer(shop, refused, 403, 'merchant_suspended')
    for (const path of [...lists, `/transactions/${data.id}/`, `/payments/${data.id}/verify/`]) {
      expect((await shop.get(path)).status, path).toBe(200)
    }

    await approve(data.id)
    await shop.becomes(data.id, 'SUCCESS')
    const after = await shop.balance()
    expect(Number(after.available_amount) - Number(before.available_amount)).toBe(5000)
    await eventually(async () => {
      expect(receiver.received.map(({ body }) => body.event)).toContain('transaction.success')
    })
    expect((await shop.get(`/payments/${data.id}/verify/`)).data.status).toBe('SUCCESS')

    await restoreMerchant(app.owner, shop.merchant_id)
    expect((await shop.pay({ customer: newPayer() })).status).toBe(201)
  })
})
