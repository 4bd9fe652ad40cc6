// What a merchant allows itself: limits for one payout, for a day and for a key, which hold whatever
// comes at once, and give back what failed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { shopWith, startApp, type TestApp } from '../harness.ts'
import { limit, openPayingShop, payOut, sums } from '../setup/payout-calls.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  const broken = (await verifyLedger(app.owner)).filter(({ ok }) => !ok)
  await app.stop()
  expect(broken).toEqual([])
})

const codeOf = ({ status, error }: { status: number; error: { code?: string } | undefined }) => [
  status,
  error?.code,
]

it('play money that is held counts against what a balance may hold', async () => {
  const { shop } = await openPayingShop(app)
  const fund = (amount: string) => shop.post('/sandbox/balances/', { country: 'BJ', amount })
  expect((await fund('999999000000')).status).toBe(201)
  expect((await payOut(shop, '100000', '04')).status).toBe(201)
  expect(await sums(shop)).toEqual(['999999900000.00', '100000.00'])
  const more = await fund('100000')
  expect([more.status, Object.keys(more.error ?? {})]).toEqual([400, ['amount']])
})

describe('a limit', () => {
  it('for one payout lets the franc at it pass, and not the next one', async () => {
    const { shop, owner } = await openPayingShop(app)
    expect((await limit(owner, { per_payout: '20000' })).status).toBe(201)
    expect((await payOut(shop, '20000')).status).toBe(201)
    expect(codeOf(await payOut(shop, '20001'))).toEqual([422, 'payout_limit_exceeded'])
  })

  it('is what a payout is told of first, when the balance would not do either', async () => {
    const [funded, other] = [await openPayingShop(app), await app.shop()]
    await app.owner`
      insert into ip_whitelist (merchant_id, id, ip_address)
      values (${other.merchant_id}, gen_random_uuid(), '127.0.0.1')`
    const owner = await app.member({ merchant_id: other.merchant_id })
    for (const [shop, of] of [
      [funded.shop, funded.owner],
      [other, owner],
    ] as const) {
      expect((await limit(of, { per_payout: '2000000', per_day: '3000000' })).status).toBe(201)
      expect(codeOf(await payOut(shop, '2000001'))).toEqual([422, 'payout_limit_exceeded'])
      expect(codeOf(await payOut(shop, '2000000'))).toEqual([422, 'insufficient_balance'])
    }
    expect((await payOut(funded.shop, '900000')).status).toBe(201)
    expect((await limit(funded.owner, { per_day: '1000000' })).status).toBe(201)
    expect(codeOf(await payOut(funded.shop, '100001'))).toEqual([422, 'payout_limit_exceeded'])
  })

  it('for a day holds over forty at once, and a failed one gives its part back', async () => {
    const { shop, owner } = await openPayingShop(app)
    await limit(owner, { per_day: '55000' })
    const all = await Promise.all(Array.from({ length: 40 }, () => payOut(shop, '10000', '04')))
    expect(all.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(await sums(shop)).toEqual(['950000.00', '50000.00'])
    const used = async () =>
      (await owner.get('/merchant-payout-limits/')).data.results[0].used_today
    expect(await used()).toBe('50000.00')
    const one = all.find(({ status }) => status === 201)
    await shop.post(`/sandbox/transactions/${one?.data.id}/resolve/`, { outcome: 'FAILED' })
    expect(await used()).toBe('40000.00')
    expect((await payOut(shop, '10000', '04')).status).toBe(201)
    expect(codeOf(await payOut(shop, '10000', '04'))).toEqual([422, 'payout_limit_exceeded'])
  })

  it('of one key is not another’s', async () => {
    const { shop, owner } = await openPayingShop(app)
    const other = await app.shop({ merchant_id: shop.merchant_id })
    const [key] = await app.owner<{ id: string }[]>`
      select id from api_keys where merchant_id = ${shop.merchant_id} order by created_at limit 1`
    await limit(owner, { api_key: key?.id, per_payout: '5000' })
    expect(codeOf(await payOut(shop, '6000'))).toEqual([422, 'payout_limit_exceeded'])
    expect((await payOut(other, '6000')).status).toBe(201)
  })

  it('for a day gets back only what it counted', async () => {
    const { shop, owner } = await openPayingShop(app)
    const before = await payOut(shop, '20000', '04')
    await limit(owner, { per_day: '20000' })
    const counted = await payOut(shop, '20000', '04')
    expect([before.status, counted.status]).toEqual([201, 201])
    const fail = (id: string) =>
      shop.post(`/sandbox/transactions/${id}/resolve/`, { outcome: 'FAILED' })
    await fail(before.data.id)
    expect(codeOf(await payOut(shop, '20000'))).toEqual([422, 'payout_limit_exceeded'])
    await fail(counted.data.id)
    expect((await payOut(shop, '20000')).status).toBe(201)
    expect(codeOf(await payOut(shop, '1000'))).toEqual([422, 'payout_limit_exceeded'])
  })

  it('of a key passes to its successor, and both fill one day', async () => {
    const { shop, owner } = await openPayingShop(app)
    const { merchant_id } = shop
    const key = async () =>
      (await owner.get('/merchant-api-keys/')).data.results.map(({ id }: { id: string }) => id)
    const [old] = await key()
    await limit(owner, { api_key: old, per_payout: '8000', per_day: '15000' })
    const next = await owner.post(`/merchant-api-keys/${old}/rotate/`)
    expect(next.status, JSON.stringify(next.body)).toBe(201)
    const successor = shopWith(app.url, merchant_id, next.data.secret)
    const limits = (await owner.get('/merchant-payout-limits/')).data.results
    expect(limits.map(({ api_key }: { api_key: string }) => api_key).sort()).toEqual(
      [old, next.data.id].sort(),
    )
    expect(codeOf(await payOut(successor, '9000'))).toEqual([422, 'payout_limit_exceeded'])
    expect((await payOut(shop, '8000')).status).toBe(201)
    expect(codeOf(await payOut(successor, '8000'))).toEqual([422, 'payout_limit_exceeded'])
    const part = await payOut(successor, '7000', '04')
    expect(part.status).toBe(201)
    expect(codeOf(await payOut(shop, '1000'))).toEqual([422, 'payout_limit_exceeded'])
    await shop.post(`/sandbox/transactions/${part.data.id}/resolve/`, { outcome: 'FAILED' })
    expect((await payOut(shop, '7000')).status).toBe(201)
  })

  it('is set anew, listed, read and dropped', async () => {
    const { shop, owner } = await openPayingShop(app)
    const first = await limit(owner, { per_payout: '100' })
    const again = await limit(owner, { per_payout: '200', per_day: '300' })
    expect(again.data.id).toBe(first.data.id)
    expect(again.data).toMatchObject({ per_payout: '200.00', per_day: '300.00', api_key: null })
    const list = await owner.get('/merchant-payout-limits/')
    expect(list.data.results).toEqual([again.data])
    const path = `/merchant-payout-limits/${first.data.id}/`
    expect((await owner.get(path)).data).toEqual(again.data)
    expect((await owner.call('DELETE', path)).status).toBe(204)
    expect((await owner.get(path)).status).toBe(404)
    expect((await payOut(shop, '5000')).status).toBe(201)
  })

  it('is refused where it says nothing, or the wrong thing', async () => {
    const { shop, owner, finance } = await openPayingShop(app)
    expect((await limit(owner, {})).status).toBe(400)
    expect(Object.keys((await limit(owner, { per_day: '1.5' })).error)).toEqual(['per_day'])
    expect(codeOf(await limit(owner, { country: 'ZZ', per_day: '5' }))).toEqual([
      422,
      'invalid_country',
    ])
    const unknown = '01981f3a-0000-7000-8000-000000000001'
    expect(Object.keys((await limit(owner, { api_key: unknown, per_day: '5' })).error)).toEqual([
      'api_key',
    ])
    expect(codeOf(await limit(finance, { per_day: '5' }))).toEqual([403, 'permission_denied'])
    expect(codeOf(await limit(shop, { per_day: '5' }))).toEqual([403, 'dashboard_only'])
    const stranger = await app.member()
    const { data } = await limit(owner, { per_day: '5' })
    const path = `/merchant-payout-limits/${data.id}/`
    expect(codeOf(await stranger.get(path))).toEqual([403, 'permission_denied'])
  })
})
