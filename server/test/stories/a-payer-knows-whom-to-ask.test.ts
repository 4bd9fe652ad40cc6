// A merchant says where its payers find and ask it; they read it on every page of its and on its
// papers. Nothing there leads to anything but an https site, a number and a mailbox, and in LIVE it
// is what staff have seen.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import {
  attributeOf,
  BrowserWithoutScript,
  type Page,
  tagOf,
  textIn,
} from '../setup/browser-without-script.ts'
import { openSession } from '../setup/payer-calls.ts'
import { textOf } from '../setup/pdf-text.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

const change = (by: Shop, contact: unknown) =>
  by.call('PATCH', '/merchant/', {
    body: JSON.stringify({ contact }),
    headers: { 'content-type': 'application/json' },
  })

const typed = {
  site_url: ' https://Boutique-Awa.example ',
  phone: '+229 01 97 00 00 10',
  whatsapp: '+229 (01) 95-00-00-10',
  email: ' Aide@boutique-awa.example ',
}
const kept = {
  site_url: 'https://boutique-awa.example/',
  phone: '+2290197000010',
  whatsapp: '+2290195000010',
  email: 'aide@boutique-awa.example',
}
const none = { site_url: '', phone: '', whatsapp: '', email: '' }

const national = (magic: string) => newPayer(magic).phone.slice('+229'.length)

/** What a page says of whom to ask, and where it leads. */
function contactOn(page: Page) {
  const text = textIn(page, 'contact')?.replace(/\s+/g, ' ').trim()
  const whole = /<p id="contact">.*?<\/p>/s.exec(page.html)?.[0] ?? ''
  const tags = whole.match(/<a [^>]*>/g) ?? []
  return { text, leads: tags.map((tag) => attributeOf(tag, 'href')) }
}

const shown = {
  text: expect.stringMatching(
    /^A question for .+\? \+229 01 97 00 00 10 WhatsApp aide@boutique-awa\.example boutique-awa\.example$/,
  ),
  leads: [
    'tel:+2290197000010',
    'https://wa.me/2290195000010',
    'mailto:aide@boutique-awa.example',
    'https://boutique-awa.example/',
  ],
}

describe('the contact of a merchant', () => {
  it('is kept in one form, part by part, and its change is in the audit log', async () => {
    const owner = await app.member()
    const first = await change(owner, typed)
    expect([first.status, first.data.contact]).toEqual([200, kept])
    const less = await change(owner, { phone: '', whatsapp: '+2290195000010' })
    expect(less.data.contact).toEqual({ ...kept, phone: '' })
    expect((await owner.get('/merchant/')).data.contact).toEqual({ ...kept, phone: '' })
    const log = await app.owner<Json[]>`
      select action, before, after from audit_logs
       where merchant_id = ${owner.merchant_id} and action = 'merchant.settings_changed'
       order by id`
    const { phone, ...rest } = kept
    expect(log.map(({ before, after }) => [before, after])).toEqual([
      [{ contact: {} }, { contact: { phone, ...rest } }],
      [{ contact: { phone, ...rest } }, { contact: rest }],
    ])
  })

  it('is changed by those who may change the settings, and by no key', async () => {
    const owner = await app.member()
    const { merchant_id } = owner
    const viewer = await app.member({ merchant_id, role: 'VIEWER' })
    expect((await change(viewer, typed)).error?.code).toBe('permission_denied')
    const key = await app.shop({ merchant_id, scope: 'BOTH' })
    expect((await change(key, typed)).status).toBe(403)
    expect((await owner.get('/merchant/')).data.contact).toEqual(none)
  })

  it.each([
    ['site_url', 'javascript:alert(1)'],
    ['site_url', 'http://boutique.example'],
    ['site_url', 'https://'],
    ['site_url', 'https://localhost'],
    ['site_url', 'https://127.0.0.1/'],
    ['site_url', 'https://pay.example@evil.example/'],
    ['site_url', 'https://boutique.example:8443/'],
    ['site_url', 'https://boutique.example\\@evil.example'],
    ['site_url', `https://boutique.example/${'a'.repeat(190)}`],
    ['phone', '01 97 00 00 10'],
    ['phone', 'javascript:alert(1)'],
    ['phone', '+229'],
    ['whatsapp', '+1234567890123456'],
    ['email', 'aide'],
    ['email', 'a@b.example?bcc=c@d.example'],
  ])('is refused by its field, in words: %s %s', async (field, value) => {
    const owner = await app.member()
    const reply = await change(owner, { [field]: value })
    expect([reply.status, Object.keys(reply.error)]).toEqual([400, [`contact.${field}`]])
    const [text] = reply.error[`contact.${field}`]
    expect(text).toMatch(/such as .+ or empty\.|at most 200 characters/)
    expect((await owner.get('/merchant/')).data.contact).toEqual(none)
  })

  it('names all that is wrong at once', async () => {
    const owner = await app.member()
    const reply = await change(owner, { site_url: 'ftp://a.example', phone: '1', email: 'x' })
    const fields = ['contact.email', 'contact.phone', 'contact.site_url']
    expect([reply.status, Object.keys(reply.error).sort()]).toEqual([400, fields])
  })
})

/** A shop of one merchant with its contact, in the sandbox. */
async function reachable() {
  const owner = await app.member()
  expect((await change(owner, typed)).status).toBe(200)
  return { owner, shop: await app.shop({ merchant_id: owner.merchant_id }) }
}

describe('a payer', () => {
  it('reads it on each page of a payment: choosing, waiting, failed, paid, receipt', async () => {
    const { shop } = await reachable()
    const own = new BrowserWithoutScript(app.url, 'en')
    const pay = async (magic: string) => {
      const { slug } = await openSession(shop, { country: 'BJ' })
      const choose = await own.open(`/checkout/${slug}`)
      const answer = await own.submit(choose, 'pay-form', {
        network: 'mtn_bj',
        phone: national(magic),
      })
      return { choose, answer }
    }
    const { choose, answer: waiting } = await pay('04')
    expect(contactOn(choose)).toEqual(shown)
    expect(waiting.text).toContain('Confirm on your phone')
    expect(contactOn(waiting)).toEqual(shown)
    const reach = async (magic: string, sign: string) => {
      const { answer } = await pay(magic)
      return eventually(async () => {
        const page = await own.open(answer.at)
        if (tagOf(page, sign) === undefined) throw new Error(`no ${sign} yet`)
        return page
      })
    }
    expect(contactOn(await reach('01', 'failure'))).toEqual(shown)
    const paid = await reach('10', 'reference')
    expect(contactOn(paid)).toEqual(shown)
    const receipt = await own.open(attributeOf(tagOf(paid, 'receipt') ?? '', 'href') ?? '')
    expect(receipt.text).toContain('This receipt is genuine')
    expect(contactOn(receipt)).toEqual(shown)
    const id = (await shop.get('/transactions/?status=SUCCESS')).data.results[0].id
    const invoice = await fetch(`${app.url}/api/v1/transactions/${id}/invoice/?lang=en`, {
      headers: { authorization: `Bearer ${shop.key}` },
    })
    const paper = textOf(Buffer.from(await invoice.arrayBuffer()))
    expect(paper).toContain('+229 01 97 00 00 10')
    expect(paper).toContain('WhatsApp +229 01 95 00 00 10')
    expect(paper).toContain('aide@boutique-awa.example')
    expect(paper).toContain('boutique-awa.example')
    // Withdrawn, it says to ask the merchant why: here is how.
    await shop.post(`/transactions/${id}/receipt/revoke/`)
    const gone = await own.open(receipt.at)
    expect([gone.status, contactOn(gone)]).toEqual([410, shown])
  })

  it('reads it where nothing can be paid: expired, cancelled, a link that is off', async () => {
    const { shop } = await reachable()
    const own = new BrowserWithoutScript(app.url, 'en')
    const [old, gone] = [
      await openSession(shop, { country: 'BJ' }),
      await openSession(shop, { country: 'BJ' }),
    ]
    await app.owner`
      update checkout_sessions set expires_at = now() - interval '1 second', due_at = null
       where id = ${old.id}`
    await shop.post(`/checkout-sessions/${gone.id}/cancel/`)
    const body = { name: 'Shoes', amount: '5000', currency: 'XOF' }
    const { data: link } = await shop.post('/payment-links/', body)
    expect(contactOn(await own.open(`/pay/${link.slug}`))).toEqual(shown)
    const off = { body: JSON.stringify({ is_active: false }) }
    await shop.call('PATCH', `/payment-links/${link.id}/`, {
      ...off,
      headers: { 'content-type': 'application/json' },
    })
    for (const path of [`/checkout/${old.slug}`, `/checkout/${gone.slug}`, `/pay/${link.slug}`]) {
      const page = await own.open(path)
      expect([path, page.status]).toEqual([path, 410])
      expect(contactOn(page)).toEqual(shown)
    }
  })

  it('reads nothing where the merchant has said nothing, or of nobody', async () => {
    const shop = await app.shop()
    const own = new BrowserWithoutScript(app.url, 'en')
    const { slug } = await openSession(shop, { country: 'BJ' })
    for (const path of [`/checkout/${slug}`, '/checkout/x']) {
      expect((await own.open(path)).html).not.toContain('id="contact"')
    }
  })
})

describe('in LIVE', () => {
  it('the contact is what staff have seen; what was taken away is away at once', async () => {
    const owner = await app.member({ second_factor: 'FRESH' })
    const { merchant_id } = owner
    expect((await change(owner, typed)).status).toBe(200)
    const staff = await app.staff()
    const path = `/admin/merchants/${merchant_id}/`
    const seen = async () => (await staff.get(path)).data
    expect((await staff.post(`${path}approve/`)).data.reviewed_contact).toEqual(kept)
    const body = { name: 'Shoes', amount: '5000', currency: 'XOF' }
    const made = await owner.post('/payment-links/', body, { 'x-environment': 'LIVE' })
    const own = new BrowserWithoutScript(app.url, 'en')
    const page = async () => contactOn(await own.open(`/pay/${made.data.slug}`))
    expect(await page()).toEqual(shown)

    await change(owner, { phone: '+2290166666666' })
    expect(await page()).toEqual(shown)
    expect(await seen()).toMatchObject({
      contact: { ...kept, phone: '+2290166666666' },
      reviewed_contact: kept,
      name_review_since: expect.any(String),
    })
    const since = (await seen()).name_review_since
    const refusal = { since, reason: 'This is not your number.' }
    expect((await staff.post(`${path}reject-name/`, refusal)).data.contact).toEqual(kept)

    await change(owner, { phone: '+2290166666666' })
    const agreed = { since: (await seen()).name_review_since }
    expect((await staff.post(`${path}approve-name/`, agreed)).status).toBe(200)
    expect((await page()).leads[0]).toBe('tel:+2290166666666')

    await change(owner, none)
    expect(await page()).toEqual({ text: undefined, leads: [] })
    expect((await seen()).name_review_since).toBeNull()
  })

  it('a number that was taken out is out at once, and does not come back by itself', async () => {
    const { lapseNameReviews } = await import('../../src/merchants/settings/names.ts')
    const owner = await app.member({ second_factor: 'FRESH' })
    expect((await change(owner, typed)).status).toBe(200)
    const staff = await app.staff()
    const path = `/admin/merchants/${owner.merchant_id}/`
    const seen = async () => (await staff.get(path)).data
    await staff.post(`${path}approve/`)
    const body = { name: 'Shoes', amount: '5000', currency: 'XOF' }
    const made = await owner.post('/payment-links/', body, { 'x-environment': 'LIVE' })
    const own = new BrowserWithoutScript(app.url, 'en')
    const leads = async () => contactOn(await own.open(`/pay/${made.data.slug}`)).leads
    const without = shown.leads.filter((lead) => !lead.startsWith('tel:'))
    expect([await leads(), without.length]).toEqual([shown.leads, shown.leads.length - 1])

    await change(owner, { phone: '' })
    expect(await leads()).toEqual(without)
    // A part of what was seen is seen: there is nothing to wait for.
    expect((await seen()).name_review_since).toBeNull()

    // Beside a change that waits it is out too, and stays out when that is refused, or lapses.
    const monthLater = () => app.owner`
      update merchants set name_review_since = now() - interval '31 days'
       where id = ${owner.merchant_id}`
    const ends = [
      async () => {
        const refusal = { since: (await seen()).name_review_since, reason: 'Not yours.' }
        expect((await staff.post(`${path}reject-name/`, refusal)).status).toBe(200)
      },
      async () => {
        await monthLater()
        await lapseNameReviews(app.service.db)
      },
    ]
    for (const end of ends) {
      await change(owner, { whatsapp: '+2290166666666' })
      expect(await leads()).toEqual(without)
      expect((await seen()).name_review_since).not.toBeNull()
      await end()
      expect((await seen()).contact).toEqual({ ...kept, phone: '' })
      expect(await leads()).toEqual(without)
    }
  })

  it('nobody’s contact that was never seen is shown', async () => {
    const owner = await app.member({ second_factor: 'FRESH' })
    const staff = await app.staff()
    await staff.post(`/admin/merchants/${owner.merchant_id}/approve/`)
    await change(owner, typed)
    const body = { name: 'Shoes', amount: '5000', currency: 'XOF' }
    const made = await owner.post('/payment-links/', body, { 'x-environment': 'LIVE' })
    const own = new BrowserWithoutScript(app.url, 'en')
    expect((await own.open(`/pay/${made.data.slug}`)).html).not.toContain('id="contact"')
    await app.owner`
      update merchants set name_review_since = now() - interval '31 days'
       where id = ${owner.merchant_id}`
    const { lapseNameReviews } = await import('../../src/merchants/settings/names.ts')
    await lapseNameReviews(app.service.db)
    expect((await owner.get('/merchant/')).data.contact).toEqual(none)
  })
})
