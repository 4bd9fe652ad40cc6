// The address holds where a reader is: going back and forward, loading the page anew, opening the
// copied address elsewhere show the same list with the same filters, page and place in it.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { sized } from '../setup/proof-size.ts'
import { openFor, press, signInAs, until } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000
const rows = 60

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  await Promise.all(
    Array.from({ length: rows }, (_, nth) =>
      Promise.all([
        shop.pay({ customer: newPayer(), amount: String(1_000 + nth) }),
        owner.post('/payment-links/', { name: `Link ${nth}`, currency: 'XOF', amount: '500' }),
      ]),
    ),
  )
}, patience_ms)
afterAll(() => fixture?.stop())

type List = Readonly<{ path: string; filters: string }>

/** Each list with a filter that keeps more rows than a page shows. */
const lists: readonly List[] = [
  { path: '/payments', filters: 'search=%2B229' },
  { path: '/customers', filters: 'search=Awa' },
  { path: '/links', filters: '' },
  { path: '/balances/BJ', filters: 'direction=CREDIT' },
  { path: '/audit', filters: 'actor_kind=MEMBER' },
  { path: '/developers/events', filters: '' },
]

/** The first line of each row, and where the window stands. */
const shown = (page: Page): Promise<string> =>
  page.evaluate<string>(`[...document.querySelectorAll('main li a, main tbody tr, main details.card')]
    .map((at) => at.textContent.replace(/\\s+/g, ' ').slice(0, 80)).join('|')`)

/** The next page: of the feed, which begins with the oldest, the newer ones. */
const next = /Older|Newer/

async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.locator('main h1').waitFor()
}

describe('a list', () => {
  it.each(sized(lists.slice(0, 1), lists))(
    'is the same again by back, forward, reload and its copied address: $path',
    async ({ path, filters }) => {
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        const at = filters === '' ? path : `${path}?${filters}`
        await openFor(page, fixture.app.url, owner.merchant_id, at)
        await signInAs(page, owner)
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
        await page.getByRole('heading', { level: 1, name: 'Paiement' }).waitFor()
        await until(page, 'scrollY < 100')
        await page.goBack()
        await page.getByRole('heading', { level: 1, name: 'Paiements' }).waitFor()
        await until(page, `Math.abs(scrollY - ${before}) < 150`)
      })
    },
    patience_ms,
  )
})
