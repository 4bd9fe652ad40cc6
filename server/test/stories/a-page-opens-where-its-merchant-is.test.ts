// Where nothing tells of the payer, the pages of a merchant open at its own country: the prefix, an
// example and that country's networks stand there at once, and a number is understood as it is
// written at home. The payer may be from elsewhere, and says so; what they say holds.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, type Shop, startApp, type TestApp } from '../harness.ts'
import {
  BrowserWithoutScript,
  formOf,
  type Page,
  tagOf,
  textIn,
} from '../setup/browser-without-script.ts'
import { openSession } from '../setup/payer-calls.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

/** A shop of this country, or of none. */
async function shopOf(country: string | null): Promise<Shop> {
  const shop = await app.shop()
  await app.owner`update merchants set country = ${country} where id = ${shop.merchant_id}`
  return shop
}

const browser = () => new BrowserWithoutScript(app.url, 'en')

async function linkOf(by: Shop, changes: object = {}): Promise<string> {
  const body = { name: 'Tontine', currency: 'XOF', amount: '5000', ...changes }
  const { status, data }: { status: number; data: Json } = await by.post('/payment-links/', body)
  expect(status).toBe(201)
  return new URL(data.url).pathname
}

const sessionOf = async (by: Shop, changes: Record<string, unknown> = {}) =>
  `/checkout/${(await openSession(by, changes)).slug}`

const countryOn = (page: Page, form: string) => formOf(page, form).fields['country']

describe('a checkout session without a country', () => {
  it('opens at its merchant’s, and a number of there is paid with', async () => {
    const own = browser()
    const page = await own.open(await sessionOf(await shopOf('BJ')))
    expect(countryOn(page, 'pay-form')).toBe('BJ')
    expect(page.text).toMatch(/Example: 01 95 12 34 56 \+229/)
    expect(page.text).toContain('MTN MoMo')
    expect(page.text).toContain('Benin · change country')
    const choice = { network: 'mtn_bj', phone: '0197000010' }
    const paying = await own.submit(page, 'pay-form', choice)
    expect(paying.text).toMatch(/Payment successful|Confirm on your phone/)
  })

  it('is changed by the payer, and what they chose holds', async () => {
    const own = browser()
    const shop = await shopOf('BJ')
    const page = await own.open(await sessionOf(shop))
    const there = await own.submit(page, 'pay-form', { country: 'TG', change: '1' })
    expect(countryOn(there, 'pay-form')).toBe('TG')
    await own.submit(there, 'pay-form', { network: 'moov_tg', phone: '98123404' })
    // Their last choice comes before where the merchant is.
    expect(countryOn(await own.open(await sessionOf(shop)), 'pay-form')).toBe('TG')
  })

  it('opens where the session or its number says, before its merchant’s', async () => {
    const shop = await shopOf('BJ')
    const of_session = await browser().open(await sessionOf(shop, { country: 'CI' }))
    expect(countryOn(of_session, 'pay-form')).toBe('CI')
    const customer_phone = '+221770000010'
    const of_number = await browser().open(await sessionOf(shop, { customer_phone }))
    expect(countryOn(of_number, 'pay-form')).toBe('SN')
  })

  it.each([
    ['its merchant has none', null, 'XOF', null],
    ['people there pay in another currency', 'BJ', 'XAF', null],
    ['it is not served', 'FR', 'XOF', null],
    ['it is no country', 'XX', 'USD', null],
    ['its merchant has shut it', 'BJ', 'XOF', ['SN', 'CI']],
  ])('asks for it where %s', async (_, country, currency, allowed_countries) => {
    const shop = await shopOf(country)
    await app.owner`
      update merchants set allowed_countries = ${allowed_countries}
       where id = ${shop.merchant_id}`
    const page = await browser().open(await sessionOf(shop, { currency }))
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Choose your country')])
    expect(countryOn(page, 'pay-form')).toBe('')
    expect(page.text).not.toContain('+229 01')
  })
})

describe('a payment link', () => {
  it('opens at its merchant’s country, and understands a number of there', async () => {
    const own = browser()
    const page = await own.open(await linkOf(await shopOf('BJ')))
    expect(countryOn(page, 'link-form')).toBe('BJ')
    expect(page.text).toMatch(/Example: 01 95 12 34 56 \+229/)
    const session = await own.submit(page, 'link-form', { phone: '0197000010' })
    expect(session.at).toMatch(/^\/checkout\/[\w-]+$/)
    expect(formOf(session, 'pay-form').fields).toMatchObject({
      ...{ country: 'BJ', network: 'mtn_bj', phone: '01 97 00 00 10' },
    })
  })

  it('takes a number of elsewhere with its prefix', async () => {
    const own = browser()
    const page = await own.open(await linkOf(await shopOf('BJ')))
    const session = await own.submit(page, 'link-form', { phone: '+221 77 000 00 10' })
    expect(countryOn(session, 'pay-form')).toBe('SN')
  })

  it.each([
    ['BJ', 'You cannot pay from France here. Enter a number of Benin, for example 01 95 12 34 56.'],
    [null, 'Enter your number with its country code, for example +229 01 95 12 34 56.'],
  ])('of a merchant of %s says at once where nobody can pay from', async (country, text) => {
    const own = browser()
    const page = await own.open(await linkOf(await shopOf(country)))
    const phone = '+33 6 12 34 56 78'
    const refused = await own.submit(page, 'link-form', { phone })
    expect([refused.status, refused.at]).toEqual([422, page.at])
    expect(textIn(refused, 'phone-error')).toBe(text)
    expect(tagOf(refused, 'phone')).toContain(`value="${phone}"`)
  })

  it('hands on the country that was chosen there without a number', async () => {
    const own = browser()
    const page = await own.open(await linkOf(await shopOf('BJ')))
    const changed = await own.submit(page, 'link-form', { country: 'CI', change: '1' })
    expect(countryOn(changed, 'link-form')).toBe('CI')
    const session = await own.submit(changed, 'link-form', {})
    expect(countryOn(session, 'pay-form')).toBe('CI')
  })

  it('asks for the country of a merchant that has none', async () => {
    const page = await browser().open(await linkOf(await shopOf(null)))
    expect(countryOn(page, 'link-form')).toBe('')
    expect(tagOf(page, 'code')).toBeUndefined()
    expect(page.text).toContain('Choose your country')
  })
})
