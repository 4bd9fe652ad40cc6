// What every page promises whatever it says: light enough for a slow network, one request, nothing
// of elsewhere, nothing kept, nothing unescaped, the reader's own language, and an ear that ends.

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import {
  attributeOf,
  BrowserWithoutScript,
  type Page,
  tagOf,
} from '../setup/browser-without-script.ts'
import { openSession } from '../setup/payer-calls.ts'
import { pngOf } from '../setup/pictures.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
})
afterAll(() => app.stop())

const browser = (language = 'en') => new BrowserWithoutScript(app.url, language)
const national = (magic: string) => newPayer(magic).phone.slice('+229'.length)

/** One of each: choosing with an error, waiting, code, hop, paid, refused, link. */
async function pagesOf(by: Shop): Promise<Readonly<Record<string, Page>>> {
  const own = browser()
  const open = async (country: string) =>
    own.open(`/checkout/${(await openSession(by, { country })).slug}`)
  const bj = await open('BJ')
  const sn = await open('SN')
  const { data: link } = await by.post('/payment-links/', {
    name: 'Tontine',
    currency: 'XOF',
    amount_type: 'FREE',
  })
  const done = await open('BJ')
  await own.submit(done, 'pay-form', { network: 'mtn_bj', phone: national('10') })
  const paid = await eventually(async () => {
    const page = await own.open(done.at)
    if (tagOf(page, 'reference') === undefined) throw new Error('not paid yet')
    return page
  })
  return {
    choose: bj,
    choose_largest: await open('CI'),
    error: await own.submit(bj, 'pay-form', {}),
    waiting: await own.submit(bj, 'pay-form', { network: 'mtn_bj', phone: national('04') }),
    code: await own.submit(sn, 'pay-form', { network: 'wizall_sn', phone: '771234904' }),
    hop: await own.submit(await open('SN'), 'pay-form', {
      network: 'wave_sn',
      phone: '771235004',
    }),
    link: await own.open(`/pay/${link.slug}`),
    refused: await own.open('/checkout/x'),
    paid,
  }
}

const firsts = new Set(['choose', 'choose_largest', 'link', 'error'])

describe('every page', () => {
  it('is light, compressed as the reader can take it', async () => {
    for (const [name, page] of Object.entries(await pagesOf(shop))) {
      expect(page.headers.get('content-encoding'), name).toBe('br')
      expect(page.bytes, name).toBeGreaterThan(500)
      expect(page.bytes, name).toBeLessThanOrEqual(firsts.has(name) ? 14_000 : 8_000)
    }
    const { slug } = await openSession(shop, { country: 'CI' })
    const encodings = { 'gzip, br;q=0': 'gzip', 'GZIP;q=0.5': 'gzip', identity: null }
    for (const [accepted, encoding] of Object.entries(encodings)) {
      const reply = await fetch(`${app.url}/checkout/${slug}`, {
        headers: { 'accept-encoding': accepted },
      })
      expect([reply.headers.get('content-encoding'), reply.status]).toEqual([encoding, 200])
      expect(reply.headers.get('vary')).toContain('Accept-Encoding')
      if (encoding === 'gzip') {
        expect(Number(reply.headers.get('content-length'))).toBeLessThanOrEqual(14_000)
      }
      expect(await reply.text()).toContain('</html>')
    }
  })

  it('lets in what stands in it and nothing else', async () => {
    for (const [name, { html, headers }] of Object.entries(await pagesOf(shop))) {
      const policy = headers.get('content-security-policy') ?? ''
      for (const part of [
        "default-src 'none'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]) {
        expect(policy, name).toContain(part)
      }
      expect(policy, name).not.toMatch(/unsafe|https?:|\*/)
      const inline = [...html.matchAll(/<(?:style|script)>(.*?)<\/(?:style|script)>/gs)]
      expect(inline, name).toHaveLength(3)
      for (const [, text = ''] of inline) {
        const hash = createHash('sha256').update(text).digest('base64')
        expect(policy, name).toContain(`'sha256-${hash}'`)
      }
      // Nothing that a policy would have to refuse, and nothing that asks anybody for more.
      expect(html, name).not.toMatch(/\sstyle=|\son\w+=|<script[^>]|<link rel="stylesheet|<iframe/)
      expect(html, name).not.toMatch(/\ssrc="(?!data:image\/)|@import|url\(/)
      expect(headers.get('cache-control'), name).toBe('no-store')
      expect(headers.get('referrer-policy'), name).toBe('no-referrer')
      expect(headers.get('x-content-type-options'), name).toBe('nosniff')
      expect(headers.get('x-frame-options'), name).toBe('DENY')
    }
  })

  it('names every field, and its ids are its own', async () => {
    for (const [name, { html }] of Object.entries(await pagesOf(shop))) {
      const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
      expect(new Set(ids).size, name).toBe(ids.length)
      const inputs = [...html.matchAll(/<(?:input|select)[^>]*>/g)].map(([tag]) => tag)
      for (const tag of inputs.filter((one) => attributeOf(one, 'type') !== 'hidden')) {
        expect(html, `${name}: ${tag}`).toContain(`<label for="${attributeOf(tag, 'id')}"`)
      }
      const described = [...html.matchAll(/aria-describedby="([^"]*)"/g)]
      for (const [, purpose = ''] of described) {
        for (const id of purpose.split(' ')) expect(ids, name).toContain(id)
      }
      expect(html.match(/<h1[ >]/g), name).toHaveLength(1)
      expect(html, name).toMatch(/<html lang="en">.*<main>/s)
    }
  })

  it('of a test says that no money moves, and of real money does not', async () => {
    const { slug } = await openSession(shop, { country: 'BJ' })
    expect((await browser().open(`/checkout/${slug}`)).text).toContain('Test: no money moves.')
    const real = await app.shop({ environment: 'LIVE', live: true })
    const session = await openSession(real, { country: 'BJ' })
    expect((await browser().open(`/checkout/${session.slug}`)).text).not.toContain('Test:')
  })
})

describe('a hostile merchant', () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'{amount}</title>`

  it('writes nothing but text', async () => {
    const bad = await app.shop()
    await app.owner`
      update merchants set brand_name = ${hostile}, brand_colour = '#ffff00'
       where id = ${bad.merchant_id}`
    const changes = {
      country: 'BJ',
      description: hostile,
      customer_name: hostile,
      customer_phone: hostile.slice(0, 40),
      return_url: 'https://shop.example.com/?a="><script>alert(1)</script>',
    }
    const own = browser()
    const { data: link } = await bad.post('/payment-links/', {
      name: hostile,
      description: hostile,
      currency: 'XOF',
      amount: '100',
    })
    const { slug } = await openSession(bad, changes)
    const choose = await own.open(`/checkout/${slug}`)
    await own.submit(choose, 'pay-form', { network: 'mtn_bj', phone: national('10') })
    const paid = await eventually(async () => {
      const page = await own.open(`/checkout/${slug}`)
      if (tagOf(page, 'return') === undefined) throw new Error('not paid yet')
      return page
    })
    for (const page of [choose, paid, await own.open(`/pay/${link.slug}`)]) {
      expect(page.html.match(/<script/g)).toHaveLength(1)
      expect(page.html).not.toMatch(/<img/)
      expect(page.text).toContain('<script>alert(1)</script>')
    }
    expect(attributeOf(tagOf(paid, 'return') ?? '', 'href')).toBe(changes.return_url)
    // Black on yellow; as a line on white it is darkened.
    expect(choose.html).toContain('--b:#ffff00;--o:#000000')
    expect(choose.html).not.toContain('--a:#ffff00}@media')
  })
})

describe('the language', () => {
  it('is the browser’s, until it is switched, and then kept', async () => {
    const { slug } = await openSession(shop, { country: 'BJ' })
    const own = browser('fr-BJ,fr;q=0.9,en;q=0.5')
    const french = await own.open(`/checkout/${slug}`)
    expect(french.html).toContain('<html lang="fr">')
    expect(french.html).toContain('Payer 5\u00a0000\u00a0FCFA')
    expect(french.headers.get('content-language')).toBe('fr')
    const switched = attributeOf(tagOf(french, 'language') ?? '', 'href') ?? ''
    const english = await own.open(switched)
    expect(english.text).toContain('Pay FCFA 5,000')
    expect(own.cookies.get('lang')).toBe('en')
    const waiting = await own.submit(english, 'pay-form', {
      network: 'mtn_bj',
      phone: national('04'),
    })
    expect(waiting.text).toContain('Confirm on your phone')
    expect((await own.open(`/checkout/${slug}?lang=de`)).text).toContain('Confirm on your phone')
    expect((await own.open(`/checkout/${slug}?lang=fr`)).text).toContain('Confirmez sur votre')
  })

  it('sets cookies that only we read and that give nobody a right', async () => {
    const { slug } = await openSession(shop, { country: 'BJ' })
    const reply = await fetch(`${app.url}/checkout/${slug}?lang=fr`)
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^lang=fr; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/),
    ])
    expect((await fetch(`${app.url}/checkout/${slug}`)).headers.getSetCookie()).toEqual([])
  })

  it('keeps it over https under a name that no other host can set', async () => {
    const { slug } = await openSession(shop, { country: 'BJ' })
    const secure = await app.another({ PUBLIC_URL: 'https://pay.example.org' })
    try {
      const origin = `http://127.0.0.1:${secure.port}`
      const reply = await fetch(`${origin}/checkout/${slug}?lang=fr`)
      expect(reply.headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^__Host-lang=fr; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
        ),
      ])
      const languageWith = async (cookie: string) =>
        (await fetch(`${origin}/checkout/${slug}`, { headers: { cookie } })).headers.get(
          'content-language',
        )
      expect(await languageWith('__Host-lang=fr')).toBe('fr')
      expect(await languageWith('lang=fr')).toBe('en')
      expect(reply.headers.get('strict-transport-security')).toContain('includeSubDomains')
      expect(reply.headers.get('permissions-policy')).toContain('geolocation=()')
    } finally {
      await secure.stop()
    }
  })
})

describe('a logo', () => {
  const put = async (bytes: Buffer) => {
    const owner = await app.member()
    const reply = await owner.call('PUT', '/merchant/logo/', {
      body: new Uint8Array(bytes),
      headers: { 'content-type': 'image/png' },
    })
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    const own = await app.shop({ merchant_id: owner.merchant_id })
    const { slug } = await openSession(own, { country: 'CI' })
    return browser().open(`/checkout/${slug}`)
  }
  const png = (size: number) => {
    const noise = createHash('shake256', { outputLength: size }).update('logo').digest()
    return pngOf([], noise)
  }

  it('stands in the page where it is small, and is not asked for where it is not', async () => {
    const small = await put(png(4_000))
    expect(small.html).toContain('<img src="data:image/png;base64,iVBORw0KGg')
    expect(small.bytes).toBeLessThanOrEqual(14_000)
    const large = await put(png(20_000))
    expect(large.html).not.toContain('<img')
    expect(large.html).toContain('<svg')
  })
})

describe('the ear of the waiting page', () => {
  it('is open three times of a session and ten times of a network; others look again', async () => {
    const proxied = await app.another({ TRUST_PROXY: '1' })
    const sessions = await Promise.all(
      Array.from({ length: 5 }, async () => (await pending()).session.slug),
    )
    const gone = new AbortController()
    const open = async (slug: string, ip: string) => {
      const headers = { 'x-forwarded-for': ip }
      const at = `${proxied.public_url}/checkout/${slug}/live`
      const reply = await fetch(at, { headers, signal: gone.signal })
      // A stream counts from its first word on.
      await reply.body?.getReader().read()
      return reply.status
    }
    const statuses: number[] = []
    // Ten of one network of IPv6, three of a session; the fourth of the first is of another.
    const [first = '', ...rest] = sessions
    for (const slug of [first, first, first]) statuses.push(await open(slug, '2001:db8::1'))
    expect(await open(first, '192.0.2.1')).toBe(503)
    for (const slug of rest.slice(0, 2).flatMap((one) => [one, one, one])) {
      statuses.push(await open(slug, `2001:db8::${statuses.length}`))
    }
    statuses.push(await open(rest[2] ?? '', '2001:db8:0:0:ffff::'))
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 200))
    expect(await open(rest[3] ?? '', '2001:db8::a')).toBe(503)
    expect(await open(rest[3] ?? '', '2001:db8:0:1::a')).toBe(200)
    gone.abort()
    // Who has gone leaves their place.
    const fresh = new AbortController()
    await eventually(async () => {
      const headers = { 'x-forwarded-for': '2001:db8::1' }
      const at = `${proxied.public_url}/checkout/${first}/live`
      const reply = await fetch(at, { headers, signal: fresh.signal })
      expect(reply.status).toBe(200)
    })
    fresh.abort()
    await proxied.stop()
  })

  const listen = async (url: string, slug: string) => {
    const reply = await fetch(`${url}/checkout/${slug}/live`)
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader()
    let received = ''
    const ended = (async () => {
      for (;;) {
        const part = await reader?.read()
        if (part === undefined || part.done) return received
        received += part.value
      }
    })()
    const receives = (text: string) =>
      eventually(async () => {
        if (!received.includes(text)) throw new Error(`${text} was not heard in: ${received}`)
      })
    return { ended, hears: receives }
  }
  const pending = async () => {
    const session = await openSession(shop, { country: 'BJ' })
    const own = browser()
    const choose = await own.open(`/checkout/${session.slug}`)
    const page = await own.submit(choose, 'pay-form', {
      network: 'mtn_bj',
      phone: national('04'),
    })
    const { data } = await shop.get(`/checkout-sessions/${session.id}/`)
    return { session, page, transaction: data.transaction }
  }

  it('hears the state that the page has, then the new one, then the end', async () => {
    const { session, page, transaction } = await pending()
    const state = /data-state="([^"]*)"/.exec(page.html)?.[1] ?? ''
    expect(page.html).toContain(`data-live="/checkout/${session.slug}/live"`)
    const ear = await listen(app.url, session.slug)
    await ear.hears(`data: ${state}\n\n`)
    await shop.post(`/sandbox/transactions/${transaction}/resolve/`, { outcome: 'SUCCESS' })
    const received = await ear.ended
    expect(received.match(/data: .*/g)).toEqual([`data: ${state}`, 'data: PAID SUCCESS NONE'])
    // Nothing was asked of the operator for it.
    const lookups = await app.owner`
      select asks from attempts where transaction_id = ${transaction} and asks > 3`
    expect(lookups).toHaveLength(0)
  })

  it('ends at once where nothing is under way, and when the service stops', async () => {
    const idle = await openSession(shop, { country: 'BJ' })
    const short = await listen(app.url, idle.slug)
    expect(await short.ended).toContain('data: PENDING NONE NONE\n\n')
    const other = await app.another()
    const { session } = await pending()
    const ear = await listen(other.public_url, session.slug)
    await ear.hears('data: ')
    const since = Date.now()
    await other.stop()
    await ear.ended
    expect(Date.now() - since).toBeLessThan(10_000)
  })
})
