// Every page that cannot be what its reader hoped for: its true status, a sentence they understand,
// and nothing of the merchant's account. And the page of a payment link, from first look to
// session.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { BrowserWithoutScript, formOf, tagOf, textIn } from '../setup/browser-without-script.ts'
import { callPublic, openSession, sessionBecomes } from '../setup/payer-calls.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
})
afterAll(() => app.stop())

const browser = (language = 'en') => new BrowserWithoutScript(app.url, language)
const national = (magic: string) => newPayer(magic).phone.slice('+229'.length)
const unknown = 'q3Vd0mY7x1Zs5kN8bT2wR6cL9aH4gJfP'

describe('an address that nobody has', () => {
  it.each([
    '/checkout/x',
    `/checkout/${unknown}`,
    `/checkout/${unknown}/else/where`,
    '/checkout/%00',
    `/pay/${unknown}`,
    '/pay/x/y',
    `/checkout/${unknown}/go`,
    `/checkout/${unknown}/live`,
  ])('%s is a page with 404', async (path) => {
    const page = await browser('fr').open(path)
    expect([page.status, page.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ])
    expect(page.text).toContain('Cette page n’existe pas')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it('is 404 for a form too, and what is no form is 415', async () => {
    const send = (body: string, type: string) =>
      fetch(`${app.url}/checkout/${unknown}/pay`, {
        method: 'POST',
        body,
        headers: { 'content-type': type },
      })
    expect((await send('network=mtn_bj', 'application/x-www-form-urlencoded')).status).toBe(404)
    const json = await send('{}', 'application/json')
    expect([json.status, json.headers.get('content-type')]).toEqual([
      415,
      'text/html; charset=utf-8',
    ])
    const large = await send(`a=${'x'.repeat(20_000)}`, 'application/x-www-form-urlencoded')
    expect(large.status).toBe(413)
  })
})

describe('a session that is over', () => {
  it('is 410: cancelled', async () => {
    const session = await openSession(shop, { country: 'BJ' })
    const own = browser()
    const choose = await own.open(`/checkout/${session.slug}`)
    await shop.post(`/checkout-sessions/${session.id}/cancel/`)
    const page = await own.open(`/checkout/${session.slug}`)
    expect([page.status, textIn(page, 'reason')]).toEqual([
      410,
      'The merchant cancelled it and nothing was taken. Contact them if you still want to pay.',
    ])
    expect(page.html).not.toContain('shop.example.com')
    const late = { network: 'mtn_bj', phone: national('10') }
    expect((await own.submit(choose, 'pay-form', late)).status).toBe(410)
  })

  it('is 410: expired, before and after the worker has said so', async () => {
    const session = await openSession(shop, { country: 'BJ' })
    await app.owner`
      update checkout_sessions set expires_at = now() - interval '1 second', due_at = null
       where id = ${session.id}`
    const before = await browser('fr').open(`/checkout/${session.slug}`)
    expect([before.status, before.text]).toEqual([410, expect.stringContaining('délai')])
    await app.owner`
      update checkout_sessions set due_at = now() - interval '1 second' where id = ${session.id}`
    await sessionBecomes(shop, session.id, 'EXPIRED')
    expect((await browser().open(`/checkout/${session.slug}`)).status).toBe(410)
  })
})

describe('a suspended merchant', () => {
  it('is not served, but what is under way is still shown', async () => {
    const closed = await app.shop()
    const [idle, paying] = [
      await openSession(closed, { country: 'BJ' }),
      await openSession(closed, { country: 'BJ' }),
    ]
    const link = (
      await closed.post('/payment-links/', { name: 'Tontine', currency: 'XOF', amount: '1000' })
    ).data
    const own = browser()
    const choose = await own.open(`/checkout/${paying.slug}`)
    await own.submit(choose, 'pay-form', { network: 'mtn_bj', phone: national('04') })
    await suspendMerchant(app.service.db, closed.merchant_id, 'a test')
    const page = await own.open(`/checkout/${idle.slug}`)
    expect([page.status, textIn(page, 'reason')]).toEqual([
      422,
      'This merchant takes no payments at the moment. Nothing was taken from you.',
    ])
    expect(page.text).not.toMatch(/suspend|a test/i)
    const sent = await own.submit(
      { ...choose, html: choose.html.replaceAll(paying.slug, idle.slug) },
      'pay-form',
      { network: 'mtn_bj', phone: national('10') },
    )
    expect(sent.status).toBe(422)
    expect((await own.open(`/checkout/${paying.slug}`)).text).toContain('Confirm on your phone')
    expect((await own.open(`/pay/${link.slug}`)).status).toBe(422)
  })
})

describe('a payment of which nobody knows yet whether it was made', () => {
  const told =
    'It is not known yet whether this payment went through. ' +
    'Contact the merchant before you pay again.'
  type Known = Readonly<{ id: string; slug: string }>

  /** Its time to be asked about is over, and its operator has not said how it ended. */
  async function outcomeUnknown({ id }: Known, by: Shop) {
    const [row] = await app.owner<{ transaction_id: string }[]>`
      select transaction_id from checkout_sessions where id = ${id}`
    const transaction_id = row?.transaction_id ?? ''
    await app.owner`
      update attempts
         set asking_until = now() - interval '1 second', due_at = now() - interval '1 second',
             asked_at = null, leased_until = null
       where transaction_id = ${transaction_id}`
    expect((await by.becomes(transaction_id, 'FAILED')).failure_code).toBe('UNKNOWN')
  }

  const expire = ({ id }: Known) =>
    app.owner`
      update checkout_sessions set expires_at = now() - interval '1 second' where id = ${id}`
  const cancel = ({ id }: Known, by: Shop) => by.post(`/checkout-sessions/${id}/cancel/`)
  const suspend = (_: Known, by: Shop) => suspendMerchant(app.service.db, by.merchant_id, 'a test')
  const switchOff = ({ id }: Known) =>
    app.owner`
      update payment_links set is_active = false
       where id = (select payment_link from checkout_sessions where id = ${id})`

  async function openByLink(by: Shop): Promise<Known> {
    const body = { name: 'Tontine', currency: 'XOF', amount: '5000' }
    const { data: link } = await by.post('/payment-links/', body)
    const at = `/payment-links/public/${link.slug}/checkout/`
    const { data } = await callPublic(app, 'POST', at, { customer: { first_name: 'Kofi' } })
    const [row] = await app.owner<Known[]>`
      select id, slug from checkout_sessions where slug = ${data.slug}`
    return row ?? { id: '', slug: '' }
  }
  const openOwn = (by: Shop): Promise<Known> => openSession(by, { country: 'BJ' })

  it.each([
    ['whose session is over', openOwn, expire, 410, 'The time to pay has run out'],
    ['that was cancelled', openOwn, cancel, 410, 'This payment was cancelled'],
    ['of a suspended merchant', openOwn, suspend, 422, 'Payments are not possible now'],
    ['of a link that was switched off', openByLink, switchOff, 410, 'This link is disabled'],
  ] as const)('is nowhere called unpaid: %s', async (_, open, end, status, title) => {
    const by = await app.shop()
    const own = browser()
    const session = await open(by)
    const address = `/checkout/${session.slug}?country=BJ`
    const choose = await own.open(address)
    await own.submit(choose, 'pay-form', { network: 'mtn_bj', phone: national('04') })
    await outcomeUnknown(session, by)
    await end(session, by)
    const again = { network: 'mtn_bj', phone: national('10') }
    for (const page of [await own.open(address), await own.submit(choose, 'pay-form', again)]) {
      expect([page.status, textIn(page, 'reason')]).toEqual([status, told])
      expect(page.text).toContain(title)
      expect(page.text).not.toMatch(/nothing was taken|ask for another|new payment page/i)
      expect(tagOf(page, 'again')).toBeUndefined()
    }
    expect((await browser('fr').open(address)).text).toContain(
      'On ne sait pas encore si ce paiement est passé. ' +
        'Contactez le marchand avant de payer à nouveau.',
    )
  })

  it('is nowhere called unpaid: after the fifth wrong code', async () => {
    const session = await openSession(shop, { country: 'SN' })
    const own = browser()
    const choose = await own.open(`/checkout/${session.slug}`)
    let page = await own.submit(choose, 'pay-form', { network: 'wizall_sn', phone: '771234911' })
    for (let tries = 1; tries <= 5; tries += 1) {
      page = await own.submit(page, 'code-form', { otp: `00000${tries}` })
    }
    await cancel(session, shop)
    const over = await own.open(`/checkout/${session.slug}`)
    expect([over.status, textIn(over, 'reason')]).toEqual([410, told])
  })
})

describe('too many tries', () => {
  it('are 429 by address, with how long to wait, and the number’s prompts too', async () => {
    // All processes count together: what the stories before have used is forgotten.
    const forget = () => app.owner`delete from throttle_windows`
    await forget()
    const small = await app.another({ LIMIT_PUBLIC_PER_IP_MINUTE: '3' })
    const own = new BrowserWithoutScript(small.public_url, 'fr')
    const pages = []
    for (let tries = 1; tries <= 4; tries += 1) pages.push(await own.open(`/pay/${unknown}`))
    expect(pages.map(({ status }) => status)).toEqual([404, 404, 404, 429])
    const last = pages.at(-1)
    expect(last?.text).toContain('Trop de tentatives')
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
    await small.stop()
    await forget()

    const few = await app.another({ LIMIT_PHONE_PROMPTS_10MIN: '1' })
    const payer = new BrowserWithoutScript(few.public_url)
    const phone = national('04')
    const statuses = []
    for (const session of [await openSession(shop), await openSession(shop)]) {
      const choose = await payer.open(`/checkout/${session.slug}?country=BJ`)
      statuses.push(await payer.submit(choose, 'pay-form', { network: 'mtn_bj', phone }))
    }
    expect(statuses.map(({ status }) => status)).toEqual([200, 429])
    expect(statuses.at(-1)?.text).toContain('Wait 10 min')
    expect(tagOf(statuses.at(-1) ?? { html: '' }, 'again')).toBeDefined()
    await few.stop()

    // It was asked once just now: that was its day.
    const daily = await app.another({ LIMIT_PHONE_PROMPTS_DAY: '1' })
    const patient = new BrowserWithoutScript(daily.public_url)
    const choose = await patient.open(`/checkout/${(await openSession(shop)).slug}?country=BJ`)
    const refused = await patient.submit(choose, 'pay-form', { network: 'mtn_bj', phone })
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('Wait 24 h')])
    await daily.stop()
  })

  it.each([
    ['en', 'This page takes no more attempts. Ask the merchant for a new payment page.'],
    ['fr', 'Cette page n’accepte plus de tentative. Demandez-en une nouvelle au marchand.'],
  ])('of one session are its last: nobody is told to wait (%s)', async (language, message) => {
    const few = await app.another({ LIMIT_SESSION_PAYMENTS: '1' })
    const payer = new BrowserWithoutScript(few.public_url, language)
    const address = `/checkout/${(await openSession(shop)).slug}?country=BJ`
    const form = await payer.open(address)
    const sent = { network: 'mtn_bj', phone: national('03') }
    for (const page of [await payer.submit(form, 'pay-form', sent), await payer.open(address)]) {
      expect([page.status, textIn(page, 'reason')]).toEqual([429, message])
      expect(tagOf(page, 'again')).toBeUndefined()
    }
    await few.stop()
  })
})

describe('an error of ours', () => {
  it('is 500, says to look before paying again, and nothing else', async () => {
    const session = await openSession(shop, { country: 'BJ' })
    // No merchant and no payer can do this: a currency that is none.
    await app.owner`update checkout_sessions set currency = 'ZZZ' where id = ${session.id}`
    const page = await browser().open(`/checkout/${session.slug}`)
    expect(page.status).toBe(500)
    expect(page.text).toContain('Check the payment’s status before you pay again.')
    expect(page.text).not.toMatch(/bug|assert|Error:/)
  })
})

describe('a payment link', () => {
  const make = async (changes: Record<string, unknown> = {}): Promise<Json> => {
    const body = { name: 'Tontine', currency: 'XOF', amount: '1000', ...changes }
    return (await shop.post('/payment-links/', body)).data
  }
  const person = {
    first_name: 'Kofi',
    last_name: 'Mensah',
    email: 'kofi@example.com',
    phone: '+22997000010',
  }

  it('of a fixed amount asks who pays, and leads to a session', async () => {
    const link = await make({ description: 'November' })
    const own = browser()
    const page = await own.open(`/pay/${link.slug}`)
    expect(page.status).toBe(200)
    expect(page.text).toMatch(/Pay FCFA 1,000 Tontine November/)
    expect(tagOf(page, 'amount')).toBeUndefined()
    const choose = await own.submit(page, 'link-form', person)
    expect(choose.at).toMatch(/^\/checkout\/[\w-]{32}$/)
    // Their number says where they are.
    expect(formOf(choose, 'pay-form').fields['country']).toBe('BJ')
    const { data } = await shop.get('/checkout-sessions/?search=kofi@example.com')
    expect(data.results[0]).toMatchObject({
      amount: '1000.00',
      customer_name: 'Kofi Mensah',
      payment_link: link.id,
    })
  })

  it('of a free amount takes it as people write it, and not below the minimum', async () => {
    const link = await make({ amount_type: 'FREE', amount: null, min_amount: '500' })
    const own = browser('fr')
    const page = await own.open(`/pay/${link.slug}`)
    expect(page.text).toContain('Au moins 500 FCFA.')
    const low = await own.submit(page, 'link-form', { ...person, amount: '499' })
    expect([low.status, textIn(low, 'amount-error')]).toEqual([
      422,
      expect.stringContaining('au moins 500'),
    ])
    expect(formOf(low, 'link-form').fields).toMatchObject({ ...person, amount: '499' })
    const odd = await own.submit(page, 'link-form', { ...person, amount: 'mille' })
    expect([odd.status, tagOf(odd, 'amount-error')]).toEqual([422, expect.any(String)])
    const none = await own.submit(page, 'link-form', person)
    expect(textIn(none, 'amount-error')).toBe('Indiquez le montant à payer.')
    const choose = await own.submit(page, 'link-form', { ...person, amount: '2 500' })
    expect(choose.text).toContain('Payer 2 500 FCFA')
  })

  it('says what is wrong with sum, number and own fields at once, in their order', async () => {
    const custom_fields = [{ name: 'class', label: 'Classe', type: 'TEXT', required: true }]
    const free = { amount_type: 'FREE', amount: null, min_amount: '500', custom_fields }
    const own = browser('fr')
    const page = await own.open(`/pay/${(await make(free)).slug}`)
    const wrong = await own.submit(page, 'link-form', { amount: '100', phone: '12' })
    expect(wrong.status).toBe(422)
    const named = [...wrong.html.matchAll(/<li><a href="#([^"]+)">/g)].map(([, id]) => id)
    expect(named).toEqual(['amount', 'phone', 'own-class'])
  })

  it('names every field that is wrong', async () => {
    const link = await make()
    const own = browser()
    const page = await own.open(`/pay/${link.slug}`)
    const typed = { first_name: 'x'.repeat(101), email: 'kofi', phone: '9'.repeat(50) }
    const wrong = await own.submit(page, 'link-form', typed)
    expect(wrong.status).toBe(422)
    for (const id of ['first_name', 'email', 'phone']) {
      expect(textIn(wrong, `${id}-error`), id).not.toBe('')
      expect(wrong.html).toContain(`<a href="#${id}">`)
    }
  })

  it.each([
    [{ is_active: false }, 410, 'This link is disabled'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 410, 'This link has expired'],
    [{ amount: null }, 422, 'This link is not ready'],
  ])('that is %j says so', async (changes, status, title) => {
    const page = await browser().open(`/pay/${(await make(changes)).slug}`)
    expect([page.status, page.text]).toEqual([status, expect.stringContaining(title)])
  })

  it('that is used up says so, to who looks and to who has come before', async () => {
    const link = await make({ usage_limit: 1 })
    const own = browser()
    const page = await own.open(`/pay/${link.slug}`)
    const [first, second] = [
      await own.submit(page, 'link-form', person),
      await own.submit(page, 'link-form', person),
    ]
    await own.submit(first, 'pay-form', { network: 'mtn_bj', phone: national('04') })
    const late = { network: 'mtn_bj', phone: national('10') }
    for (const one of [
      await own.open(`/pay/${link.slug}`),
      await own.open(second.at),
      await own.submit(second, 'pay-form', late),
    ]) {
      expect([one.status, one.text]).toEqual([410, expect.stringContaining('used up')])
    }
  })

  it('that was deleted is as one that never was', async () => {
    const link = await make()
    await shop.call('DELETE', `/payment-links/${link.id}/`)
    expect((await browser().open(`/pay/${link.slug}`)).status).toBe(404)
  })
})
