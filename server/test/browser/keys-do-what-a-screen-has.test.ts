// Keys of one letter do what the screen has for them: begin, narrow, walk through rows and records,
// tick, copy, save, show the calls. None does anything while one types, with Ctrl, in a dialog, or
// where there is nothing for it; and none of them, nor Ctrl Enter, sends what moves money.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs, until } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { type FullShop, fillShop } from './full-shop.ts'
import { heading } from './hands.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let shop: FullShop
let owner: SignedInCaller
let references: readonly string[]
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  shop = await fillShop(fixture)
  owner = shop.owner
  await fixture.shop.pay({ customer: newPayer() })
  const { data } = await owner.get('/transactions/?flow_direction=INBOUND')
  references = data.results.map(({ reference }: { reference: string }) => reference)
  expect(references.length).toBeGreaterThan(2)
}, patience_ms)
afterAll(async () => {
  await shop?.close()
  await fixture?.stop()
})

async function open(page: Page, path: string, isFirst = false): Promise<void> {
  await openFor(page, fixture.app.url, owner.merchant_id, path)
  if (isFirst) await signInAs(page, owner)
  await page.locator('main .heading').waitFor()
  await comesToRest(page)
}

/** The first key of a page loads what they do; those that are pressed meanwhile are lost. */
async function loadKeys(page: Page): Promise<void> {
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

const focused = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement.textContent.trim()')
const type = (page: Page, keys: string) => page.keyboard.type(keys)
const isFocused = (page: Page, selector: string) =>
  until(page, `document.activeElement.matches('${selector}')`)
const ctrlEnter = `document.querySelector('.confirm form').dispatchEvent(
  new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }))`
const path = (page: Page) => new URL(page.url()).pathname.replace(/^.*\/test/, '')

it(
  'walks through the rows of a list and the records behind them, and copies a reference',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await open(page, '/payments', true)
      await page.locator('tbody tr').first().waitFor()
      await type(page, 'j')
      await expect.poll(() => focused(page)).toBe(references[0])
      await type(page, 'jj')
      await expect.poll(() => focused(page)).toBe(references[2])
      await type(page, 'k')
      await expect.poll(() => focused(page)).toBe(references[1])
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Copy the reference' }).waitFor()
      const shown = () => page.locator('dl').getByText(/^TXN-/).innerText()
      await expect.poll(shown).toBe(references[1])
      await type(page, 'c')
      await page.getByText('Copied').first().waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(references[1])
      await type(page, ']')
      await expect.poll(shown).toBe(references[2])
      await type(page, '[')
      await type(page, '[')
      await expect.poll(shown).toBe(references[0])
      // Before the first there is none.
      await type(page, '[')
      await page.keyboard.press('?')
      const help = page.getByRole('dialog')
      await help.getByText('Next record of the list').waitFor()
      expect(await help.getByText('Previous record').count()).toBe(0)
      expect(await help.getByText('Filter the list').count()).toBe(0)
      await expectSound(page)
      await type(page, ']')
      await page.keyboard.press('Escape')
      await help.waitFor({ state: 'detached' })
      expect(await shown()).toBe(references[0])
      await page.goBack()
      await heading(page, 'Payments')
    })
  },
  patience_ms,
)

it(
  'leads to filters, the file and the form; a form goes by Ctrl Enter, but none that moves money',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/payouts', true)
      await type(page, 'f')
      await isFocused(page, 'main search input[name=search]')
      await type(page, 'nejkxci')
      await expect
        .poll(() => page.locator('main search input[name=search]').inputValue())
        .toBe('nejkxci')
      await page.keyboard.press('Control+Enter')
      await page.getByText('Nothing matches these filters.').waitFor()
      await open(page, '/payouts')
      await type(page, 'e')
      await isFocused(page, 'select[name=columns]')
      await page.locator('main h1').focus()
      await type(page, 'i')
      await page.locator('details.calls[open] pre').first().waitFor()
      await isFocused(page, 'details.calls summary')
      await page.keyboard.press('Control+i')
      await page.keyboard.press('Alt+n')
      expect(path(page)).toBe('/payouts')
      await type(page, 'n')
      await heading(page, 'New payout')
      await page.locator('input[name=msisdn]').fill('+2290197000010')
      await page.locator('select[name=country]').selectOption('BJ')
      await page.locator('select[name=method]').selectOption('mtn_bj')
      await page.locator('input[name=amount]').fill('1000')
      await page.locator('select[name=method]').focus()
      await page.keyboard.press('Control+Enter')
      await page.locator('.confirm').waitFor()
      const paidOut = async () =>
        (await owner.get('/transactions/?transaction_type=RETRAIT')).data.results.length
      const before = await paidOut()
      await page.locator('.confirm h2').focus()
      await page.keyboard.press('Control+Enter')
      await page.keyboard.press('Meta+Enter')
      for (const key of 'nfejkxci[].') await page.keyboard.press(key)
      // As from a field of this step, such as that of a code.
      await page.evaluate(ctrlEnter)
      await page.waitForTimeout(500)
      await expect.poll(() => page.locator('.confirm').count()).toBe(1)
      expect(await paidOut()).toBe(before)
    })
  },
  patience_ms,
)

wholeIt(
  'ticks a row, begins in a form of the screen itself, walks through cards on a telephone',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/developers/deliveries', true)
      await page.locator('tbody tr').first().waitFor()
      await loadKeys(page)
      await type(page, 'xjx')
      await until(page, `document.querySelectorAll('tbody input:checked').length === 1`)
      await type(page, 'jx')
      await until(page, `document.querySelectorAll('tbody input:checked').length === 2`)
      await expectSound(page)
      await open(page, '/developers/addresses')
      await type(page, 'n')
      await isFocused(page, 'input[name=ip_address]')
      await open(page, '/team')
      await page.locator('input[name=email]').waitFor()
      await type(page, 'n')
      await isFocused(page, 'input[name=email]')
      await open(page, '/networks')
      await type(page, 'nfec[]x')
      expect(path(page)).toBe('/networks')
    })
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/payments', true)
      await page.locator('ul.cards > li').first().waitFor()
      await loadKeys(page)
      await type(page, 'jj')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Copier la référence' }).waitFor()
      await type(page, '[')
      await page
        .locator('dl')
        .getByText(references[0] ?? '')
        .waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog').getByText('Fiche suivante de la liste').waitFor()
      await expectSound(page)
      await press(page, 'Retour')
    })
  },
  patience_ms,
)

wholeIt(
  'sends by Ctrl Enter where one signs in, what is missing said first',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '')
      await page.locator('input[name=email]').fill('nobody@example.com')
      await page.keyboard.press('Control+Enter')
      // What it needs is said, and nothing is sent.
      await page.getByRole('alert').first().waitFor()
      await page.locator('input[name=password]').fill('not the one that it is')
      await page.keyboard.press('Control+Enter')
      await page
        .getByRole('alert')
        .getByText(/password/i)
        .waitFor()
    })
  },
  patience_ms,
)
