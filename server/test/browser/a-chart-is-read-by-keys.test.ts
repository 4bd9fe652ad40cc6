// A chart is read point by point: by the arrow keys, by Home and End, or by a finger on it; what is
// chosen stands below it and is read aloud, and is what the table beside it has.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  for (const amount of ['12500', '7000']) {
    const { data } = await shop.pay({ amount, customer: newPayer() })
    await shop.becomes(data.id, 'SUCCESS')
  }
}, patience_ms)
afterAll(() => fixture?.stop())

const chart = (page: Page) => page.locator('main figure.hours').first()

async function open(page: Page, path: string): Promise<void> {
  await openFor(page, fixture.app.url, owner.merchant_id, path)
  await signInAs(page, owner)
  await chart(page).getByRole('slider').waitFor()
}

/** Of the table beside it: each point's own sums, as they stand there. */
async function rowsOf(page: Page): Promise<string[]> {
  await chart(page).locator('summary').click()
  return chart(page).locator('tbody tr').allInnerTexts()
}

it(
  'on Home: the hours of the day, each with today and a week before',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '')
      const rows = await rowsOf(page)
      const slider = chart(page).getByRole('slider')
      const shown = () => chart(page).locator('.point').innerText()
      expect(await shown()).toMatch(/Touchez une barre/)
      await slider.focus()
      // It begins with the hour that is running; all of today was taken in it, or just before it.
      const [last = '', taken = ''] = (rows.at(-1) ?? '').split('\t')
      expect(rows.slice(-2).join()).toMatch(/19\s500\sFCFA/)
      // It is not over: said beside it, and drawn otherwise than those that are.
      expect(last).toMatch(/ \(en cours\)$/)
      expect(rows.filter((row) => row.includes('en cours'))).toHaveLength(1)
      expect(await chart(page).locator('svg .open').count()).toBe(1)
      expect(await chart(page).locator('svg .now').count()).toBe(rows.length - 1)
      await expect.poll(shown).toContain(taken)
      expect(await slider.getAttribute('aria-valuetext')).toBe(await shown())
      await page.keyboard.press('Home')
      await expect.poll(shown).toContain('00:00')
      expect(await slider.getAttribute('aria-valuetext')).toBe(await shown())
      await page.keyboard.press('ArrowRight')
      // In the first hour of a day there is one alone.
      await expect.poll(shown).toMatch(rows.length > 1 ? /^01:00/ : /^00:00/)
      await page.keyboard.press('ArrowLeft')
      await expect.poll(shown).toMatch(/^00:00/)
      await expectSound(page)
      // No letter that a slider has the focus for leads elsewhere.
      await page.keyboard.type('n')
      expect(page.url()).toMatch(/\/test$/)
      const box = await slider.boundingBox()
      if (box === null) throw new Error('there is no slider')
      await page.mouse.click(box.x + box.width - 1, box.y + box.height / 2)
      await expect.poll(async () => (await shown()).slice(0, last.length)).toBe(last)
      await expectSound(page)
    })
  },
  patience_ms,
)

wholeIt(
  'in reports: each day of the period',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/reports/series')
      const rows = await rowsOf(page)
      const slider = chart(page).getByRole('slider')
      const shown = () => chart(page).locator('.point').innerText()
      await slider.focus()
      for (let nth = rows.length - 1; nth > rows.length - 4; nth--) {
        const [day = '', , , , sum = ''] = (rows[nth] ?? '').split('\t')
        await expect.poll(shown).toContain(`${day}: ${sum}`)
        await page.keyboard.press('ArrowLeft')
      }
      // The line stands at the middle of the bar that it is of.
      await page.keyboard.press('End')
      const [line, bar] = await Promise.all([
        slider.boundingBox(),
        chart(page).locator('rect').last().boundingBox(),
      ])
      const end = (line?.x ?? 0) + (line?.width ?? 0)
      expect(end).toBeGreaterThan(bar?.x ?? 0)
      expect(end).toBeLessThan((bar?.x ?? 0) + (bar?.width ?? 0) + 3)
      await expectSound(page)
    })
  },
  patience_ms,
)
