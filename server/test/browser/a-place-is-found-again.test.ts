// The address holds where a reader is: going back and forward, loading the page anew, opening the
// copied address elsewhere show the same list with the same filters, page and place in it.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, type Json, newPayer, type Reply, type SignedInCaller } from '../harness.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { startReceiver } from '../setup/webhook-receiver.ts'
import { openFor, press, signInAs, until } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000
const rows = 60
/** More than a page shows. */
const few_rows = 30

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await made(owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' }))
  await Promise.all(
    Array.from({ length: rows }, (_, nth) =>
      Promise.all([
        made(shop.pay({ customer: newPayer(), amount: String(1_000 + nth) })),
        owner.post('/payment-links/', { name: `Link ${nth}`, currency: 'XOF', amount: '500' }),
      ]),
    ),
  )
  // A row that is paid later would change under the reader.
  await eventually(async () =>
    expect((await owner.get('/transactions/?status=PENDING')).data.results).toEqual([]),
  )
}, patience_ms)
afterAll(() => fixture?.stop())

const made = async (calling: Promise<Reply>): Promise<Json> => {
  const { status, body, data } = await calling
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
  return data
}

/** Somebody else of the team, as a person has three hundred calls a minute. */
async function times(make: (by: SignedInCaller, nth: number) => Promise<Reply>): Promise<void> {
  const by = await fixture.app.member({ merchant_id: owner.merchant_id })
  for (let nth = 0; nth < few_rows; nth += 1) await made(make(by, nth))
}

const payOut = () =>
  times((by, nth) =>
    by.post('/payouts/initialize/', {
      ...{ amount: String(1_000 + nth), currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: newPayer().phone },
    }),
  )

async function settleOften(): Promise<void> {
  const account = { country: 'BJ', type: 'MOBILE_MONEY', network: 'mtn_bj', label: 'Till' }
  const msisdn = newPayer().phone
  const { id } = await made(owner.post('/merchant-payout-methods/', { ...account, msisdn }))
  await fixture.app.owner`
    update payout_methods set usable_from = now() - interval '1 minute'
     where merchant_id = ${owner.merchant_id}`
  const where = { payout_method: id, country: 'BJ', currency: 'XOF' }
  await times((by, nth) =>
    by.post('/settlements/', { ...where, requested_amount: String(1_000 + nth) }),
  )
}

const transfer = () =>
  times((by, nth) =>
    by.post('/wallet-transfers/', {
      ...{ from_country: 'BJ', to_country: 'SN', from_amount: String(1_000 + nth) },
    }),
  )

const checkOut = () =>
  times((by, nth) =>
    by.post('/checkout-sessions/', {
      ...{ amount: String(1_000 + nth), currency: 'XOF', description: `Order ${nth}` },
      ...{ customer_name: `Awa ${nth}`, customer_email: 'awa@example.com' },
    }),
  )

async function giveBack(): Promise<void> {
  const { id } = await made(fixture.shop.pay({ customer: newPayer(), amount: '100000' }))
  await fixture.shop.becomes(id, 'SUCCESS')
  await times((by, nth) =>
    by.post(`/payments/${id}/refunds/`, { amount: '500', reason: `Bag ${nth}` }),
  )
}

/** The receiver is gone before the list is read: nothing is sent to it again. */
async function deliver(): Promise<void> {
  const receiver = await startReceiver()
  try {
    const { id } = await made(owner.post('/merchant-webhooks/', { url: receiver.url }))
    await times((by) => by.post(`/merchant-webhooks/${id}/test/`, {}))
    await eventually(async () => {
      const { data } = await owner.get('/webhook-logs/?status=SUCCESS&page_size=100')
      expect(data.results.length).toBeGreaterThanOrEqual(few_rows)
    }, patience_ms)
  } finally {
    await receiver.close()
  }
}

type List = Readonly<{
  path: string
  filters: string
  /** What it shows, where that is made for it alone. */
  fill?: () => Promise<void>
}>

/** Each list with a filter that keeps more rows than a page shows. */
const lists: readonly List[] = [
  { path: '/payments', filters: 'search=%2B229' },
  { path: '/checkouts', filters: 'search=Awa', fill: checkOut },
  { path: '/customers', filters: 'search=Awa' },
  { path: '/links', filters: '' },
  { path: '/balances/BJ', filters: 'direction=CREDIT' },
  { path: '/audit', filters: 'actor_kind=MEMBER' },
  { path: '/developers/events', filters: '' },
  { path: '/payouts', filters: 'country=BJ', fill: payOut },
  { path: '/payments/refunds', filters: 'from=2020-01-01', fill: giveBack },
  { path: '/settlements', filters: 'country=BJ', fill: settleOften },
  { path: '/transfers', filters: 'country=SN', fill: transfer },
  { path: '/developers/deliveries', filters: 'status=SUCCESS', fill: deliver },
]

const row_places = 'main li a, main tbody tr, main details.card'

/** The first line of each row. */
const shown = (page: Page): Promise<string> =>
  page.evaluate<string>(`[...document.querySelectorAll('${row_places}')]
    .map((at) => at.textContent.replace(/\\s+/g, ' ').slice(0, 80)).join('|')`)

/** The next page: of the feed, which begins with the oldest, the newer ones. */
const next = /Older|Newer/

async function settle(page: Page): Promise<void> {
  await page.locator('main h1').waitFor()
  await page.locator(row_places).first().waitFor()
}

describe('a list', () => {
  it.each(sized(lists.slice(0, 2), lists))(
    'is the same again by back, forward, reload and its copied address: $path',
    async ({ path, filters, fill }) => {
      await fill?.()
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        const at = filters === '' ? path : `${path}?${filters}`
        await openFor(page, fixture.app.url, owner.merchant_id, '')
        await signInAs(page, owner)
        await openFor(page, fixture.app.url, owner.merchant_id, at)
        await settle(page)
        await expect.poll(async () => (await shown(page)).split('|').length).toBeGreaterThan(10)
        // The names of networks come after the rows.
        await expect.poll(() => shown(page)).not.toContain('…')
        const first = { address: page.url(), rows: await shown(page) }
        await press(page, next)
        await expect.poll(() => shown(page)).not.toBe(first.rows)
        await settle(page)
        const second = { address: page.url(), rows: await shown(page) }
        expect(second.address).not.toBe(first.address)
        for (const pair of filters.split('&')) expect(second.address).toContain(pair)
        const same = async (of: typeof first) => {
          await expect.poll(() => page.url()).toBe(of.address)
          await expect.poll(() => shown(page)).toBe(of.rows)
        }
        await page.goBack()
        await same(first)
        await page.goForward()
        await same(second)
        await page.reload()
        await same(second)
        const elsewhere = await page.context().newPage()
        await elsewhere.goto(second.address)
        await settle(elsewhere)
        await expect.poll(() => shown(elsewhere)).toBe(second.rows)
        await elsewhere.close()
      })
    },
    patience_ms,
  )

  it(
    'is left for one of its records, and found where it was left',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, '/payments')
        await signInAs(page, owner)
        await settle(page)
        await page.locator('main .cards a').nth(15).scrollIntoViewIfNeeded()
        const before = await page.evaluate<number>('scrollY')
        expect(before).toBeGreaterThan(300)
        await page.locator('main .cards a').nth(15).click()
        await page.getByRole('heading', { level: 1, name: 'Paiement', exact: true }).waitFor()
        await until(page, 'scrollY < 100')
        await page.goBack()
        await page.getByRole('heading', { level: 1, name: 'Paiements' }).waitFor()
        await until(page, `Math.abs(scrollY - ${before}) < 150`)
      })
    },
    patience_ms,
  )
})

it(
  'a table that goes by in a region of its own is found where it was left, each page of it',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      // The narrowest desk: not all columns have room.
      await page.setViewportSize({ width: 970, height: 800 })
      await openFor(page, fixture.app.url, owner.merchant_id, '/payments')
      await signInAs(page, owner)
      await page.locator('main tbody tr').nth(9).waitFor()
      const region = `document.querySelector('main .scroll.over')`
      await until(page, `${region} !== null`)
      await page.evaluate(`${region}.scrollTop = 240`)
      const isThere = `${region}.scrollTop === 240`
      await page.evaluate(
        'new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn), 100))',
      )
      // Pressed where it is: a pointer that is brought to it might move the rows.
      await page.evaluate(`document.querySelectorAll('main tbody th a')[8].click()`)
      await page.getByRole('heading', { level: 1, name: 'Payment', exact: true }).waitFor()
      await page.goBack()
      await until(page, isThere)
      const before = await shown(page)
      await press(page, next)
      await expect.poll(() => shown(page)).not.toBe(before)
      await until(page, `${region}.scrollTop === 0`)
      await page.goBack()
      await expect.poll(() => shown(page)).toBe(before)
      await until(page, isThere)
    })
  },
  patience_ms,
)

/** Short by nature: a page holds them all. */
const shortLists = ['/settlements/methods', '/developers/keys', '/developers/webhooks'].concat([
  '/developers/addresses',
  '/team',
])

async function fillShortLists(): Promise<void> {
  const key = { name: 'Site', scope: 'BOTH', environment: 'SANDBOX' }
  await made(owner.post('/merchant-api-keys/', key))
  await made(owner.post('/merchant-webhooks/', { url: 'https://example.com/hook' }))
  await made(owner.post('/merchant-ip-whitelist/', { ip_address: '203.0.113.7', label: 'Desk' }))
  const account = { country: 'BJ', type: 'MOBILE_MONEY', network: 'mtn_bj', label: 'Second till' }
  await made(owner.post('/merchant-payout-methods/', { ...account, msisdn: newPayer().phone }))
}

wholeIt(
  'lists that are short are the same again, with where they were left',
  async () => {
    await fillShortLists()
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '')
      await signInAs(page, owner)
      for (const path of shortLists) {
        await openFor(page, fixture.app.url, owner.merchant_id, path)
        // Not by its first row: tabs are rows of a list too, and come before.
        await comesToRest(page)
        const seen = () => page.locator('main').innerText()
        const before = { address: page.url(), text: await seen() }
        await page.evaluate('scrollTo(0, 40)')
        const stood = await page.evaluate<number>('scrollY')
        await page.locator('nav.menu a').filter({ visible: true }).first().click()
        await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
        await page.goBack()
        await expect.poll(() => page.url(), { message: path }).toBe(before.address)
        await expect.poll(seen, { message: path }).toBe(before.text)
        await until(page, `Math.abs(scrollY - ${stood}) < 5`)
        await page.reload()
        await expect.poll(seen, { message: path }).toBe(before.text)
        const elsewhere = await page.context().newPage()
        await elsewhere.goto(before.address)
        await expect
          .poll(() => elsewhere.locator('main').innerText(), { message: path })
          .toBe(before.text)
        await elsewhere.close()
      }
    })
  },
  patience_ms,
)
