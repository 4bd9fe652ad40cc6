// What a reader chooses for themselves: light, dark or as the device has it; keys of the keyboard,
// with those of one letter off where they harm.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
}, patience_ms)
afterAll(() => fixture?.stop())

const paper = (page: Page): Promise<string> =>
  page.evaluate('getComputedStyle(document.body).backgroundColor')

const light = 'rgb(255, 255, 255)'
const dark = 'rgb(20, 23, 26)'

it.each([
  ['fr', 360, 'Thème', 'Mon compte'],
  ['en', 1280, 'Theme', 'My account'],
] as const)(
  'wears the theme that was chosen, on each screen and after a reload, and paper stays white: %s',
  async (language, width, label, account) => {
    await fixture.visit({ language, width }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '')
      await signInAs(page, owner)
      expect(await paper(page)).toBe(light)
      await page.locator('.person summary').click()
      await page.getByLabel(label).selectOption('dark')
      expect(await paper(page)).toBe(dark)
      await expectSound(page)
      await page.reload()
      await page.locator('nav.menu').waitFor()
      expect(await paper(page)).toBe(dark)
      await page.emulateMedia({ media: 'print' })
      expect(await paper(page)).toBe(light)
      await page.emulateMedia({ media: 'screen', colorScheme: 'dark' })
      await page.goto(`${fixture.app.url}/dashboard/me`)
      await heading(page, account)
      await page.getByLabel(label).selectOption('light')
      expect(await paper(page)).toBe(light)
      await expectSound(page)
      await page.getByLabel(label).selectOption('device')
      expect(await paper(page)).toBe(dark)
    })
  },
  patience_ms,
)

it(
  'leads to the search by /, to a place by g, and leaves one letter to who writes',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/payments')
      await signInAs(page, owner)
      await comesToRest(page)
      await page.locator('main h1').focus()
      await page.keyboard.press('/')
      const field = page.getByLabel('Find anything')
      await expect.poll(() => field.evaluate((of) => of.matches(':focus'))).toBe(true)
      await page.keyboard.type('a/b?')
      await expect.poll(() => field.inputValue()).toBe('a/b?')
      await page.locator('main h1').focus()
      await page.keyboard.type('gb')
      await heading(page, 'Balances')
      await page.keyboard.type('gx')
      await page.keyboard.type('p')
      await page.keyboard.type('gh')
      await heading(page, 'Home')
      await page.keyboard.press('?')
      const help = page.getByRole('dialog')
      await help.waitFor()
      await expectSound(page)
      await help.getByText('Balances').waitFor()
      await help.getByLabel('Single-key shortcuts').uncheck()
      await page.keyboard.press('Escape')
      await help.waitFor({ state: 'detached' })
      await page.keyboard.type('?gp')
      await page.keyboard.press('Control+k')
      await page.waitForTimeout(300)
      expect(await help.count()).toBe(0)
      await heading(page, 'Home')
    })
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/payments')
      await signInAs(page, owner)
      await comesToRest(page)
      await page.locator('main h1').focus()
      await page.keyboard.press('/')
      await page
        .locator('main input[name=search]')
        .and(page.locator(':focus'))
        .or(page.locator('h1', { hasText: 'Rechercher' }))
        .first()
        .waitFor()
    })
  },
  patience_ms,
)
