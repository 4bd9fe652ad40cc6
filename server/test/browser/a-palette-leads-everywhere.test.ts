// Ctrl K opens a palette over any screen: screens, what one's role may begin, one's shops, and what
// the search finds, all by keys, and read by a screen reader as a field with a list under it.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
let reference: string
let key_prefix: string
const patience_ms = 120_000
const soon = { timeout: 30_000 }

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  const customer = { ...newPayer(), first_name: 'Fatoumata', last_name: 'Keita' }
  reference = (await shop.pay({ customer, amount: '4200' })).data.reference
  const key = { name: 'Till at the port', environment: 'SANDBOX' }
  key_prefix = (await owner.post('/merchant-api-keys/', key)).data.key_prefix
}, patience_ms)
afterAll(() => fixture?.stop())

async function open(page: Page, path: string, who = owner): Promise<void> {
  await openFor(page, fixture.app.url, who.merchant_id, path)
  await signInAs(page, who)
  await page.locator('main h1').waitFor()
  // A key that is pressed before anybody listens is lost.
  await comesToRest(page)
}

const field = (page: Page) => page.getByRole('combobox', { name: /^(A screen|Un écran)/ })
const options = (page: Page) => page.locator('.palette').getByRole('option')
const names = (page: Page) => options(page).allInnerTexts()
const chosen = (page: Page) => page.locator('[role=option][aria-selected=true]').innerText()

async function ask(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await field(page).waitFor()
  await page.keyboard.type(text)
}

it(
  'leads to a screen, to what one may begin, and to what the search finds, by keys alone',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/payments')
      // From within a field, too.
      await page.locator('main input[name=search]').focus()
      await ask(page, 'limit')
      await expect.poll(() => chosen(page), soon).toBe('Limits')
      await page.keyboard.press('Enter')
      await heading(page, 'Limits')
      await ask(page, 'new pay')
      await expect
        .poll(async () => (await names(page)).slice(0, 2), soon)
        .toEqual(['New payment', 'New payout'])
      await page.keyboard.press('ArrowDown')
      expect(await chosen(page)).toBe('New payout')
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('ArrowUp')
      // Round the end: what leads to the search itself is the last one.
      expect(await chosen(page)).toBe('Search everywhere for “new pay”')
      await page.keyboard.press('Escape')
      await expect.poll(() => field(page).count(), soon).toBe(0)
      await heading(page, 'Limits')
      await ask(page, 'Fatoumata')
      await expect.poll(() => chosen(page), soon).toContain('Fatoumata Keita')
      await expectSound(page)
      await page.keyboard.press('Enter')
      await page
        .locator('main')
        .getByText(/Fatoumata/)
        .first()
        .waitFor()
      await ask(page, reference)
      await expect.poll(() => chosen(page), soon).toContain('4,200')
      await page.keyboard.press('Enter')
      await page.locator('dl').getByText(reference).waitFor()
      await ask(page, key_prefix)
      await expect.poll(() => chosen(page), soon).toContain(`Till at the port · ${key_prefix}…`)
      await page.keyboard.press('Enter')
      await heading(page, 'Till at the port')
      await ask(page, 'Fatoumata')
      await expect.poll(() => options(page).count(), soon).toBeGreaterThan(1)
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Enter')
      await heading(page, 'Search')
      expect(new URL(page.url()).search).toBe('?q=Fatoumata')
    })
  },
  patience_ms,
)

it(
  'offers nothing that another word found, and keeps what is chosen while more is found',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/payments')
      await ask(page, 'Fatoumata')
      await expect.poll(() => chosen(page), soon).toContain('Fatoumata Keita')
      let openGate = () => {}
      const opened = new Promise<void>((resolve) => {
        openGate = resolve
      })
      await page.route('**/api/v1/search/**', async (route) => {
        await opened
        await route.continue()
      })
      const asked = page.waitForRequest(/\/api\/v1\/search\//)
      await field(page).fill(reference)
      await asked
      const everywhere = `Search everywhere for “${reference}”`
      expect(await names(page)).toEqual([everywhere])
      await page.keyboard.press('ArrowDown')
      openGate()
      await expect.poll(() => options(page).count(), soon).toBeGreaterThan(1)
      expect(await chosen(page)).toBe(everywhere)
      // With the letters locked as capitals it is the same key.
      await page.keyboard.press('Escape')
      await expect.poll(() => field(page).count(), soon).toBe(0)
      await page.keyboard.press('Control+K')
      await field(page).waitFor()
    })
  },
  patience_ms,
)

it(
  'is a field with a list for a screen reader, offers what a role may, and can be turned off',
  async () => {
    const viewer = await fixture.app.member({ merchant_id: owner.merchant_id, role: 'VIEWER' })
    await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
      await open(page, '/payouts', viewer)
      await ask(page, '')
      await expectSound(page)
      await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('combobox')
      const active = await field(page).getAttribute('aria-activedescendant')
      await expect.poll(() => page.locator(`[id="${active}"]`).innerText()).toBe(await chosen(page))
      await expect.poll(() => page.getByRole('group', { name: 'Écrans' }).count()).toBe(1)
      // What it may not begin is not there; without accents a name is found too.
      expect((await names(page)).filter((name) => /^Nouv/.test(name))).toEqual([])
      await page.keyboard.type('reglements')
      await expect.poll(() => chosen(page), soon).toBe('Règlements')
      await page.keyboard.press('Escape')
      await page.locator('main h1').focus()
      await page.keyboard.press('?')
      const help = page.getByRole('dialog')
      await help.getByText('Commandes : écrans, actions, boutiques').waitFor()
      await help.locator('input[type=checkbox]').uncheck()
      await press(page, 'Retour')
      await page.keyboard.press('Control+k')
      await page.waitForTimeout(500)
      expect(await field(page).count()).toBe(0)
    })
  },
  patience_ms,
)

it(
  'is closed by the way back, and does not open by itself on the way forward',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/payments')
      await page.getByRole('link', { name: 'Customers', exact: true }).click()
      await heading(page, 'Customers')
      await ask(page, 'limit')
      await page.goBack()
      await heading(page, 'Payments')
      expect(await field(page).count()).toBe(0)
      await page.goForward()
      await heading(page, 'Customers')
      expect(await field(page).count()).toBe(0)
      await page.keyboard.press('Control+k')
      await field(page).waitFor()
    })
  },
  patience_ms,
)

wholeIt(
  'asks before a form that was begun is left',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/checkouts/new')
      await page.locator('input[name=customer_name]').fill('Awa')
      await ask(page, 'team')
      await expect.poll(() => chosen(page), soon).toBe('Team')
      await page.keyboard.press('Enter')
      await page.getByText('Leave this page?').waitFor()
      await heading(page, 'New checkout')
      await page.locator('dialog .grave').click()
      await heading(page, 'Team')
      expect(await field(page).count()).toBe(0)
    })
  },
  patience_ms,
)
