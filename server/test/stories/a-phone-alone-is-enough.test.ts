// Whoever pays or is paid is known by a phone (contract 8.15): e-mail and names may be left out,
// null or empty, wherever money is collected or paid out by phone; what is given is checked.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { callPublic, paymentBody } from '../setup/payer-calls.ts'

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

const nothing = { email: '', first_name: '', last_name: '' }
const nulls = { email: null, first_name: null, last_name: null }

/** The customer of a transaction, as the merchant's records have it. */
async function customerOf(id: string): Promise<Json> {
  const { data } = await shop.get(`/transactions/${id}/`)
  return (await shop.get(`/customers/${data.customer}/`)).data
}

describe('a softpay payment', () => {
  it.each([
    ['left out', {}],
    ['null', nulls],
    ['empty', nothing],
  ])('succeeds with e-mail and names %s', async (_how, rest) => {
    const { phone } = newPayer()
    const made = await shop.pay({ customer: { phone, ...rest } })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    await shop.becomes(made.data.id, 'SUCCESS')
    const customer = await customerOf(made.data.id)
    expect(customer).toMatchObject({ phone, first_name: '', last_name: '', full_name: '' })
    expect(customer.email ?? '').toBe('')
    const invoice = await shop.call('GET', `/transactions/${made.data.id}/invoice/`)
    expect(invoice.status).toBe(200)
  })

  it('finds the customer that the phone names, and changes nothing of them', async () => {
    const payer = newPayer()
    const first = await shop.pay({ customer: payer })
    const second = await shop.pay({ customer: { phone: payer.phone } })
    const [one, two] = [await customerOf(first.data.id), await customerOf(second.data.id)]
    expect(two).toEqual(one)
    expect(one).toMatchObject({ first_name: 'Awa', last_name: 'Diop' })
  })

  it('refuses what is given and wrong, and a customer without a phone', async () => {
    const { phone } = newPayer()
    const refused = async (customer: unknown) => {
      const { status, error } = await shop.pay({ customer })
      return [status, Object.keys(error)]
    }
    expect(await refused({ phone, email: 'awa' })).toEqual([400, ['customer.email']])
    const long = { phone, first_name: 'x'.repeat(101), last_name: 5 }
    expect(await refused(long)).toEqual([400, ['customer.first_name', 'customer.last_name']])
    expect(await refused({})).toEqual([400, ['customer.phone']])
    expect(await refused(null)).toEqual([400, ['customer']])
  })
})

describe('a payout', () => {
  const payout = (changes: Record<string, unknown>) =>
    shop.post('/payouts/initialize/', {
      ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      ...changes,
    })

  it.each([
    ['without a customer', {}],
    ['with a customer that is null', { customer: null }],
    ['with an empty customer', { customer: {} }],
    ['with a customer of empty fields', { customer: { ...nothing, phone: '' } }],
  ])('%s is to the recipient, whose number says who', async (_how, rest) => {
    const { phone: msisdn } = newPayer()
    const made = await payout({ recipient: { msisdn }, ...rest })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    await shop.becomes(made.data.id, 'SUCCESS')
    expect(await customerOf(made.data.id)).toMatchObject({ phone: msisdn, full_name: '' })
  })

  it('keeps the customer that it names, by phone or by e-mail', async () => {
    const [{ phone: msisdn }, { phone }] = [newPayer(), newPayer()]
    const byPhone = await payout({ recipient: { msisdn }, customer: { phone } })
    expect(await customerOf(byPhone.data.id)).toMatchObject({ phone })
    const email = 'binta@example.com'
    const byEmail = await payout({ recipient: { msisdn }, customer: { email } })
    expect(await customerOf(byEmail.data.id)).toMatchObject({ email })
  })

  it('refuses what is given and wrong', async () => {
    const { phone: msisdn } = newPayer()
    const wrong = await payout({ recipient: { msisdn }, customer: { email: 'x', first_name: 5 } })
    expect(wrong.status).toBe(400)
    expect(Object.keys(wrong.error)).toEqual(['customer.email', 'customer.first_name'])
  })
})

it('a top-up needs the number that pays in, and nobody’s name', async () => {
  const { phone } = newPayer()
  const made = await shop.post('/top-ups/initialize/', {
    ...{ amount: '1000', currency: 'XOF', country: 'BJ', network: 'mtn_bj', phone },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
})

describe('the public checkout of a link', () => {
  const open = async (customer: unknown) => {
    const { data } = await shop.post('/payment-links/', {
      ...{ name: 'Tontine', currency: 'XOF', amount: '1000' },
    })
    const path = `/payment-links/public/${data.slug}/checkout/`
    return callPublic(app, 'POST', path, { customer })
  }
  const sessionOf = async (slug: string): Promise<Json> =>
    (await shop.get(`/checkout-sessions/?search=${slug}`)).data.results[0]

  it.each([
    ['left out', {}],
    ['null', nulls],
    ['empty', nothing],
  ])('opens a session whose e-mail and name are empty when they are %s', async (_how, rest) => {
    const { phone } = newPayer()
    const opened = await open({ phone, ...rest })
    expect(opened.status, JSON.stringify(opened.error)).toBe(201)
    const session = await sessionOf(opened.data.slug)
    expect(session).toMatchObject({ customer_email: '', customer_name: '', customer_phone: phone })
    const paid = await callPublic(
      app,
      'POST',
      `/checkout/${opened.data.slug}/pay/`,
      paymentBody('10', { customer: { phone, ...nothing } }),
    )
    expect(paid.status, JSON.stringify(paid.error)).toBe(201)
    await shop.becomes(paid.data.transaction_id, 'SUCCESS')
  })

  it('keeps one name of two, and refuses an e-mail that is none', async () => {
    const opened = await open({ last_name: 'Mensah' })
    expect(await sessionOf(opened.data.slug)).toMatchObject({ customer_name: 'Mensah' })
    const wrong = await open({ email: 'kofi@' })
    expect([wrong.status, Object.keys(wrong.error)]).toEqual([400, ['customer.email']])
  })
})

it('a session that the merchant makes keeps what its interface names', async () => {
  const { status, error } = await shop.post('/checkout-sessions/', {
    ...{ amount: '1000', currency: 'XOF', customer_phone: newPayer().phone },
  })
  expect([status, Object.keys(error).sort()]).toEqual([400, ['customer_email', 'customer_name']])
})
