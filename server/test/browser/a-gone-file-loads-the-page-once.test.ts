// The file of a screen that does not come: it is asked for again, then the page is loaded anew, once
// and never in a circle; and what is typed is not lost for the want of what stands beside it.

import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
}, patience_ms)
afterAll(() => fixture?.stop())

async function enter(page: Page, path: string): Promise<void> {
  await openFor(page, fixture.app.url, owner.merchant_id, path)
  await signInAs(page, owner)
  await page.locator('main h1').waitFor()
}

/** How often the page itself is loaded from here on. */
function loadsOf(page: Page): () => number {
  let count = 0
  page.on('request', (one) => {
    if (one.isNavigationRequest() && one.frame() === page.mainFrame()) count += 1
  })
  return () => count
}

const gone = (route: Route) => route.fulfill({ status: 404, body: '' })
/** With what is behind its name when it is asked for again. */
const fileOf = (name: string) => new RegExp(`/assets/${name}-[\\w-]{8}\\.js`)
const team = fileOf('team')

it(
  'is asked for twice: a blink of the network is not seen, and the page stays',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await enter(page, '/payments')
      const loads = loadsOf(page)
      let asked = 0
      await page.route(team, (route) => {
        asked += 1
        return asked === 1 ? route.abort('connectionreset') : route.continue()
      })
      await page.locator('.menu-all').getByRole('link', { name: 'Team' }).click()
      await heading(page, 'Team')
      expect([asked, loads()]).toEqual([2, 0])
    })
  },
  patience_ms,
)

it(
  'has the page loaded anew once: where that brings it, it is there; where not, it says so',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await enter(page, '/payments')
      const loads = loadsOf(page)
      let asked = 0
      // As after a deployment: the page that is open names a file that the next one has not.
      await page.route(team, (route) => {
        asked += 1
        return asked <= 2 ? gone(route) : route.continue()
      })
      await page.locator('.menu-all').getByRole('link', { name: 'Team' }).click()
      await heading(page, 'Team')
      expect([asked, loads()]).toEqual([3, 1])
      // Another file of the same build: the page is not loaded for it again, now or later.
      await page.route(fileOf('audit'), gone)
      await page.locator('.menu-all').getByRole('link', { name: 'Audit log' }).click()
      await page.getByText('Something went wrong. Try again.').waitFor()
      await page.waitForTimeout(2_000)
      expect(loads()).toBe(1)
    })
  },
  patience_ms,
)

it(
  'leaves what is typed where it only stands beside it, and the page where nobody answers',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await enter(page, '/links/new')
      const loads = loadsOf(page)
      await page.route(fileOf('(begun|keys|palette)'), gone)
      const name = page.locator('main input[name=name]')
      await name.fill('Mangoes')
      await page.locator('main h1').focus()
      await page.keyboard.press('?')
      await page.keyboard.press('Control+k')
      await page.waitForTimeout(3_000)
      expect([loads(), await name.inputValue()]).toEqual([0, 'Mangoes'])
      await page.route(team, gone)
      await page.route('**/dashboard/', (route) => route.abort('connectionrefused'))
      await page.locator('.menu-all').getByRole('link', { name: 'Team' }).click()
      await page.getByText('The service does not answer').waitFor()
      expect(loads()).toBe(0)
    })
  },
  patience_ms,
)
