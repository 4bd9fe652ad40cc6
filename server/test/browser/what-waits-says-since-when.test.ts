// What waits says for how long, beside the moment and not in its place, anew each minute; and the
// sum and the number of a payment are copied as programs write them.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { type FullShop, fillShop } from './full-shop.ts'

let fixture: BrowserFixture
let shop: FullShop
let owner: SignedInCaller
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  shop = await fillShop(fixture)
  owner = shop.owner
}, patience_ms)
afterAll(async () => {
  await shop?.close()
  await fixture?.stop()
})

const minutes_ms = 60_000

/** Each answer to these calls says that what it is about began so many minutes before. */
const setBack = (page: Page, calls: string, minutes: number, status?: string) =>
  page.route(calls, async (route) => {
    const response = await route.fetch()
    const body = (await response.text())
      .replace(/"created_at":"[^"]+"/g, () => {
        const before = new Date(Date.now() - minutes * minutes_ms)
        return `"created_at":"${before.toISOString()}"`
      })
      .replace(/"status":"SUCCESS"/g, `"status":"${status ?? 'SUCCESS'}"`)
    await route.fulfill({ response, body })
  })

async function open(page: Page, path: string): Promise<void> {
  await openFor(page, fixture.app.url, owner.merchant_id, path)
  await page.locator('main h1').waitFor()
}

it(
  'on the page of a payment, anew each minute; not once it has ended',
  async () => {
    const { waiting, paid } = shop.ids
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await setBack(page, '**/api/v1/transactions/*/', 26)
      await page.clock.install()
      await open(page, `/payments/${waiting}`)
      await signInAs(page, owner)
      const age = page.locator('main dl .age')
      await age.waitFor()
      await expect.poll(() => age.innerText()).toMatch(/^\(il y a 26\smin\)$/)
      await expectSound(page)
      await page.clock.fastForward(minutes_ms)
      await expect.poll(() => age.innerText()).toMatch(/^\(il y a 27\smin\)$/)
      await open(page, `/payments/${paid}`)
      await page.getByRole('button', { name: 'Copier la référence' }).waitFor()
      expect(await age.count()).toBe(0)
    })
  },
  patience_ms,
)

it(
  'where a payout waits for a second person, and where a delivery has not arrived',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await setBack(page, '**/api/v1/transactions/?*', 200)
      await setBack(page, '**/api/v1/webhook-logs/**', 26, 'FAILED')
      await open(page, '/payouts/approvals')
      await signInAs(page, owner)
      const age = page.locator('main .age')
      await age.first().waitFor()
      await expect.poll(() => age.first().innerText()).toBe('(3 hr ago)')
      await expectSound(page)
      await open(page, '/developers/deliveries')
      await page.locator('tbody tr').first().waitFor()
      await expect.poll(() => age.first().innerText()).toBe('(26 min ago)')
      await open(page, `/developers/deliveries/${shop.ids['delivery']}`)
      await age.first().waitFor()
      await expect.poll(() => age.first().innerText()).toBe('(26 min ago)')
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'by the service’s clock, where the telephone’s own is a day behind',
  async () => {
    const day_minutes = 24 * 60
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await page.clock.install({ time: Date.now() - day_minutes * minutes_ms })
      await setBack(page, '**/api/v1/transactions/?*', day_minutes)
      await open(page, '/payments')
      await signInAs(page, owner)
      const first = page.locator('main .cards > li').first()
      await first.waitFor()
      // Of yesterday, not of the day that the telephone has.
      await expect.poll(() => first.innerText()).toMatch(/\d+ [A-Z][a-z]{2,3}, \d\d:\d\d/)
      await page.getByText('Filters').first().click()
      await press(page, 'Today')
      // By the clocks of the merchant, who keeps UTC.
      const day = new Date().toISOString().slice(0, 10)
      await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe(day)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    })
  },
  patience_ms,
)

it(
  'the sum is copied as plain digits, and the number with its country’s code',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await open(page, `/payments/${shop.ids['paid']}`)
      await signInAs(page, owner)
      const copied = () => page.evaluate('navigator.clipboard.readText()')
      await press(page, 'Copy the amount')
      await expect.poll(copied).toBe('12500')
      await press(page, 'Copy the number')
      await expect.poll(copied).toBe('+2290197000010')
      await open(page, `/payouts/${shop.ids['payout']}`)
      await press(page, 'Copy the amount')
      await expect.poll(copied).toBe('25000')
    })
  },
  patience_ms,
)
