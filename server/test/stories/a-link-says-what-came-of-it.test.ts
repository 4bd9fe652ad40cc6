// A merchant sees how often the page of a payment link was opened, how many began to pay and did,
// and what that brought; robots and previews are no visitors, and the figures are the merchant's own.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linkVisits } from '../../src/orders/link-visits.ts'
import { newId } from '../../src/platform/ids.ts'
import { listLinkFigures } from '../../src/transactions/link-statements.ts'
import { type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await heldToPublished(await app.shop())
})
afterAll(() => app?.stop())

async function make(): Promise<Json> {
  const body = { name: 'Cotisation', currency: 'XOF', amount: '5000' }
  const { status, data } = await shop.post('/payment-links/', body)
  expect(status).toBe(201)
  return data
}

const browser = 'Mozilla/5.0 (Linux; Android 13; CUBOT P80) AppleWebKit/537.36 Chrome/140.0'
const open = (link: Json, headers: Record<string, string> = {}, more = '') =>
  fetch(`${app.url}/pay/${link.slug}${more}`, { headers: { 'user-agent': browser, ...headers } })
const statsOf = async (link: Json, query = '', of: Shop = shop) =>
  of.get(`/payment-links/${link.id}/stats/${query}`)

async function pay(link: Json, ending?: string): Promise<string> {
  const customer = newPayer(ending)
  const opened = await fetch(`${app.url}/api/v1/payment-links/public/${link.slug}/checkout/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ customer }),
  })
  const { data: session } = (await opened.json()) as Json
  const paid = await fetch(`${app.url}/api/v1/checkout/${session.slug}/pay/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ network: 'mtn_bj', customer }),
  })
  expect(paid.status).toBe(201)
  const { data: begun } = await shop.get(`/payment-links/${link.id}/transactions/`)
  const id: string = begun.results[0].id
  await shop.becomes(id, ending === '01' ? 'FAILED' : 'SUCCESS')
  return id
}

describe('a link', () => {
  it('counts who opens its page, and nobody else', async () => {
    const link = await make()
    expect((await open(link)).status).toBe(200)
    expect((await open(link, { 'user-agent': 'Mozilla/5.0 (iPhone) WhatsApp' })).status).toBe(200)
    // Previews, robots, a browser that fetches ahead, a change of language, a form, a HEAD.
    await open(link, { 'user-agent': 'WhatsApp/2.23.20.0' })
    await open(link, { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' })
    await open(link, { 'user-agent': 'facebookexternalhit/1.1' })
    await open(link, { 'sec-purpose': 'prefetch;prerender' })
    await open(link, {}, '?lang=en')
    await fetch(`${app.url}/pay/${link.slug}`, { method: 'HEAD' })
    await fetch(`${app.url}/pay/${link.slug}`, { method: 'POST', body: new URLSearchParams({}) })
    await shop.call('PATCH', `/payment-links/${link.id}/`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ is_active: false }),
    })
    await open(link)
    await expect
      .poll(async () => (await statsOf(link)).data.visits, { timeout: 20_000, interval: 500 })
      .toBe(2)
    expect((await statsOf(link)).data).toMatchObject({ started: 0, paid: 0, taken: [] })
    const [row] = await app.owner`
      select count(*)::int as rows from link_visits where payment_link = ${link.id}`
    expect(row).toEqual({ rows: 1 })
  })

  it('says what was begun, paid and taken, and when last', async () => {
    const link = await make()
    await pay(link, '01')
    const id = await pay(link)
    const { status, data } = await statsOf(link)
    expect(status).toBe(200)
    const { data: payment } = await shop.get(`/transactions/${id}/`)
    expect(data).toMatchObject({ payment_link: link.id, visits: 0, started: 2, paid: 1 })
    expect(data.taken).toEqual([
      { currency: 'XOF', paid: 1, amount: '5000.00', net: payment.net_amount },
    ])
    expect(Math.abs(Date.parse(data.last_paid_at) - Date.now())).toBeLessThan(60_000)
    const before = await statsOf(link, '?from=2026-01-01&to=2026-01-31')
    expect(before.data).toMatchObject({ started: 0, paid: 0, taken: [], last_paid_at: null })
  })

  it('counts the newest where there are very many, and says from when', async () => {
    const link = await make()
    await pay(link, '01')
    await pay(link)
    const sought = {
      ...{ merchant_id: shop.merchant_id, payment_link: link.id },
      ...{ from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 3_600_000) },
    }
    expect(await listLinkFigures(app.service.db, sought, 2)).toMatchObject([
      { currency: 'XOF', started: 1, paid: 1, cut_at: expect.any(Date) },
    ])
    expect(await listLinkFigures(app.service.db, sought, 3)).toMatchObject([
      { started: 2, paid: 1, cut_at: null },
    ])
  })

  it('is asked about in days that there are', async () => {
    const link = await make()
    const wrong = async (query: string) => {
      const { status, error } = await statsOf(link, query)
      return [status, Object.keys(error)]
    }
    expect(await wrong('?from=2026-02-30')).toEqual([400, ['from']])
    expect(await wrong('?from=2999-01-01')).toEqual([400, ['from']])
    expect(await wrong('?from=2026-02-02&to=2026-02-01')).toEqual([400, ['to']])
    expect(await wrong('?from=2024-01-01&to=2026-02-01')).toEqual([400, ['to']])
  })

  it('is asked about the first days of the calendar, and days to come', async () => {
    const link = await make()
    const { status, data } = await statsOf(link, '?to=0001-01-01')
    expect([status, data.from, data.started]).toEqual([200, '0001-01-01', 0])
    const today = (await statsOf(link)).data
    expect((await statsOf(link, '?to=9999-12-31')).data).toMatchObject({ to: today.to })
    expect(Date.parse(today.to) - Date.parse(today.from)).toBe(29 * 86_400_000)
  })

  it('is the merchant’s own, in its own mode', async () => {
    const link = await make()
    expect((await statsOf(link, '', await app.shop())).status).toBe(403)
    expect((await statsOf({ id: newId() })).status).toBe(404)
  })
})

describe('what links took, one beside the other', () => {
  const today = async (): Promise<string> => (await statsOf(await make())).data.to
  const series = async (query: string, of: Shop = shop): Promise<Json> => {
    const { status, data, body } = await of.get(`/stats/transactions/?${query}`)
    expect(status, JSON.stringify(body)).toBe(200)
    return data
  }

  it('is a series of each link that was paid, by day and by hour, and nothing else', async () => {
    const { data: alone } = await shop.pay({ customer: newPayer() })
    await shop.becomes(alone.id, 'SUCCESS')
    const [link, other] = [await make(), await make()]
    await pay(link)
    await pay(link)
    await pay(link, '01')
    await pay(other)
    const day = await today()
    const query = `from=${day}&to=${day}&group_by=payment_link`
    const found = await series(query)
    expect(found).toMatchObject({ group_by: 'payment_link', is_complete: true })
    const of = ({ id }: Json) => found.series.find(({ key }: Json) => key === id)
    expect(of(link)).toMatchObject({ label: 'Cotisation', currency: 'XOF' })
    expect(of(link).totals).toMatchObject({ succeeded: 2, failed: 1, amount: '10000.00' })
    expect(of(other).totals).toMatchObject({ succeeded: 1, failed: 0, amount: '5000.00' })
    for (const one of [link, other]) {
      const { taken } = (await statsOf(one)).data
      expect(of(one).totals).toMatchObject({ amount: taken[0].amount, net: taken[0].net })
    }
    expect(found.series.map(({ key }: Json) => key)).not.toContain('')
    const all = await series(`from=${day}&to=${day}`)
    expect(all.totals[0].succeeded).toBeGreaterThan(found.totals[0].succeeded)
    const hours = await series(`${query}&step=hour`)
    const hour = hours.series.find(({ key }: Json) => key === link.id)
    expect([hour.totals, hours.totals]).toEqual([of(link).totals, found.totals])
    const payouts = await series(`${query}&transaction_type=RETRAIT`)
    expect([payouts.series, (await series(query, await app.shop())).series]).toEqual([[], []])
  })

  it('is a file with their names, shows the first twenty, and is of as long as one wants', async () => {
    const day = await today()
    const links = await Promise.all(Array.from({ length: 21 }, make))
    await Promise.all(links.map((link) => pay(link)))
    const query = `to=${day}&group_by=payment_link`
    const found = await series(`from=${day}&${query}`)
    expect(found.series).toHaveLength(20)
    // All that they took is in the totals, those that are not shown too.
    const shown = found.series.map(({ totals }: Json) => totals.succeeded)
    const sum = shown.reduce((all: number, one: number) => all + one, 0)
    expect(found.totals[0].succeeded).toBeGreaterThan(sum)
    const address = `${app.url}/api/v1/stats/transactions/?from=${day}&${query}&format=csv`
    const file = await fetch(address, { headers: { authorization: `Bearer ${shop.key}` } })
    const [head, first] = (await file.text()).split('\r\n')
    expect(head).toBe('date,key,label,currency,succeeded,failed,amount,fees,net')
    expect(first).toMatch(/^[\d-]+,[\da-f-]+,Cotisation,XOF,\d,\d,\d+\.00,/)
    const back = (days: number) =>
      new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10)
    expect((await series(`from=${back(30)}&${query}`)).series).toHaveLength(20)
    const year = await series(`from=${back(365)}&${query}&step=month`)
    expect(year).toMatchObject({ is_complete: true, totals: found.totals })
    const hours = await shop.get(`/stats/transactions/?from=${back(7)}&${query}&step=hour`)
    expect([hours.status, Object.keys(hours.error)]).toEqual([400, ['to']])
  })
})

describe('the list of links', () => {
  it('says what each took in thirty days when it is asked, as the link itself does', async () => {
    const [paid, other] = [await make(), await make()]
    await pay(paid)
    await pay(paid)
    await pay(paid, '01')
    const list = async (query: string, of: Shop = shop) =>
      (await of.get(`/payment-links/${query}`)).data.results
    const listed = await list('?taken=true&page_size=100')
    const takenBy = ({ id }: Json) => listed.find((one: Json) => one.id === id).taken
    const stats = (await statsOf(paid)).data
    expect(takenBy(paid)).toEqual({ from: stats.from, sums: stats.taken })
    expect(takenBy(paid).sums).toMatchObject([{ currency: 'XOF', paid: 2, amount: '10000.00' }])
    expect(takenBy(other)).toMatchObject({ sums: [] })
    for (const query of ['', '?taken=false']) {
      expect((await list(query)).some((one: Json) => 'taken' in one)).toBe(false)
    }
    expect(await list('?taken=true', await app.shop())).toEqual([])
    const { status, error } = await shop.get('/payment-links/?taken=perhaps')
    expect([status, Object.keys(error)]).toEqual([400, ['taken']])
  })
})

describe('openings of pages', () => {
  it('are added up, written once, and kept while the database is away', async () => {
    const link = await make()
    const key = { merchant_id: shop.merchant_id, payment_link: link.id }
    let isAway = true
    const db = new Proxy(app.service.db, {
      apply: (sql, self, args) =>
        isAway ? Promise.reject(new Error('away')) : Reflect.apply(sql, self, args),
    })
    const visits = linkVisits(db, { every_ms: 20 })
    for (let nth = 0; nth < 3; nth += 1) visits.note(key)
    await new Promise((resolve) => setTimeout(resolve, 100))
    isAway = false
    visits.note(key)
    await visits.stop()
    await visits.stop()
    expect((await statsOf(link)).data.visits).toBe(4)
  })
})
