// What a call that moves money would cost is asked before it is made, and it then costs that: the
// figures of a quote are those of the payment, payout, top-up, settlement and transfer made next.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import {
  type Json,
  newPayer,
  type Reply,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { plantMethod, plantPhone } from '../setup/settling.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp({ env: { TRANSFER_AUTO_BELOW: 'XOF:5000' } })
  staff = await app.staff({ role: 'FINANCE' })
})
afterAll(() => app?.stop())

async function richShop(amount = '1000000'): Promise<Shop> {
  const shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  if (amount !== '0') await shop.post('/sandbox/balances/', { country: 'BJ', amount })
  return shop
}

const ask = (shop: Shop, question: Record<string, string>, headers: Record<string, string> = {}) =>
  shop.get(`/quotes/?${new URLSearchParams({ country: 'BJ', ...question })}`, headers)

async function quoted(shop: Shop, question: Record<string, string>): Promise<Json> {
  const { status, data, body } = await ask(shop, question)
  expect(status, JSON.stringify(body)).toBe(200)
  return data
}

const refused = ({ status, error }: Reply) => [status, error.code ?? Object.keys(error).sort()]
const payin = { kind: 'PAYIN', network: 'mtn_bj', amount: '5000' }
const payout = { kind: 'PAYOUT', network: 'mtn_bj', amount: '5000' }
const place = { currency: 'XOF', country: 'BJ' }
const figures = ({ requested, fee, charged, net, currency, fee_charge_mode }: Json) => ({
  ...{ requested, fee, charged, net, currency, fee_charge_mode },
})

const payOut = (shop: Shop, changes: Record<string, unknown> = {}) =>
  shop.post('/payouts/initialize/', {
    ...{ amount: '5000', ...place, method: 'mtn_bj' },
    recipient: { msisdn: newPayer().phone },
    ...changes,
  })

describe('what is made next costs what was said', () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await richShop()
  })

  it('a payment', async () => {
    const quote = await quoted(shop, payin)
    expect(quote).toEqual({
      ...{ kind: 'PAYIN', country: 'BJ', network: 'mtn_bj', fee_charge_mode: 'ADD_ON' },
      ...{ requested: '5000.00', fee: '163.00', charged: '5163.00', net: '5000.00' },
      ...{ currency: 'XOF', net_currency: 'XOF', original_amount: null, original_currency: null },
      ...{ rate: null, rate_at: null, needs_approval: false, insufficient: null, refusals: [] },
      limits: {
        ...{ min_amount: expect.any(String), max_amount: expect.any(String) },
        ...{ per_payout: null, left_today: null },
      },
      number: null,
      recipient: null,
    })
    const { data } = await shop.pay({ customer: newPayer() })
    expect(figures(quote)).toEqual(figures(data.amounts))
  })

  it('a payment whose fee is taken out of it', async () => {
    const quote = await quoted(shop, { ...payin, fee_charge_mode: 'DEDUCTED' })
    const made = await shop.pay({ customer: newPayer(), fee_charge_mode: 'DEDUCTED' })
    expect(figures(quote)).toEqual(figures(made.data.amounts))
    expect(quote.charged).toBe('5000.00')
  })

  it('a payment in another currency, with the rate and since when it counts', async () => {
    const quote = await quoted(shop, { ...payin, amount: '50', currency: 'eur' })
    const { data } = await shop.pay({ customer: newPayer(), currency: 'EUR', amount: '50' })
    expect(figures(quote)).toEqual(figures(data.amounts))
    expect(quote).toMatchObject({
      ...{ rate: data.amounts.exchange_rate, original_amount: '50.00', original_currency: 'EUR' },
      rate_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })

  it('a top-up', async () => {
    const quote = await quoted(shop, { ...payin, kind: 'TOP_UP', amount: '2000' })
    const body = { amount: '2000', ...place, network: 'mtn_bj', phone: newPayer().phone }
    const { data } = await shop.post('/top-ups/initialize/', body)
    expect(figures(quote)).toEqual(figures(data.amounts))
    expect(quote.fee).toBe('0.00')
  })

  it('a payout', async () => {
    const quote = await quoted(shop, payout)
    const { data } = await payOut(shop)
    expect(figures(quote)).toEqual(figures(data.amounts))
    expect(quote).toMatchObject({ charged: '5000.00', net: '4825.00', insufficient: false })
  })

  it.each(['phone', 'bank'])('a settlement to a %s', async (to) => {
    const { merchant_id } = shop
    const payout_method = await (to === 'bank'
      ? plantMethod(app, merchant_id)
      : plantPhone(app, merchant_id))
    const quote = await quoted(shop, { kind: 'SETTLEMENT', amount: '10000', payout_method })
    const body = { country: 'BJ', requested_amount: '10000', payout_method }
    const { data } = await shop.post('/settlements/', body)
    expect(quote).toMatchObject({
      ...{ requested: data.requested_amount, fee: data.client_fee, net: data.net_amount },
      ...{ charged: data.debited_amount, fee_charge_mode: data.fee_charge_mode },
      ...{ network: to === 'bank' ? null : 'mtn_bj', needs_approval: true },
    })
    expect(data.status).toBe('PENDING')
  })

  it('a transfer, with what arrives in the other currency', async () => {
    const quote = await quoted(shop, { kind: 'TRANSFER', amount: '10000', to_country: 'GH' })
    const body = { from_country: 'BJ', to_country: 'GH', from_amount: '10000' }
    const { data } = await shop.post('/wallet-transfers/', body)
    expect(quote).toMatchObject({
      ...{ requested: data.from_amount, charged: data.from_amount, fee: data.fee_amount },
      ...{ net: data.to_amount, net_currency: 'GHS', currency: 'XOF', rate: data.exchange_rate },
      ...{ rate_at: expect.any(String), network: null, fee_charge_mode: 'DEDUCTED' },
      needs_approval: true,
    })
  })

  it('and a quote itself makes nothing and holds nothing', async () => {
    const other = await richShop()
    await quoted(other, payin)
    await quoted(other, payout)
    await quoted(other, { kind: 'TRANSFER', amount: '10000', to_country: 'CM' })
    expect((await other.get('/transactions/')).data.results).toEqual([])
    expect(await other.balance('BJ')).toMatchObject({
      ...{ available_amount: '1000000.00', pending_amount: '0.00' },
    })
  })
})

describe('whether it would wait for somebody', () => {
  it('a payout above its limit, or above it together with what that phone was sent', async () => {
    const shop = await richShop()
    const owner = await app.member({ merchant_id: shop.merchant_id })
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '8000' })
    expect((await quoted(shop, { ...payout, amount: '8001' })).needs_approval).toBe(true)
    const { phone: msisdn } = newPayer()
    const small = { ...payout, amount: '5000', msisdn }
    expect((await quoted(shop, small)).needs_approval).toBe(false)
    const made = await payOut(shop, { recipient: { msisdn } })
    expect(made.data.approval).not.toBe('REQUIRED')
    expect((await quoted(shop, small)).needs_approval).toBe(true)
    const second = await payOut(shop, { recipient: { msisdn } })
    expect((await shop.get(`/transactions/${second.data.id}/`)).data.approval).toBe('REQUIRED')
    expect((await quoted(shop, { ...small, msisdn: newPayer().phone })).needs_approval).toBe(false)
  })

  it('a transfer, once small ones of a day come to a large one', async () => {
    const shop = await richShop()
    const small = { kind: 'TRANSFER', amount: '3000', to_country: 'CM' }
    const body = { from_country: 'BJ', to_country: 'CM', from_amount: '3000' }
    expect((await quoted(shop, small)).needs_approval).toBe(false)
    expect((await shop.post('/wallet-transfers/', body)).data.status).toBe('SUCCESS')
    expect((await quoted(shop, small)).needs_approval).toBe(true)
    expect((await shop.post('/wallet-transfers/', body)).data.status).toBe('PENDING')
  })
})

describe('what stands in its way now', () => {
  const codes = ({ refusals }: Json) => refusals.map(({ code }: Json) => code)

  it('a balance that has too little, or none', async () => {
    const shop = await richShop('4999')
    const quote = await quoted(shop, payout)
    expect([quote.insufficient, codes(quote)]).toEqual([true, ['insufficient_balance']])
    expect(refused(await payOut(shop))).toEqual([422, 'insufficient_balance'])
    const enough = await quoted(shop, { ...payout, amount: '4999' })
    expect([enough.insufficient, codes(enough)]).toEqual([false, []])
    const poor = await quoted(await richShop('0'), { ...payin, ...payout })
    expect([poor.insufficient, codes(poor)]).toEqual([true, ['insufficient_balance']])
  })

  it('a balance that staff have frozen, said in the caller’s language', async () => {
    const shop = await richShop()
    const { results } = (await shop.get('/merchant-balances/')).data
    await staff.post(`/admin/balances/${results[0].id}/freeze/`, { reason: 'Asked by the bank' })
    const { data } = await ask(shop, payout, { 'accept-language': 'fr' })
    expect(data.refusals).toEqual([
      { code: 'balance_frozen', message: expect.stringContaining('gelé') },
    ])
    expect(refused(await payOut(shop))).toEqual([422, 'balance_frozen'])
    const transfer = { kind: 'TRANSFER', amount: '10000', to_country: 'CM' }
    expect(codes(await quoted(shop, transfer))).toEqual(['balance_frozen'])
  })

  it('a limit on one payout, and what a day has left', async () => {
    const shop = await richShop()
    const owner = await app.member({ merchant_id: shop.merchant_id })
    const limits = { country: 'BJ', per_payout: '20000', per_day: '12000' }
    await owner.post('/merchant-payout-limits/', limits)
    expect(codes(await quoted(shop, { ...payout, amount: '20001' }))).toEqual([
      'payout_limit_exceeded',
    ])
    const before = await quoted(shop, payout)
    expect([before.limits.per_payout, before.limits.left_today]).toEqual(['20000.00', '12000.00'])
    await payOut(shop, { amount: '10000' })
    const after = await quoted(shop, payout)
    expect([after.limits.left_today, codes(after)]).toEqual(['2000.00', ['payout_limit_exceeded']])
    expect(refused(await payOut(shop))).toEqual([422, 'payout_limit_exceeded'])
    expect(codes(await quoted(shop, { ...payout, amount: '2000' }))).toEqual([])
  })

  it('in LIVE, a number that is not one’s own', async () => {
    const shop = await app.shop({ environment: 'LIVE', live: true })
    const top_up = { ...payin, kind: 'TOP_UP' }
    // Without an operator of LIVE nothing takes it, and that is said first.
    const early = await ask(shop, { ...top_up, msisdn: newPayer().phone })
    expect(refused(early)).toEqual([422, 'no_route_available'])
    await app.owner`
      insert into routes (id, network_id, direction, gateway_id, environment, priority)
      select gen_random_uuid(), n.id, 'COLLECT', g.id, 'LIVE', 1
        from networks n, gateways g
       where n.code = 'mtn_bj' and g.code = 'simulator_a'`
    await app.owner`update catalogue_version set version = version + 1`
    const strange = await quoted(shop, { ...top_up, msisdn: newPayer().phone })
    expect(codes(strange)).toEqual(['topup_number_not_owned'])
    await plantPhone(app, shop.merchant_id)
    const [own] = await app.owner`
      update payout_methods set usable_from = now() - interval '1 second'
       where merchant_id = ${shop.merchant_id} returning msisdn`
    expect(codes(await quoted(shop, { ...top_up, msisdn: own?.['msisdn'] }))).toEqual([])
  })
})

describe('a number', () => {
  it.each([
    ['+2290197000010', '+2290197000010', false],
    ['97000010', '+2290197000010', true],
    ['01 95 00 00 10', '+2290195000010', false],
  ])('typed as %s is read as its country’s', async (msisdn, e164, was_old_plan) => {
    const { number } = await quoted(await richShop('0'), { ...payin, msisdn })
    const network_guess = e164.startsWith('+2290195') ? 'moov_bj' : 'mtn_bj'
    const other_network = network_guess === 'moov_bj' ? 'moov_bj' : null
    const told = { e164, was_old_plan, network_guess, is_sure: false, other_network }
    expect(number).toEqual(told)
  })

  it('is counted with those of predictions: sixty a minute of one key', async () => {
    const shop = await app.shop()
    const msisdn = '+2290197000010'
    const asks = Array.from({ length: 61 }, (_, at) =>
      at % 2 === 0
        ? ask(shop, { ...payin, msisdn })
        : shop.get('/networks/predict/?msisdn=%2B2290197000010'),
    )
    const statuses = (await Promise.all(asks)).map(({ status }) => status).sort()
    expect([statuses[0], statuses[59], statuses[60]]).toEqual([200, 200, 429])
    expect((await ask(shop, payin)).status).toBe(200)
  })
})

describe('what the call would be refused for is refused', () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await richShop()
  })

  it.each([
    [{}, ['amount', 'kind']],
    [{ kind: 'GIFT', amount: '1' }, ['kind']],
    [{ kind: 'PAYIN', amount: 'x', country: '' }, ['amount', 'country', 'network']],
    [{ ...payin, currency: 'FCFA' }, ['currency']],
    [{ ...payin, amount: '12.50' }, ['amount']],
    [{ ...payin, amount: '1' }, ['amount']],
    [{ ...payin, fee_charge_mode: 'HALF' }, ['fee_charge_mode']],
    [{ kind: 'SETTLEMENT', amount: '1000' }, ['payout_method']],
    [{ kind: 'SETTLEMENT', amount: '1000', payout_method: 'mine' }, ['payout_method']],
    [{ kind: 'TRANSFER', amount: '1000' }, ['to_country']],
    [{ kind: 'TRANSFER', amount: '1000', to_country: 'bj' }, ['to_country']],
    [{ kind: 'TRANSFER', amount: '1.5', to_country: 'CM' }, ['amount']],
    [{ kind: 'TRANSFER', amount: '1', to_country: 'CM' }, ['amount']],
  ])('by field: %j', async (question, fields) => {
    expect(refused(await ask(shop, question))).toEqual([400, fields])
  })

  it('a settlement’s amount by the one name that a quote has for it', async () => {
    const payout_method = await plantPhone(app, shop.merchant_id)
    const question = { kind: 'SETTLEMENT', payout_method, amount: '1' }
    expect(refused(await ask(shop, question))).toEqual([400, ['amount']])
    const others = await plantPhone(app, (await app.shop()).merchant_id)
    const foreign = { ...question, amount: '1000', payout_method: others }
    expect(refused(await ask(shop, foreign))).toEqual([400, ['payout_method']])
    const usable_from = new Date(Date.now() + 3_600_000)
    const live = await app.shop({ environment: 'LIVE', live: true })
    const cooling = await plantMethod(app, live.merchant_id, { usable_from })
    const early = { ...question, amount: '1000', payout_method: cooling }
    expect(refused(await ask(live, early))).toEqual([422, 'payout_method_cooling_off'])
    // In SANDBOX the same merchant is told a price.
    const testing = await app.shop({ merchant_id: live.merchant_id })
    expect((await ask(testing, early)).status).toBe(200)
  })

  it.each([
    [{ ...payin, country: 'ZZ' }, 'invalid_country'],
    [{ ...payin, country: 'XX' }, 'invalid_country'],
    [{ ...payout, country: 'XX' }, 'invalid_country'],
    [{ ...payin, network: 'mtn_ci' }, 'invalid_method'],
    [{ ...payin, msisdn: '12' }, 'invalid_customer'],
    [{ ...payin, currency: 'TND' }, 'no_exchange_rate'],
    [{ ...payout, country: 'ZZ' }, 'invalid_country'],
    [{ ...payout, network: 'nobody' }, 'invalid_method'],
    [{ ...payout, currency: 'EUR' }, 'currency_country_mismatch'],
    [{ ...payout, msisdn: '12' }, 'invalid_customer'],
    [{ kind: 'TRANSFER', amount: '1000', to_country: 'ZZ' }, 'invalid_country'],
    [
      { kind: 'TRANSFER', amount: '10', to_country: 'CM', currency: 'EUR' },
      'currency_country_mismatch',
    ],
  ])('by code: %j', async (question, code) => {
    expect(refused(await ask(shop, question))).toEqual([422, code])
  })

  it('a network that takes no payouts, or none at all', async () => {
    const change = async (columns: Record<string, unknown>) => {
      await app.owner`update networks set ${app.owner(columns)} where code = 'coris_bj'`
      await app.owner`update catalogue_version set version = version + 1`
    }
    await change({ takes_payouts: false, is_active: true })
    const question = { ...payout, network: 'coris_bj' }
    expect(refused(await ask(shop, question))).toEqual([422, 'payout_not_enabled'])
    await change({ takes_payouts: true, is_active: false })
    expect(refused(await ask(shop, question))).toEqual([422, 'invalid_method'])
    await change({ is_active: true })
  })

  it('without a credential, and of a suspended merchant', async () => {
    const address = `${app.url}/api/v1/quotes/?${new URLSearchParams({ ...payin, country: 'BJ' })}`
    expect((await fetch(address)).status).toBe(401)
    const other = await app.shop()
    await suspendMerchant(app.service.db, other.merchant_id, 'a test')
    expect(refused(await ask(other, payin))).toEqual([403, 'merchant_suspended'])
  })
})
