// A screen that is looked at shows a payment's success within seconds, though it asks every minute:
// one stream for all tabs of a browser tells it when to ask. Without it a counter waits, or asks so
// often that the merchant's calls are spent; and a stream a tab would keep the browser from the API.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Json, newPayer, type SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { readMetric } from '../setup/read-metric.ts'
import { openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
}, patience_ms)
afterAll(() => fixture?.stop())

const streams = () => readMetric(fixture.app.url, 'pirogue_event_streams')
const expectStreams = (count: number) => expect.poll(streams, { timeout: 30_000 }).toBe(count)

async function pay(): Promise<void> {
  const { shop } = fixture
  const { data } = await shop.pay({ customer: newPayer() })
  await shop.becomes(data.id, 'SUCCESS')
}

/** On the page of the link, by its payer, to the end. */
async function payBy(link: Json, customer: object): Promise<void> {
  const call = async (path: string, body: object): Promise<Json> => {
    const reply = await fetch(`${fixture.app.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(reply.status).toBeLessThan(300)
    const { data } = (await reply.json()) as Json
    return data
  }
  const session = await call(`/payment-links/public/${link.slug}/checkout/`, { customer })
  await call(`/checkout/${session.slug}/pay/`, { network: 'mtn_bj', customer })
  const { data } = await owner.get(`/payment-links/${link.id}/transactions/`)
  await owner.becomes(data.results[0].id, 'SUCCESS')
}

const look = (page: Page, state: 'visible' | 'hidden'): Promise<unknown> =>
  page.evaluate(`
    Object.defineProperty(document, 'visibilityState',
      { value: '${state}', writable: true, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`)

/** What stands on the screen is another than before, within what no clock of the screen brings. */
async function expectNews(pages: readonly Page[], act: () => Promise<void>): Promise<void> {
  const texts = () => Promise.all(pages.map((page) => page.locator('main').innerText()))
  const before = await texts()
  await act()
  await expect
    .poll(async () => (await texts()).every((text, at) => text !== before[at]), {
      timeout: 15_000,
    })
    .toBe(true)
}

it(
  'shows a success at once, by one stream for all tabs that are looked at',
  async () => {
    await pay()
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      const { merchant_id } = fixture.shop
      await openFor(page, fixture.app.url, merchant_id, '/balances')
      await signInAs(page, owner)
      await expectStreams(1)
      const other = await page.context().newPage()
      await openFor(other, fixture.app.url, merchant_id, '')
      await comesToRest(other)
      // It follows from its first turn on, which comes within a second.
      await other.waitForTimeout(1_500)
      await expectNews([page, other], pay)
      expect(await streams()).toBe(1)

      // Who held the stream is not looked at any more: the other goes on with it, then nobody.
      await look(page, 'hidden')
      await other.waitForTimeout(8_000)
      await expectStreams(1)
      await expectNews([other], pay)
      await look(other, 'hidden')
      await expectStreams(0)
      await look(other, 'visible')
      await expectStreams(1)
    })
  },
  patience_ms,
)

it(
  'of a link, or of a customer, shows at once what was paid there',
  async () => {
    const { app, shop } = fixture
    const body = { name: 'Cotisation', currency: 'XOF', amount: '5000' }
    const { data: link } = await owner.post('/payment-links/', body)
    const customer = newPayer()
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, app.url, shop.merchant_id, `/links/${link.id}`)
      await signInAs(page, owner)
      await page.getByText('Nobody has paid with this link yet.').waitFor()
      await expectStreams(1)
      // It follows from its first turn on, which comes within a second.
      await page.waitForTimeout(1_500)
      await payBy(link, customer)
      const taken = page.locator('main section', { hasText: 'Paid: 1' })
      await taken.locator('.cards .status', { hasText: 'Paid' }).waitFor({ timeout: 15_000 })
      const { data } = await owner.get(`/payment-links/${link.id}/transactions/`)
      await openFor(page, app.url, shop.merchant_id, `/customers/${data.results[0].customer}`)
      const paid = page.locator('main .cards > li')
      await expect.poll(() => paid.count()).toBe(1)
      await expectStreams(1)
      await page.waitForTimeout(1_500)
      await payBy(link, customer)
      await expect.poll(() => paid.count(), { timeout: 15_000 }).toBe(2)
    })
  },
  patience_ms,
)

it(
  'after it was left and drawn anew, asks as often as without a stream until it has one again',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await page.clock.install()
      await openFor(page, fixture.app.url, fixture.shop.merchant_id, '/balances')
      await signInAs(page, owner)
      await expectStreams(1)
      await page.waitForTimeout(1_500)
      let letGo = (): void => undefined
      const isLetGo = new Promise<void>((resolve) => {
        letGo = resolve
      })
      await page.route('**/events/stream/**', async (route) => {
        await isLetGo
        await route.continue()
      })
      await page.locator('.person summary').click()
      await page.getByRole('button', { name: 'Français' }).click()
      await page.getByRole('heading', { level: 1, name: 'Soldes' }).waitFor()
      await comesToRest(page)
      await expectStreams(0)
      // Of this no hint comes: it happens before there is a stream.
      await expectNews([page], async () => {
        await pay()
        letGo()
        await expectStreams(1)
        await page.waitForTimeout(1_500)
        await page.clock.fastForward(61_000)
      })
    })
  },
  patience_ms,
)

it.each([
  { name: 'with hints', isAway: false },
  { name: 'without any', isAway: true },
])(
  'of a payment agrees with its refunds once they have ended, $name',
  async ({ isAway }) => {
    const { app, shop } = fixture
    await owner.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
    const { data } = await shop.pay({ amount: '10000' })
    await shop.becomes(data.id, 'SUCCESS')
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      if (isAway) await page.route('**/events/stream/**', (route) => route.abort())
      await openFor(page, app.url, shop.merchant_id, `/payments/${data.id}/refund`)
      await signInAs(page, owner)
      await page.getByLabel('How much to give back?').fill('4000')
      await press(page, 'Continue')
      await press(page, 'Refund FCFA\u00a04,000')
      await page.locator('main .cards .status', { hasText: 'Refunded' }).waitFor()
      const text = async () => (await page.locator('main').innerText()).replaceAll('\u00a0', ' ')
      const refunded = /Refunded so far\s+FCFA 4,000\s+Still refundable\s+FCFA 6,325/
      await expect.poll(text, { timeout: 10_000 }).toMatch(refunded)
      await expect.poll(text, { timeout: 10_000 }).toContain('Refund of FCFA 4,000 succeeded')
    })
  },
  patience_ms,
)

wholeIt(
  'asks as before where there is no stream, and follows again when there is one',
  async () => {
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      let is_away = true
      let refused = 0
      await page.route('**/events/stream/**', (route) => {
        if (!is_away) return route.continue()
        refused += 1
        return route.fulfill({ status: 502, body: 'a proxy that does not know it' })
      })
      await openFor(page, fixture.app.url, fixture.shop.merchant_id, '/balances')
      await signInAs(page, owner)
      await expect.poll(() => refused, { timeout: 30_000 }).toBeGreaterThan(0)
      expect(await page.locator('[role=alert]').count()).toBe(0)
      is_away = false
      await expectStreams(1)
      // It follows from its first turn on, which comes within a second.
      await page.waitForTimeout(1_500)
      await expectNews([page], pay)
    })
  },
  patience_ms,
)

wholeIt(
  'asks for an open session by hints alone once there is a stream, and shows at once what came',
  async () => {
    const { app, shop } = fixture
    const body = { amount: '5000', currency: 'XOF', description: 'Rice' }
    const payer = { customer_email: 'awa@example.com', customer_name: 'Awa' }
    const { data } = await owner.post('/checkout-sessions/', { ...body, ...payer })
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      let asked_at = Date.now()
      page.on('request', (request) => {
        if (request.url().includes(`/checkout-sessions/${data.id}/`)) asked_at = Date.now()
      })
      await openFor(page, app.url, shop.merchant_id, `/checkouts/${data.id}`)
      await signInAs(page, owner)
      await expectStreams(1)
      // A few times by the clock, since what was read before the stream may have missed something;
      // then not for three times as long as it waits without hints.
      await expect.poll(() => Date.now() - asked_at, { timeout: 60_000 }).toBeGreaterThan(3 * 5_000)
      await expectNews([page], async () => {
        await owner.post(`/checkout-sessions/${data.id}/cancel/`)
      })
      await expect.poll(() => page.locator('main').innerText()).toContain('Cancelled')
    })
  },
  patience_ms,
)
