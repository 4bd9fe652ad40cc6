// The heads of a long table stay in view while its rows go by, and so does what names a row where
// the table goes sideways in a region of its own; nothing that has the focus lies beneath them.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, signInAs, until } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000
/** More than a window shows, fewer than a page has. */
const rows = 24

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  for (let nth = 0; nth < rows; nth += 1) {
    const link = { name: `Panier ${nth}`, currency: 'XOF', amount: '500' }
    expect((await owner.post('/payment-links/', link)).status).toBe(201)
  }
  const { data } = await fixture.shop.pay({ customer: newPayer(), amount: '12500' })
  await fixture.shop.becomes(data.id, 'SUCCESS')
}, patience_ms)
afterAll(() => fixture?.stop())

async function open(page: Page, path: string): Promise<void> {
  await openFor(page, fixture.app.url, owner.merchant_id, path)
  if ((await page.locator('input[name=email]').count()) > 0) await signInAs(page, owner)
  await page.locator('main h1').waitFor()
  await comesToRest(page)
}

/** Where the first of these stands, and whether it is what is seen there. */
const placeOf = (page: Page, selector: string) =>
  page.evaluate<{ left: number; top: number; isSeen: boolean }>(`(() => {
    const at = document.querySelector(${JSON.stringify(selector)})
    const { left, top, width, height } = at.getBoundingClientRect()
    const seen = document.elementFromPoint(left + width / 2, top + height / 2)
    return { left, top, isSeen: at.contains(seen) }
  })()`)

/** What has the focus and is not what one sees at its middle; '': it is seen. */
const covered = `(() => {
  const at = document.activeElement
  const { left, top, width, height } = at.getBoundingClientRect()
  const seen = document.elementFromPoint(left + width / 2, top + height / 2)
  return at === document.body || at.contains(seen) ? '' : at.outerHTML.slice(0, 120)
})()`

async function coveredOnTheWay(page: Page, key: string, times: number): Promise<string[]> {
  const faults: string[] = []
  for (let pressed = 0; pressed < times; pressed += 1) {
    await page.keyboard.press(key)
    const fault = await page.evaluate<string>(covered)
    if (fault !== '') faults.push(fault)
  }
  return faults
}

it(
  'at a desk heads stay at the edge of the window, and no row that has the focus lies beneath',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/links')
      await page
        .locator('tbody tr')
        .nth(rows - 1)
        .waitFor()
      await page.locator('tbody tr:last-child th a').focus()
      expect(await page.evaluate<number>('scrollY')).toBeGreaterThan(300)
      expect(await placeOf(page, 'thead th')).toMatchObject({ top: 0, isSeen: true })
      expect(await coveredOnTheWay(page, 'Shift+Tab', rows)).toEqual([])
      // The page itself goes by: no region within it has to be scrolled beside it.
      expect(await page.locator('main [tabindex="0"]').count()).toBe(0)
      await expectSound(page)
      await page.emulateMedia({ media: 'print' })
      expect((await placeOf(page, 'thead th')).top).toBeLessThan(0)
    })
  },
  patience_ms,
)

wholeIt.each(['fr', 'en'] as const)(
  'on a telephone a wide table goes sideways with what names its rows: %s',
  async (language) => {
    await fixture.visit({ language, width: 360 }, async (page) => {
      await open(page, '/reports/series')
      await page.locator('details summary').filter({ hasText: /tab/i }).first().click()
      await page.locator('main table tbody tr').nth(20).waitFor()
      const region = 'main .scroll:has(table)'
      await until(page, `document.querySelector('${region}').tabIndex === 0`)
      expect(await page.locator(region).first().getAttribute('aria-label')).not.toBe('')
      await page.evaluate(`(() => {
        const at = document.querySelector('${region}')
        at.scrollIntoView({ block: 'center' })
        at.scrollTo(500, 500)
      })()`)
      const box = await placeOf(page, region)
      const corner = await placeOf(page, `${region} thead th`)
      expect(corner).toEqual({ left: box.left, top: box.top, isSeen: true })
      const last = await placeOf(page, `${region} tbody tr:last-child th`)
      expect(last.left).toBe(box.left)
      await expectSound(page)
      await page.emulateMedia({ media: 'print' })
      const isWhole = `(({ clientHeight, scrollHeight }) => clientHeight === scrollHeight)(
        document.querySelector('${region}'))`
      expect(await page.evaluate(isWhole)).toBe(true)
    })
  },
  patience_ms,
)
