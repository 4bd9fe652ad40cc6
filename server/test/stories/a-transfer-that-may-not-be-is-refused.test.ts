// What a merchant may not ask for, and what staff may not approve or reject: each is refused by its
// own word, books nothing, and leaves the key as the contract says.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { restoreMerchant, suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { type Json, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import {
  answerOf,
  approve,
  ask,
  now,
  reject,
  richShop,
  sums,
  transfer,
  transferred,
} from '../setup/transfers.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  staff = await app.staff({ role: 'FINANCE' })
})
afterAll(async () => {
  const broken = (await verifyLedger(app.owner)).filter(({ ok }) => !ok)
  await app.stop()
  expect(broken).toEqual([])
})

describe('what is refused of a merchant', () => {
  it.each([
    ['the country it leaves', { from_country: 'ZZ' }, 422, 'invalid_country'],
    ['the country it goes to', { to_country: 'ZZ' }, 422, 'invalid_country'],
    ['more than there is', { from_amount: '100001' }, 422, 'insufficient_balance'],
    ['a country without a balance', { from_country: 'CI' }, 422, 'insufficient_balance'],
  ])('%s', async (_what, changes, status, code) => {
    const shop = await richShop(app)
    expect(answerOf(await ask(shop, transfer(changes)))).toEqual([status, code])
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
    expect((await shop.get('/wallet-transfers/')).data.count).toBe(0)
  })

  it('a currency without a rate, for now: its key stays free', async () => {
    const shop = await richShop(app)
    const currencyOfChad = async (currency: string) => {
      await app.owner`
        update countries set default_currency = ${currency} where iso_code = 'TD'`
      await app.owner`update catalogue_version set version = version + 1`
    }
    await currencyOfChad('MXN')
    const body = transfer({ to_country: 'TD' })
    const reply = await ask(shop, body, 'no rate')
    expect(answerOf(reply)).toEqual([422, 'no_exchange_rate'])
    expect(reply.error.retryable).toBe(true)
    await currencyOfChad('XAF')
    expect((await ask(shop, body, 'no rate')).status).toBe(201)
  })

  it('an amount that the fee eats, or of which nothing arrives', async () => {
    const shop = await richShop(app)
    await shop.post('/sandbox/balances/', { country: 'GN', amount: '100' })
    const eaten = await ask(
      shop,
      transfer({ from_country: 'GN', to_country: 'BJ', from_amount: '10' }),
    )
    expect(eaten.status).toBe(400)
    expect(Object.keys(eaten.error)).toEqual(['from_amount'])
    expect(eaten.error.from_amount[0]).toMatch(/too small in XOF/)
    const second = await app.another({ TRANSFER_FEE_PERCENT: '100' })
    const reply = await fetch(`${second.public_url}/api/v1/wallet-transfers/`, {
      method: 'POST',
      body: JSON.stringify(transfer()),
      headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
    })
    const { error }: Json = await reply.json()
    expect([reply.status, error.from_amount]).toEqual([400, [expect.stringMatching(/fee takes/)]])
    await second.stop()
  })

  it('the body before the key, the key before the countries', async () => {
    const shop = await richShop(app)
    await ask(shop, transfer(), 'used')
    const wrongBody = await ask(shop, transfer({ from_amount: '10.50' }), 'used')
    expect([wrongBody.status, Object.keys(wrongBody.error)]).toEqual([400, ['from_amount']])
    expect(answerOf(await ask(shop, transfer({ to_country: 'ZZ' }), 'used'))).toEqual([
      409,
      'idempotency_conflict',
    ])
  })

  it('a frozen balance, and the refusal is the key’s answer for ever; credits still land', async () => {
    const shop = await richShop(app)
    const { merchant_id } = shop
    await shop.post('/sandbox/balances/', { country: 'CM', amount: '20000' })
    await app.owner`
      update balances set is_frozen = true
       where merchant_id = ${merchant_id} and country = 'BJ'`
    const reply = await ask(shop, transfer(), 'frozen')
    expect(answerOf(reply)).toEqual([422, 'balance_frozen'])
    const towards = await transferred(shop, transfer({ from_country: 'CM', to_country: 'BJ' }))
    expect((await approve(staff, towards.id)).status).toBe(200)
    expect(await sums(shop)).toEqual(['109900.00', '0.00'])
    await app.owner`update balances set is_frozen = false where merchant_id = ${merchant_id}`
    const again = await ask(shop, transfer(), 'frozen')
    expect(again.body).toEqual(reply.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await ask(shop, transfer(), 'thawed')).status).toBe(201)
  })

  it('whoever may not: other scopes, roles, a suspended merchant', async () => {
    const shop = await richShop(app)
    const { merchant_id } = shop
    const payin = await app.shop({ merchant_id, scope: 'PAYIN' })
    expect(answerOf(await ask(payin))).toEqual([403, 'api_key_scope_forbidden'])
    for (const role of ['DEVELOPER', 'VIEWER'] as const) {
      const member = await app.member({ merchant_id, role })
      expect(answerOf(await ask(member))).toEqual([403, 'permission_denied'])
      expect((await member.get('/wallet-transfers/')).status).toBe(200)
    }
    for (const role of ['FINANCE', 'ADMIN'] as const) {
      expect((await ask(await app.member({ merchant_id, role }))).status).toBe(201)
    }
    await suspendMerchant(app.service.db, merchant_id, 'a test')
    expect(answerOf(await ask(shop))).toEqual([403, 'merchant_suspended'])
    expect((await shop.get('/wallet-transfers/')).data.count).toBe(2)
  })

  it('another merchant’s transfer, one of the other environment, and an unknown one', async () => {
    const shop = await richShop(app)
    const { id } = await transferred(shop)
    const stranger = await app.shop()
    expect(answerOf(await stranger.get(`/wallet-transfers/${id}/`))).toEqual([
      403,
      'permission_denied',
    ])
    const { merchant_id } = shop
    await app.owner`update merchants set live_enabled = true where id = ${merchant_id}`
    const live = await app.shop({ merchant_id, environment: 'LIVE' })
    expect(answerOf(await live.get(`/wallet-transfers/${id}/`))).toEqual([404, 'not_found'])
    for (const odd of ['x', id.slice(1), '00000000-0000-7000-8000-000000000009']) {
      expect(answerOf(await shop.get(`/wallet-transfers/${odd}/`))).toEqual([404, 'not_found'])
    }
    expect((await stranger.get('/wallet-transfers/')).data.count).toBe(0)
    expect((await live.get('/wallet-transfers/')).data.count).toBe(0)
  })
})

describe('what is refused of staff', () => {
  it('an unknown id, and one of the other environment', async () => {
    const shop = await richShop(app)
    const { id } = await transferred(shop)
    for (const odd of ['x', '00000000-0000-7000-8000-000000000009']) {
      expect(answerOf(await approve(staff, odd))).toEqual([404, 'not_found'])
      expect(answerOf(await reject(staff, odd))).toEqual([404, 'not_found'])
    }
    expect(answerOf(await approve(staff, id, { 'x-environment': 'LIVE' }))).toEqual([
      404,
      'not_found',
    ])
    const rejecting = await staff.post(
      `/admin/wallet-transfers/${id}/reject/`,
      { reason: 'x' },
      { 'x-environment': 'LIVE' },
    )
    expect(answerOf(rejecting)).toEqual([404, 'not_found'])
    expect((await now(shop, id)).status).toBe('PENDING')
  })

  it('a rejection without a reason', async () => {
    const shop = await richShop(app)
    const { id } = await transferred(shop)
    for (const body of [{}, { reason: '' }, { reason: ' \n' }, { reason: 5 }]) {
      const reply = await staff.post(`/admin/wallet-transfers/${id}/reject/`, body)
      expect([reply.status, Object.keys(reply.error)]).toEqual([400, ['reason']])
    }
    const long = await reject(staff, id, 'x'.repeat(501))
    expect([long.status, Object.keys(long.error)]).toEqual([400, ['reason']])
    expect((await now(shop, id)).status).toBe('PENDING')
  })

  it('roles that approve nothing, members and keys', async () => {
    const shop = await richShop(app)
    const { id } = await transferred(shop)
    const path = `/admin/wallet-transfers/${id}/approve/`
    for (const role of ['SUPPORT', 'OPERATIONS'] as const) {
      const other = await app.staff({ role })
      expect(answerOf(await other.post(path))).toEqual([403, 'permission_denied'])
      expect((await other.get('/admin/wallet-transfers/')).status).toBe(200)
    }
    const owner = await app.member({ merchant_id: shop.merchant_id })
    expect(answerOf(await owner.post(path))).toEqual([403, 'permission_denied'])
    expect((await shop.post(path)).status).toBe(403)
    expect((await now(shop, id)).status).toBe('PENDING')
  })

  it('a suspended merchant’s waits: not approved while they are, rejected if they choose', async () => {
    const shop = await richShop(app)
    const [first, second] = [await transferred(shop), await transferred(shop)]
    await suspendMerchant(app.service.db, shop.merchant_id, 'a test')
    expect(answerOf(await approve(staff, first.id))).toEqual([403, 'merchant_suspended'])
    expect((await now(shop, first.id)).status).toBe('PENDING')
    expect((await reject(staff, second.id)).status).toBe(200)
    expect(await sums(shop)).toEqual(['90000.00', '10000.00'])
    await restoreMerchant(app.service.db, shop.merchant_id)
    expect((await approve(staff, first.id)).status).toBe(200)
  })

  it('what would leave a balance that was frozen meanwhile', async () => {
    const shop = await richShop(app)
    const { id } = await transferred(shop)
    await app.owner`
      update balances set is_frozen = true where merchant_id = ${shop.merchant_id}`
    expect(answerOf(await approve(staff, id))).toEqual([422, 'balance_frozen'])
    await app.owner`
      update balances set is_frozen = false where merchant_id = ${shop.merchant_id}`
    expect((await approve(staff, id)).status).toBe(200)
  })
})
