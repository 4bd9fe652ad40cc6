// A merchant pays in to its own balance: a payment of type RECHARGE, without a fee unless staff
// have priced it, in LIVE from a number of its own alone; what the route costs is the platform's.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { newId } from '../../src/platform/ids.ts'
import { type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { plantMethod } from '../setup/settling.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  const broken = (await verifyLedger(app.owner)).filter(({ ok }) => !ok)
  await app.stop()
  expect(broken).toEqual([])
})

const topUp = (magic = '10', changes: Record<string, unknown> = {}) => ({
  amount: '4000',
  currency: 'XOF',
  country: 'BJ',
  network: 'mtn_bj',
  phone: newPayer(magic).phone,
  ...changes,
})
const post = (shop: Shop, body: object, key?: string) =>
  shop.post('/top-ups/initialize/', body, key === undefined ? {} : { 'idempotency-key': key })

describe('a top-up', () => {
  it('credits all of it, and books the route’s cost to the platform', async () => {
    const shop = await app.shop()
    const made = await post(shop, topUp())
    expect(made.status).toBe(201)
    expect(made.data).toMatchObject({ status: 'PENDING', next_action: 'APPROVE_ON_PHONE' })
    const paid = await shop.becomes(made.data.id, 'SUCCESS')
    expect(paid).toMatchObject({
      transaction_type: 'RECHARGE',
      flow_direction: 'INBOUND',
      client_fee: '0.00',
      gateway_fee: '0.00',
      platform_fee: '0.00',
      debited_amount: '4000.00',
      net_amount: '4000.00',
      customer: null,
      // Not the payin's, which it was not charged.
      pricing_rule: null,
      merchant_pricing_rule: null,
    })
    expect((await shop.balance()).available_amount).toBe('4000.00')
    const [cost] = await app.owner<{ sum: string }[]>`
      select coalesce(sum(e.amount), 0)::text as sum
        from ledger_entries e join accounts a on a.merchant_id = e.merchant_id
         and a.id = e.debit_account
       where e.merchant_id = ${shop.merchant_id} and a.kind = 'gateway_costs'`
    expect(Number(cost?.sum)).toBeGreaterThan(0)
  })

  it('that failed is tried again, still without a fee', async () => {
    const shop = await app.shop()
    const { data } = await post(shop, topUp('01'))
    await shop.becomes(data.id, 'FAILED')
    const retried = await shop.post(`/payments/${data.id}/retry/`, {})
    expect(retried.status).toBe(200)
    const rows = await app.owner<{ client_fee: bigint }[]>`
      select client_fee from attempts where transaction_id = ${data.id}`
    expect(rows.map(({ client_fee }) => client_fee)).toEqual([0n, 0n])
  })

  it('with one key is one top-up', async () => {
    const shop = await app.shop()
    const body = topUp()
    const all = await Promise.all(Array.from({ length: 10 }, () => post(shop, body, 'same')))
    const made = all.filter(({ status }) => status === 201)
    expect(new Set(made.map(({ data }) => data.id)).size).toBe(1)
    await shop.becomes(made[0]?.data.id, 'SUCCESS')
    expect((await shop.balance()).available_amount).toBe('4000.00')
  })

  it.each([
    ['a country we do not serve', { country: 'ZZ' }, 422, 'invalid_country'],
    ['the code of cards, no country', { country: 'XX' }, 422, 'invalid_country'],
    ['a network of another country', { network: 'mtn_ci' }, 422, 'invalid_method'],
    ['an impossible phone', { phone: '12' }, 422, 'invalid_customer'],
  ])('refuses %s', async (_what, changes, status, code) => {
    const reply = await post(await app.shop(), topUp('10', changes))
    expect([reply.status, reply.error.code]).toEqual([status, code])
  })

  it('names every wrong field', async () => {
    const reply = await post(await app.shop(), { amount: '1.5', currency: 'XOF', phone: ' ' })
    expect(reply.status).toBe(400)
    expect(Object.keys(reply.error).sort()).toEqual(['amount', 'country', 'network', 'phone'])
  })

  it('takes a fee mode like softpay, and never passes over one', async () => {
    const shop = await app.shop()
    const deducted = await post(shop, topUp('10', { fee_charge_mode: 'DEDUCTED' }))
    expect(deducted.data.amounts.fee_charge_mode).toBe('DEDUCTED')
    expect(deducted.headers.get('ignored-fields')).toBe(null)
    const wrong = await post(shop, topUp('10', { fee_charge_mode: 'NOBODY' }))
    expect([wrong.status, Object.keys(wrong.error)]).toEqual([400, ['fee_charge_mode']])
    await app.owner`
      update merchants set fee_charge_mode_locked = 'ADD_ON' where id = ${shop.merchant_id}`
    const locked = await post(shop, topUp('10', { fee_charge_mode: 'DEDUCTED' }))
    expect([locked.status, locked.error.code]).toEqual([422, 'fee_charge_mode_locked'])
  })

  it('needs a key for payins', async () => {
    const reply = await post(await app.shop({ scope: 'PAYOUT' }), topUp())
    expect([reply.status, reply.error.code]).toEqual([403, 'api_key_scope_forbidden'])
  })
})

describe('the price of a top-up', () => {
  const free = { percent: '0.00', fixed: '0.00', floor_amount: null, cap_amount: null }
  const rated = async (shop: Shop, network: string): Promise<Json> =>
    (await shop.get('/pricing/my-rates/')).data.find((row: Json) => row.network_code === network)
  const tiers = (percent: string, fee_charge_mode = 'ADD_ON') => [
    { min_amount: '500', max_amount: '100000', percent, fee_charge_mode },
  ]

  it('is nothing at first, within the amounts of a payin, and the price list says so', async () => {
    const { payin, top_up } = await rated(await app.shop(), 'moov_bj')
    expect(payin.tiers[0].percent).not.toBe('0.00')
    expect(top_up).toEqual({ ...payin, tiers: [{ ...payin.tiers[0], ...free }] })
  })

  it('is what staff set, for all and for one, booked as a payin’s fee, and a retry pays it too', async () => {
    const staff = await app.staff({ role: 'FINANCE' })
    const [shop, other] = [await app.shop(), await app.shop()]
    const made = await staff.post('/admin/pricing-rules/', {
      network: 'moov_bj',
      direction: 'TOP_UP',
      tiers: tiers('2'),
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const own = await staff.post(`/admin/merchants/${other.merchant_id}/pricing-rules/`, {
      network: 'moov_bj',
      direction: 'TOP_UP',
      tiers: tiers('1', 'DEDUCTED'),
    })
    expect(own.status, JSON.stringify(own.body)).toBe(201)

    const { data } = await post(shop, topUp('10', { network: 'moov_bj' }))
    const paid = await shop.becomes(data.id, 'SUCCESS')
    expect(paid).toMatchObject({
      pricing_rule: made.data.id,
      client_fee: '80.00',
      debited_amount: '4080.00',
      net_amount: '4000.00',
    })
    expect((await shop.balance()).available_amount).toBe('4000.00')
    const fees = await app.owner<{ sum: string }[]>`
      select sum(e.amount)::text as sum
        from ledger_entries e join accounts a on a.merchant_id = e.merchant_id
         and a.id = e.credit_account
       where e.merchant_id = ${shop.merchant_id} and e.cause_id = ${data.id}
         and a.kind in ('gateway_fees', 'platform_fees')`
    expect(fees).toEqual([{ sum: '8000' }])

    const his = await post(other, topUp('01', { network: 'moov_bj' }))
    const failed = await other.becomes(his.data.id, 'FAILED')
    expect(failed).toMatchObject({ merchant_pricing_rule: own.data.id, client_fee: '40.00' })
    await other.post(`/payments/${his.data.id}/retry/`, {})
    const rows = await app.owner<{ client_fee: bigint; net_amount: bigint }[]>`
      select client_fee, net_amount from attempts where transaction_id = ${his.data.id}`
    const charged = { client_fee: 4_000n, net_amount: 396_000n }
    expect(rows).toEqual([charged, charged])

    // It has amounts of its own, moves no price of payins, and stands in both price lists.
    const least = await post(shop, topUp('10', { network: 'moov_bj', amount: '400' }))
    expect([least.status, Object.keys(least.error)]).toEqual([400, ['amount']])
    const { data: payin } = await shop.pay({ network: 'moov_bj', amount: '10000' })
    expect((await shop.get(`/transactions/${payin.id}/`)).data.client_fee).not.toBe('200.00')
    expect((await rated(shop, 'moov_bj')).top_up).toMatchObject({ is_custom: false })
    expect((await rated(other, 'moov_bj')).top_up).toMatchObject({
      is_custom: true,
      tiers: [{ ...free, percent: '1.00', fee_charge_mode: 'DEDUCTED' }],
    })
    const { data: listed } = await staff.get('/admin/pricing-rules/?direction=TOP_UP')
    expect(listed.results.map(({ id }: Json) => id)).toEqual([made.data.id])
  })
})

describe('a top-up in LIVE', () => {
  /** A LIVE route that ends at the sandbox operator. */
  beforeAll(async () => {
    await app.owner`
      insert into routes (id, network_id, direction, gateway_id, environment, priority)
      select ${newId()}, n.id, 'COLLECT', g.id, 'LIVE', 1
        from networks n, gateways g
       where n.code in ('mtn_bj') and g.code = 'simulator_a'`
    await app.owner`update catalogue_version set version = version + 1`
  })

  const liveShop = () => app.shop({ environment: 'LIVE', live: true })
  const plant = async (shop: Shop, changes: object = {}, network = 'mtn_bj') => {
    const { phone } = newPayer('10')
    const [row] = await app.owner`select id from networks where code = ${network}`
    const none = { bank_name: null, account_number: null, account_name: null }
    const id = await plantMethod(app, shop.merchant_id, {
      ...{ type: 'MOBILE_MONEY', network_id: row?.['id'], msisdn: phone, ...none },
      usable_from: new Date(Date.now() - 60_000),
      ...changes,
    })
    return { id, phone }
  }
  const answerOf = ({ status, error }: Json) => [status, error?.code]

  it('comes from a number that it may be paid out to, whatever its network, and ends', async () => {
    const shop = await liveShop()
    const { phone } = await plant(shop, {}, 'moov_bj')
    const made = await post(shop, topUp('10', { phone: `0${phone.slice(-9)}` }))
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    await shop.becomes(made.data.id, 'SUCCESS')
    expect((await shop.balance()).available_amount).toBe('4000.00')
  })

  it('from any other is refused, and makes nothing', async () => {
    const [shop, other] = [await liveShop(), await liveShop()]
    const soon = await plant(shop, { usable_from: new Date(Date.now() + 60_000) })
    const gone = await plant(shop, { deleted_at: new Date() })
    const others = await plant(other)
    const refused = [422, 'topup_number_not_owned']
    expect(answerOf(await post(shop, topUp()))).toEqual(refused)
    for (const { phone } of [soon, gone, others]) {
      expect(answerOf(await post(shop, topUp('10', { phone })))).toEqual(refused)
    }
    const { error } = await shop.post('/top-ups/initialize/', topUp(), { 'accept-language': 'fr' })
    expect(error.message).toMatch(/phone.*versement/)
    expect((await shop.get('/transactions/')).data.results).toEqual([])
    const [kept] = await app.owner`
      select count(*)::int as attempts from attempts where merchant_id = ${shop.merchant_id}`
    expect(kept).toEqual({ attempts: 0 })
  })

  it('is not tried again, nor offered to be, from a number that is no longer its own', async () => {
    const shop = await liveShop()
    const { phone } = newPayer('01')
    const { id } = await plant(shop, { msisdn: phone })
    const { data } = await post(shop, topUp('01', { phone }))
    await shop.becomes(data.id, 'FAILED')
    const mayRetry = async () => (await shop.get(`/transactions/${data.id}/`)).data.may_retry
    expect(await mayRetry()).toBe(true)
    await app.owner`update payout_methods set deleted_at = now() where id = ${id}`
    const again = await shop.post(`/payments/${data.id}/retry/`, {})
    expect(answerOf(again)).toEqual([422, 'topup_number_not_owned'])
    expect(await mayRetry()).toBe(false)
    await app.owner`update payout_methods set deleted_at = null where id = ${id}`
    expect(await mayRetry()).toBe(true)
    expect((await shop.post(`/payments/${data.id}/retry/`, {})).status).toBe(200)
  })

  it('is not paid on a page, where anybody can pay, and not tried again on one', async () => {
    const shop = await liveShop()
    const { phone } = await plant(shop)
    const failing = newPayer('01')
    await plant(shop, { msisdn: failing.phone })
    const { data } = await post(shop, topUp('01', { phone: failing.phone }))
    await shop.becomes(data.id, 'FAILED')
    const confirmedBy = async (flow: 'redirect' | null) => {
      await app.owner`
        update routes set flow = ${flow}
         where environment = 'LIVE' and direction = 'COLLECT'
           and network_id = (select id from networks where code = 'mtn_bj')`
      await app.owner`update catalogue_version set version = version + 1`
    }
    await confirmedBy('redirect')
    const refused = [422, 'topup_number_not_owned']
    const made = await post(shop, topUp('10', { phone }))
    expect(answerOf(made)).toEqual(refused)
    expect(made.error.message).toMatch(/page/)
    expect(answerOf(await shop.post(`/payments/${data.id}/retry/`, {}))).toEqual(refused)
    await confirmedBy(null)
    expect((await post(shop, topUp('10', { phone }))).status).toBe(201)
  })

  it('a replay answers as the first call did, though the number was taken away since', async () => {
    const shop = await liveShop()
    const { id, phone } = await plant(shop)
    const body = topUp('10', { phone })
    const first = await post(shop, body, 'once')
    await app.owner`update payout_methods set deleted_at = now() where id = ${id}`
    const again = await post(shop, body, 'once')
    expect([again.status, again.data]).toEqual([201, first.data])
  })
})
