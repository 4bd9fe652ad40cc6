// What waits at an imitated operator is decided by its merchant's test, as at the plain sandbox
// operator: both ways, of payments and of payouts, with the cause as far as that operator names it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPayer, type Shop, startApp, type TestApp } from '../harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

type Way = 'COLLECT' | 'DISBURSE'

async function shopWith(dialect: string, direction: Way, network_code = 'mtn_bj') {
  const shop = await app.shop()
  const reply = await shop.call('PUT', '/sandbox/dialects/', {
    body: JSON.stringify({ network_code, direction, dialect }),
    headers: { 'content-type': 'application/json' },
  })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return shop
}

async function payoutOf(shop: Shop): Promise<string> {
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')
    on conflict do nothing`
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
  const { status, data } = await shop.post('/payouts/initialize/', {
    ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: newPayer('04').phone },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
  })
  expect(status).toBe(201)
  return data.id
}

async function paymentOf(shop: Shop): Promise<string> {
  const { status, data } = await shop.pay({ customer: newPayer('04') })
  expect(status, JSON.stringify(data)).toBe(201)
  expect(data.status).toBe('PENDING')
  return data.id
}

const decide = (shop: Shop, id: string, outcome: object) =>
  shop.post(`/sandbox/transactions/${id}/resolve/`, outcome)

const failed = (failure_code: string) => ({ outcome: 'FAILED', failure_code })

describe.each([
  ['mtn', 'COLLECT', 'INSUFFICIENT_FUNDS'],
  ['mtn', 'DISBURSE', 'RECIPIENT_NOT_FOUND'],
  ['pawapay', 'COLLECT', 'LIMIT_REACHED'],
  ['pawapay', 'DISBURSE', 'RECIPIENT_NOT_FOUND'],
] as const)('%s, %s', (dialect, direction, cause) => {
  const made = direction === 'COLLECT' ? paymentOf : payoutOf

  it('what stays pending ends as its test says', async () => {
    const shop = await shopWith(dialect, direction)
    const [paid, refused, named] = [await made(shop), await made(shop), await made(shop)]
    const success = await decide(shop, paid, { outcome: 'SUCCESS' })
    expect([success.status, success.data?.status], JSON.stringify(success.body)).toEqual([
      200,
      'SUCCESS',
    ])
    const plain = await decide(shop, refused, { outcome: 'FAILED' })
    expect(plain.data).toMatchObject({ status: 'FAILED', failure_code: 'NOT_APPROVED' })
    const why = await decide(shop, named, failed(cause))
    expect(why.data).toMatchObject({ status: 'FAILED', failure_code: cause })
    const { data } = await shop.get(`/transactions/${paid}/`)
    expect(data.attempts.map((one: { gateway_code: string }) => one.gateway_code)).toEqual([
      `simulator_${dialect}`,
    ])
  }, 60_000)

  it('and what has ended stays as it is', async () => {
    const shop = await shopWith(dialect, direction)
    const id = await made(shop)
    await decide(shop, id, { outcome: 'SUCCESS' })
    const again = await decide(shop, id, { outcome: 'FAILED' })
    expect([again.status, again.error?.code]).toEqual([409, 'transaction_terminal'])
    expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('SUCCESS')
  }, 60_000)
})

it('is told to decide again later while the sandbox operator is away, at an imitation too', async () => {
  const [plain, mtn] = [await app.shop(), await shopWith('mtn', 'COLLECT')]
  const made = [[plain, await paymentOf(plain)] as const, [mtn, await paymentOf(mtn)] as const]
  await app.simulator.stop()
  for (const [shop, id] of made) {
    const { status, error, headers } = await decide(shop, id, { outcome: 'SUCCESS' })
    expect([status, error?.code, error?.retryable]).toEqual([503, 'service_unavailable', true])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('PENDING')
  }
}, 60_000)
