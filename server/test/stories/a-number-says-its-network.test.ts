// The numbering plan says whose number it probably is (contract 8.17): for merchants by
// GET /networks/predict/, for payers as the network that their page selects first.

import { readFile } from 'node:fs/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, type Shop, startApp, type TestApp } from '../harness.ts'
import { BrowserWithoutScript, tagOf, textIn } from '../setup/browser-without-script.ts'
import { openSession, sessionBecomes } from '../setup/payer-calls.ts'

let app: TestApp
let shop: Shop
const lines: string[] = []

beforeAll(async () => {
  app = await startApp({ log: pino({ level: 'trace' }, { write: (line) => lines.push(line) }) })
  shop = await app.shop()
})
afterAll(() => app?.stop())

const predict = (msisdn: string) => shop.get(`/networks/predict/?msisdn=${msisdn}`)

describe('GET /networks/predict/', () => {
  it.each([
    ['%2B2290197000010', '+2290197000010', 'BJ', 'mtn_bj', false, false],
    // A plus that was not escaped, and no plus at all.
    ['+2290195000010', '+2290195000010', 'BJ', 'moov_bj', false, false],
    ['2290195000010', '+2290195000010', 'BJ', 'moov_bj', false, false],
    // The longest prefix counts: 015 is MTN's, 0155 Moov's, 014 Celtiis', 0142 MTN's.
    ['+2290155000010', '+2290155000010', 'BJ', 'moov_bj', false, false],
    ['+2290142000010', '+2290142000010', 'BJ', 'mtn_bj', false, false],
    // Numbers of the old plans, as people still type them.
    ['+22997000010', '+2290197000010', 'BJ', 'mtn_bj', false, true],
    ['+22507000010', '+2250707000010', 'CI', 'orange_ci', false, true],
    // No portability is known of in Burkina Faso.
    ['+22670000010', '+22670000010', 'BF', 'moov_bf', true, false],
    // A prefix that the plan gives to nobody, and a country that is not served.
    ['+2290171000010', '+2290171000010', 'BJ', null, false, false],
    ['+33612345678', '+33612345678', 'FR', null, false, false],
  ])('reads %s', async (typed, msisdn, country, network, is_sure, was_old_plan) => {
    const { status, data, body } = await predict(typed)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(data).toEqual({ msisdn, country, network, is_sure, was_old_plan })
  })

  it.each([
    // As its owner says it, in today's plan and in the one before.
    ['0197000010', 'BJ', '+2290197000010', 'BJ', 'mtn_bj', false],
    ['95000010', 'BJ', '+2290195000010', 'BJ', 'moov_bj', true],
    // Whoever writes a calling code means it, whatever country stands beside it.
    ['%2B2250505000110', 'BJ', '+2250505000110', 'CI', 'mtn_ci', false],
    ['002250505000110', 'BJ', '+2250505000110', 'CI', 'mtn_ci', false],
  ])('reads %s by the country %s beside it', async (typed, beside, ...told) => {
    const [msisdn, country, network, was_old_plan] = told
    const { status, data, body } = await predict(`${typed}&country=${beside}`)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(data).toMatchObject({ msisdn, country, network, was_old_plan })
  })

  it.each(['', 'msisdn=', 'msisdn=abc', 'msisdn=97000010', 'msisdn=%2B2290197'])(
    'refuses ?%s on msisdn',
    async (query) => {
      const { status, error } = await shop.get(`/networks/predict/?${query}`)
      expect([status, Object.keys(error)]).toEqual([400, ['msisdn']])
    },
  )

  it('needs a credential, and answers 60 calls a minute of one key', async () => {
    const path = `${app.url}/api/v1/networks/predict/?msisdn=%2B2290197000010`
    expect((await fetch(path)).status).toBe(401)
    const other = await app.shop({ merchant_id: shop.merchant_id })
    const ask = () => other.get('/networks/predict/?msisdn=%2B2290197000010')
    const replies = await Promise.all(Array.from({ length: 61 }, ask))
    const statuses = replies.map(({ status }) => status).sort()
    expect([statuses[0], statuses[59], statuses[60]]).toEqual([200, 200, 429])
    const refused = replies.find(({ status }) => status === 429)
    expect(refused?.error.code).toBe('rate_limited')
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await predict('%2B2290197000010')).status).toBe(200)
  })

  it('leaves no number in a log', () => {
    expect(lines.some((line) => line.includes('/networks/predict/'))).toBe(true)
    expect(lines.join('')).not.toMatch(/97000010|95000010|70000010/)
  })
})

describe('the page of a payer', () => {
  it('selects the network of the number that the merchant gave, and takes any other', async () => {
    const customer_phone = '+2290195000010'
    const session = await openSession(shop, { customer_phone, country: 'BJ' })
    const own = new BrowserWithoutScript(app.url)
    const page = await own.open(`/checkout/${session.slug}`)
    expect(tagOf(page, 'network-moov_bj')).toContain(' checked')
    expect(tagOf(page, 'network-mtn_bj')).not.toContain(' checked')
    await own.submit(page, 'pay-form', { network: 'mtn_bj', phone: '' })
    await sessionBecomes(shop, session.id, 'PAID')
    const { data } = await shop.get('/transactions/')
    expect(data.results[0]).toMatchObject({ network_code: 'mtn_bj' })
  })

  it('selects none for a number that says nothing', async () => {
    const session = await openSession(shop, { customer_phone: '+2290171000010', country: 'BJ' })
    const page = await new BrowserWithoutScript(app.url).open(`/checkout/${session.slug}`)
    expect(page.html).not.toContain(' checked')
  })
})

describe('a number of another country', () => {
  const typed_in_togo = ['+228 90 11 22 33', '00 228 90-11-22-33', '0022890112233', '22890112233']

  it.each(typed_in_togo)(
    'typed as %s moves the page there, keeps it, and asks once',
    async (phone) => {
      const session = await openSession(shop, { country: 'BJ' })
      const own = new BrowserWithoutScript(app.url, 'en')
      const page = await own.open(`/checkout/${session.slug}`)
      const moved = await own.submit(page, 'pay-form', { network: 'mtn_bj', phone })
      expect([moved.status, textIn(moved, 'errors')]).toEqual([
        422,
        'This number is from another country: Togo. Check network and fee, then pay.',
      ])
      expect(tagOf(moved, 'phone')).toContain(`value="${phone}"`)
      expect(moved.html).toContain('<option value="TG" selected>')
      // Its prefix is Togocel's: that tile is selected, and none of Bénin is left.
      expect(tagOf(moved, 'network-togocel')).toContain(' checked')
      expect(tagOf(moved, 'network-mtn_bj')).toBeUndefined()
      expect((await rowsOf(session.id)).length).toBe(0)
      await own.submit(moved, 'pay-form', {})
      await sessionBecomes(shop, session.id, 'PAID')
      expect(await rowsOf(session.id)).toEqual([
        { country_code: 'TG', operation_msisdn: '+22890112233', network_code: 'togocel' },
      ])
    },
  )

  it('is told at its field where the merchant cannot be paid from, and kept', async () => {
    const session = await openSession(shop, { country: 'BJ' })
    const own = new BrowserWithoutScript(app.url, 'en')
    const page = await own.open(`/checkout/${session.slug}`)
    for (const phone of ['+33 6 12 34 56 78', '0033612345678']) {
      const refused = await own.submit(page, 'pay-form', { network: 'mtn_bj', phone })
      expect([refused.status, textIn(refused, 'phone-error')]).toEqual([
        422,
        'You cannot pay from France here. Enter a number of Benin, for example 01 95 12 34 56.',
      ])
      expect(tagOf(refused, 'phone')).toContain(`value="${phone}"`)
    }
    const only = await app.shop()
    await app.owner`
      update merchants set allowed_countries = array['BJ'] where id = ${only.merchant_id}`
    const narrow = await openSession(only, { country: 'BJ' })
    const there = await own.open(`/checkout/${narrow.slug}`)
    const refused = await own.submit(there, 'pay-form', {
      network: 'mtn_bj',
      phone: '+22890112233',
    })
    expect(textIn(refused, 'phone-error')).toContain('You cannot pay from Togo here.')
  })

  it('without its prefix is told with an example, for nothing says where it is from', async () => {
    const session = await openSession(shop, { country: 'BJ' })
    const own = new BrowserWithoutScript(app.url, 'en')
    const page = await own.open(`/checkout/${session.slug}`)
    const wrong = ['07 07 12 34 56', '+228 90 11', '0022890', '+229 07 12 34 56 78']
    for (const phone of wrong) {
      const refused = await own.submit(page, 'pay-form', { network: 'mtn_bj', phone })
      expect([refused.status, textIn(refused, 'phone-error')], phone).toEqual([
        422,
        'This is not a mobile number in Benin. Example: 01 95 12 34 56',
      ])
    }
    expect((await rowsOf(session.id)).length).toBe(0)
  })

  const rowsOf = (session: string) => app.owner`
    select country_code, operation_msisdn, network_code from transactions
     where checkout_session = ${session}`
})

describe('the catalogue', () => {
  it('has colour, rank, prefixes and ussd of each network, with source and date, or nothing', async () => {
    const { data } = await shop.get('/networks/?page_size=100')
    for (const network of data.results as Json[]) {
      const { colour, rank, prefixes, ussd, sources } = network
      const known = Object.entries({ colour, rank, prefixes, ussd })
        .filter(([, mark]) => mark !== '' && mark !== null && mark.length !== 0)
        .map(([name]) => name)
      expect(Object.keys(sources).sort(), network.code).toEqual(known.sort())
      for (const { source, date } of Object.values<Json>(sources)) {
        expect(source).toMatch(/^https?:/)
        expect(date).toMatch(/^\d{4}-\d\d-\d\d$/)
      }
    }
    const by = (code: string) => data.results.find((one: Json) => one.code === code)
    const guide = await readFile(
      new URL('../../../docs/guides/checkout.md', import.meta.url),
      'utf8',
    )
    const [, table = ''] = /## Colours of networks\n([\s\S]*?)\n## /.exec(guide) ?? []
    const rows = table.split('\n').filter((line) => line.startsWith('|'))
    const [, grey = ''] = /\nGrey: (.*)/.exec(table) ?? []
    for (const { code, colour, sources } of data.results as Json[]) {
      if (colour === '') expect(code === 'card' || grey.includes(`\`${code}\``), code).toBe(true)
      else {
        const { source, date } = sources.colour
        const row = rows.find((line) => line.includes(colour) && line.includes(source))
        expect(row, code).toContain(date)
        expect(grey).not.toContain(`\`${code}\``)
      }
    }
    expect(by('orange_ci')).toMatchObject({ colour: '#ff7900', prefixes: ['07'] })
    expect(by('mtn_bj')).toMatchObject({ rank: 1, ussd: '' })
    expect(by('djamo_ci')).toMatchObject({ colour: '', rank: null, prefixes: [], sources: {} })
  })
})
