// A merchant pays in to his own balance: a payment of type RECHARGE, without a fee to him; what the
// route costs is the platform's.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type House, newPayer, type Shop, startHouse } from '../harness.ts'

let house: House
beforeAll(async () => {
  house = await startHouse()
})
afterAll(async () => {
  const broken = (await verifyLedger(house.owner)).filter(({ ok }) => !ok)
  await house.stop()
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
    const shop = await house.shop()
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
    })
    expect((await shop.balance()).available_amount).toBe('4000.00')
    const [cost] = await house.owner<{ sum: string }[]>`
      select coalesce(sum(e.amount), 0)::text as sum
        from ledger_entries e join accounts a on a.merchant_id = e.merchant_id
         and a.id = e.debit_account
       where e.merchant_id = ${shop.merchant_id} and a.kind = 'gateway_costs'`
    expect(Number(cost?.sum)).toBeGreaterThan(0)
  })

  it('that failed is tried again, still without a fee', async () => {
    const shop = await house.shop()
    const { data } = await post(shop, topUp('01'))
    await shop.becomes(data.id, 'FAILED')
    const retried = await shop.post(`/payments/${data.id}/retry/`, {})
    expect(retried.status).toBe(200)
    const rows = await house.owner<{ client_fee: bigint }[]>`
      select client_fee from attempts where transaction_id = ${data.id}`
    expect(rows.map(({ client_fee }) => client_fee)).toEqual([0n, 0n])
  })

  it('with one key is one top-up', async () => {
    const shop = await house.shop()
    const body = topUp()
    const all = await Promise.all(Array.from({ length: 10 }, () => post(shop, body, 'same')))
    const made = all.filter(({ status }) => status === 201)
    expect(new Set(made.map(({ data }) => data.id)).size).toBe(1)
    await shop.becomes(made[0]?.data.id, 'SUCCESS')
    expect((await shop.balance()).available_amount).toBe('4000.00')
  })

  it.each([
    ['a country we do not serve', { country: 'ZZ' }, 422, 'invalid_country'],
    ['a network of another country', { network: 'mtn_ci' }, 422, 'invalid_method'],
    ['an impossible phone', { phone: '12' }, 422, 'invalid_customer'],
  ])('refuses %s', async (_what, changes, status, code) => {
    const reply = await post(await house.shop(), topUp('10', changes))
    expect([reply.status, reply.error.code]).toEqual([status, code])
  })

  it('names every wrong field', async () => {
    const reply = await post(await house.shop(), { amount: '1.5', currency: 'XOF', phone: ' ' })
    expect(reply.status).toBe(400)
    expect(Object.keys(reply.error).sort()).toEqual(['amount', 'country', 'network', 'phone'])
  })

  it('needs a key for payins', async () => {
    const reply = await post(await house.shop({ scope: 'PAYOUT' }), topUp())
    expect([reply.status, reply.error.code]).toEqual([403, 'api_key_scope_forbidden'])
  })
})
