// A form that nobody filled sends empty text. Where a code may be left out, an empty one is left out
// (contract 5.4), of a login too; and a customer's e-mail may be sent back as it was answered.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPayer, type Shop, softpay, startApp, type TestApp } from '../harness.ts'
import { callPublic, openSession, paymentBody } from '../setup/payer-calls.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
})
afterAll(() => app?.stop())

const withCode = { country: 'CI', network: 'orange_ci', customer: { phone: '+2250701234510' } }

describe('an empty code', () => {
  it('is none: a network without codes takes the payment', async () => {
    const made = await shop.pay({ customer: newPayer(), otp: '' })
    expect([made.status, made.data?.status], JSON.stringify(made.error)).toEqual([201, 'PENDING'])
    expect((await shop.becomes(made.data.id, 'SUCCESS')).status).toBe('SUCCESS')
  })

  it('is none: a network that wants one says how to make it', async () => {
    for (const otp of ['', null, undefined]) {
      const reply = await shop.pay({ ...withCode, otp })
      expect([reply.status, reply.error.code]).toEqual([422, 'prepayment_otp_missing'])
      expect(reply.error.message).toContain('#144*82#')
    }
    const blank = await shop.pay({ ...withCode, otp: ' ' })
    expect([blank.status, Object.keys(blank.error)]).toEqual([400, ['otp']])
  })

  it('is none in a retry, in a top-up and on the page of a session', async () => {
    const failed = await shop.pay({ customer: newPayer('03') })
    expect((await shop.post(`/payments/${failed.data.id}/retry/`, { otp: '' })).status).toBe(200)
    const { customer, ...rest } = softpay({ customer: newPayer() })
    const topped = await shop.post('/top-ups/initialize/', { ...rest, ...customer, otp: '' })
    expect(topped.status, JSON.stringify(topped.error)).toBe(201)
    const { slug } = await openSession(shop)
    const paid = await callPublic(app, 'POST', `/checkout/${slug}/pay/`, {
      ...paymentBody(),
      otp: '',
    })
    expect(paid.status, JSON.stringify(paid.error)).toBe(201)
  })

  it('is still needed where it is all that a call is for', async () => {
    const sn = { country: 'SN', network: 'wizall_sn', customer: { phone: '+221771234510' } }
    const { data } = await shop.pay(sn)
    const reply = await shop.post(`/payments/${data.id}/confirm-otp/`, { otp: '' })
    expect([reply.status, Object.keys(reply.error)]).toEqual([400, ['otp']])
  })
})

describe('an empty second factor', () => {
  const login = async (by: { email: string; password: string }, totp: unknown) => {
    const { email, password } = by
    const anyone = { authorization: '' }
    const { status, error } = await shop.post('/auth/login/', { email, password, totp }, anyone)
    return [status, error?.code]
  }

  it('is none: whoever has no factor signs in, and whoever has one is asked for it', async () => {
    const [plain, enrolled] = [await app.member(), await app.member({ second_factor: 'STALE' })]
    for (const totp of ['', null, undefined]) {
      expect(await login(plain, totp)).toEqual([200, undefined])
      expect(await login(enrolled, totp)).toEqual([401, 'totp_required'])
    }
  })
})

describe('a customer', () => {
  it('may be sent back as they were answered, without an e-mail too', async () => {
    const { data: made } = await shop.post('/customers/', { phone: newPayer().phone, email: '' })
    expect(made.email).toBe('')
    const { phone, email, first_name, last_name, country } = made
    const same = { phone, email, first_name, last_name, country }
    const again = await shop.call('PATCH', `/customers/${made.id}/`, {
      body: JSON.stringify(same),
      headers: { 'content-type': 'application/json' },
    })
    expect([again.status, again.data.email]).toEqual([200, ''])
    const wrong = await shop.post('/customers/', { phone: newPayer().phone, email: 'x' })
    expect(wrong.error).toEqual({ email: ['Must be an e-mail address.'] })
  })
})
