// The oldest browsers that the dashboard is built for (Chromium 109, Firefox 115, Safari 15.4) lack
// what came later: without it every screen still works. One that is older still, or that cannot read
// the page's script at all, is told so after a while instead of being left with an empty page.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sized } from '../setup/proof-size.ts'
import { openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { type FullShop, fillPath, fillShop, forms, readings } from './full-shop.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let filled: FullShop
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  filled = await fillShop(fixture)
}, patience_ms)
afterAll(async () => {
  await filled?.close()
  await fixture?.stop()
})

/** What at least one of the three oldest has not (MDN's tables of July 2026). */
const later = [
  ...['AbortSignal.timeout', 'AbortSignal.any', 'URL.canParse', 'URL.parse', 'Object.groupBy'],
  ...['Map.groupBy', 'Promise.withResolvers', 'Promise.try', 'Array.fromAsync', 'RegExp.escape'],
  ...['Array.prototype.toSorted', 'Array.prototype.toReversed', 'Array.prototype.toSpliced'],
  ...['Array.prototype.with', 'URLSearchParams.prototype.size', 'Set.prototype.union'],
  ...['Set.prototype.difference', 'Set.prototype.intersection', 'Set.prototype.isSubsetOf'],
  ...['String.prototype.isWellFormed', 'String.prototype.toWellFormed', 'Iterator.prototype.map'],
  ...['Iterator.prototype.filter', 'Iterator.prototype.toArray', 'Iterator.prototype.forEach'],
  ...['Element.prototype.checkVisibility', 'HTMLElement.prototype.showPopover'],
  ...['navigator.userActivation', 'scheduler', 'Intl.DurationFormat', 'navigation'],
  ...['document.startViewTransition', 'requestIdleCallback', 'Temporal', 'navigator.locks'],
  ...['CloseWatcher', 'documentPictureInPicture', 'ReadableStream.prototype.values'],
]

/** Before any script of the page: as if none of it had been invented. */
const forget = `for (const name of ${JSON.stringify(later)}) {
  const parts = name.split('.')
  const last = parts.pop()
  let at = globalThis
  for (const part of parts) at = at?.[part]
  for (let own = at; own != null; own = Object.getPrototypeOf(own)) delete own[last]
}`

async function expectForgotten(page: Page): Promise<void> {
  const kept = await page.evaluate<string[]>(`${JSON.stringify(later)}.filter((name) =>
    name.split('.').reduce((at, part) => at?.[part], globalThis) !== undefined)`)
  expect(kept).toEqual([])
}

const screens = sized(['', '/payments/{paid}'], [...readings, ...forms])

describe('an older browser', () => {
  it(
    'shows every screen, filters a list and makes a link',
    async () => {
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await page.addInitScript(forget)
        await openFor(page, fixture.app.url, filled.owner.merchant_id, '/links/new')
        await expectForgotten(page)
        await signInAs(page, filled.owner)
        await page.getByLabel('What for?').fill('Mangoes')
        await page.getByLabel('How much?').fill('1,500')
        await press(page, 'Create the link')
        await page.getByRole('heading', { level: 1, name: 'Mangoes' }).waitFor()
        await openFor(page, fixture.app.url, filled.owner.merchant_id, '/payments?search=nobody')
        await page.getByText('Nothing matches these filters.').waitFor()
        await press(page, 'Clear all')
        await page.locator('main .cards a').first().waitFor()
        expect(page.url()).toMatch(/\/payments$/)
        for (const path of screens) {
          const at = fillPath(path, filled.ids)
          await openFor(page, fixture.app.url, filled.owner.merchant_id, at)
          await comesToRest(page)
          expect(await page.locator('[role=alert]').count(), path).toBe(0)
        }
      })
    },
    patience_ms,
  )
})

describe('a browser that keeps nothing', () => {
  const full = `Storage.prototype.setItem = () => {
    throw new DOMException('full', 'QuotaExceededError')
  }`
  const forbidden = `Object.defineProperty(globalThis, 'localStorage', { get: () => null })`

  it.each([
    ['because its storage is full', full],
    ['because none is allowed', forbidden],
  ])(
    'signs its reader in once, and lets them choose: %s',
    async (_, script) => {
      await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
        let sent = 0
        page.on('request', (one) => {
          if (one.url().endsWith('/auth/login/')) sent += 1
        })
        await page.addInitScript(script)
        await openFor(page, fixture.app.url, filled.owner.merchant_id, '/payments')
        await signInAs(page, filled.owner)
        await page.locator('main tbody tr').first().waitFor()
        await page.locator('.person summary').click()
        await page.locator('.person select').selectOption('dark')
        await expect
          .poll(() => page.evaluate('document.documentElement.dataset.theme'))
          .toBe('dark')
        await page.getByRole('button', { name: 'English' }).click()
        await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor()
        expect(sent).toBe(1)
        await page.reload()
        await page.locator('nav.menu').waitFor()
      })
    },
    patience_ms,
  )
})

describe('a browser that cannot read the script', () => {
  it(
    'says so, in both languages, and not before it has had time to',
    async () => {
      let isSaid = false
      await fixture
        .visit({ language: 'fr', width: 360, hostile: true }, async (page) => {
          await page.route('**/assets/*.js', (route) =>
            route.fulfill({ contentType: 'text/javascript', body: 'this is (of the) future' }),
          )
          await page.goto(`${fixture.app.url}/dashboard`)
          const said = page.getByText('Votre navigateur est peut-être trop ancien')
          expect(await said.isVisible()).toBe(false)
          await page.evaluate('for (const one of document.getAnimations()) one.finish()')
          await said.waitFor()
          await page.getByText('Your browser may be too old').waitFor()
          isSaid = true
        })
        .catch((error: Error) => expect(error.message).toMatch(/^script: .*SyntaxError|Unexpected/))
      expect(isSaid).toBe(true)
    },
    patience_ms,
  )

  it(
    'is not told so where the page is there',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await page.goto(`${fixture.app.url}/dashboard`)
        await page.getByRole('heading', { name: 'Se connecter' }).waitFor()
        expect(await page.getByText('Votre navigateur est peut-être trop ancien').count()).toBe(0)
      })
    },
    patience_ms,
  )
})
