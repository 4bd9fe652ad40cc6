// The answer of initialize says what the call costs and warns of a number that looks like another
// network's (contract 8.16), in softpay, top-ups and payouts; a replay answers the same.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { eventsAbout } from '../setup/events.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '1000000' })
})
afterAll(() => app?.stop())

const unconverted = { exchange_rate: null, original_amount: null, original_currency: null }
const place = { currency: 'XOF', country: 'BJ' }

/** What the merchant reads of it later. */
async function figuresOf(id: string): Promise<Json> {
  const { data } = await shop.get(`/transactions/${id}/`)
  const { exchange_rate, original_amount, original_currency } = data
  return { ...data.amounts, exchange_rate, original_amount, original_currency }
}

describe('what it costs', () => {
  it('is in the answer of a softpay payment, as the record says it', async () => {
    const made = await shop.pay({ customer: newPayer() })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(made.data.amounts).toEqual({
      ...{ requested: '5000.00', fee: '163.00', charged: '5163.00', net: '5000.00' },
      ...{ currency: 'XOF', fee_charge_mode: 'ADD_ON' },
      ...unconverted,
    })
    expect(made.data.warning).toBe(null)
    expect(await figuresOf(made.data.id)).toEqual(made.data.amounts)
  })

  it('says at which rate another currency was converted', async () => {
    const made = await shop.pay({ customer: newPayer(), currency: 'EUR', amount: '50' })
    expect(made.data.amounts).toMatchObject({
      ...{ requested: '32798.00', currency: 'XOF', exchange_rate: '655.95700000' },
      ...{ original_amount: '50.00', original_currency: 'EUR' },
    })
    expect(await figuresOf(made.data.id)).toEqual(made.data.amounts)
  })

  it('and so do its events, while those of any other payment say nothing of it', async () => {
    const was = { original_amount: '10.00', original_currency: 'EUR' }
    const made = await shop.pay({ customer: newPayer(), currency: 'EUR', amount: '10' })
    await shop.becomes(made.data.id, 'SUCCESS')
    const events = await eventsAbout(app.owner, made.data.id)
    expect(events.map(({ type }) => type)).toEqual(['transaction.created', 'transaction.success'])
    for (const { data } of events) {
      expect(data).toMatchObject({ ...was, amount: '6560.00', exchange_rate: '655.95700000' })
    }
    const plain = await shop.pay({ customer: newPayer() })
    await shop.becomes(plain.data.id, 'SUCCESS')
    for (const { data } of await eventsAbout(app.owner, plain.data.id)) {
      for (const name of Object.keys(unconverted)) expect(data).not.toHaveProperty(name)
    }
  })

  it.each([
    ['refused at once', '03'],
    ['whose answer is lost', '05'],
    ['that the second route takes', '06'],
  ])('is there for a payment %s', async (_what, magic) => {
    const made = await shop.pay({ customer: newPayer(magic) })
    expect(made.data.amounts).toMatchObject({ requested: '5000.00', charged: '5163.00' })
    expect(await figuresOf(made.data.id)).toEqual(made.data.amounts)
  })

  it('is in the answer of a top-up and of a payout', async () => {
    const { phone } = newPayer()
    const top_up = { amount: '2000', ...place, network: 'mtn_bj', phone }
    const topped = await shop.post('/top-ups/initialize/', top_up)
    expect(topped.data.amounts).toMatchObject({ requested: '2000.00', fee: '0.00' })
    expect(await figuresOf(topped.data.id)).toEqual(topped.data.amounts)
    const payout = { amount: '5000', ...place, method: 'mtn_bj', recipient: { msisdn: phone } }
    const paid = await shop.post('/payouts/initialize/', payout)
    expect(paid.data.amounts).toEqual({
      ...{ requested: '5000.00', fee: '175.00', charged: '5000.00', net: '4825.00' },
      ...{ currency: 'XOF', fee_charge_mode: 'DEDUCTED' },
      ...unconverted,
    })
    expect(await figuresOf(paid.data.id)).toEqual(paid.data.amounts)
  })

  it('is answered again byte for byte under the same key', async () => {
    const key = { 'idempotency-key': 'twice' }
    const body = { customer: newPayer() }
    const [first, second] = [await shop.pay(body, key), await shop.pay(body, key)]
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.body).toEqual(first.body)
    expect(second.data.amounts.charged).toBe('5163.00')
  })
})

describe('a number that looks like another network’s', () => {
  const moov = () => newPayer().phone.replace(/^\+22901\d\d/, '+2290195')

  it('is paid all the same, with a warning that names the other network', async () => {
    const made = await shop.pay({ customer: { phone: moov() } })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(made.data.warning).toEqual({
      code: 'NETWORK_MISMATCH',
      message: 'This looks like a Moov Money Bénin number, not MTN MoMo Bénin.',
      network: 'moov_bj',
      transaction: null,
    })
    const french = await shop.pay({ customer: { phone: moov() } }, { 'accept-language': 'fr' })
    expect(french.data.warning.message).toContain('ressemble')
    const fitting = await shop.pay({ network: 'moov_bj', customer: { phone: moov() } })
    expect(fitting.data.warning).toBe(null)
  })

  it('is warned of in top-ups and payouts too, beside a payout that seems made twice', async () => {
    const phone = moov()
    const top_up = { amount: '2000', ...place, network: 'mtn_bj', phone }
    const topped = await shop.post('/top-ups/initialize/', top_up)
    expect(topped.data.warning).toMatchObject({ code: 'NETWORK_MISMATCH', network: 'moov_bj' })
    const payout = { amount: '5000', ...place, method: 'mtn_bj', recipient: { msisdn: phone } }
    const first = await shop.post('/payouts/initialize/', payout)
    expect(first.data.warning).toMatchObject({ code: 'NETWORK_MISMATCH', transaction: null })
    const again = await shop.post('/payouts/initialize/', payout)
    expect(again.data.warning).toMatchObject({
      code: 'POSSIBLE_DUPLICATE',
      transaction: first.data.id,
      network: 'moov_bj',
    })
    expect(again.data.warning.message).toContain('Moov Money Bénin')
  })

  it('is nothing to a wallet that takes numbers of any operator', async () => {
    const made = await shop.pay({
      ...{ country: 'SN', network: 'wave_sn', customer: { phone: '+221701234510' } },
    })
    expect(made.data.warning).toBe(null)
  })
})
