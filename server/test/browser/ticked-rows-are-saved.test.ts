// Some payments, or some payouts, leave as a file: those that are ticked, which is said with their
// number before it is saved; by keys too, and on a telephone once somebody asks for it.

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { plantTransaction } from '../setup/transaction-rows.ts'
import { expectSound, openFor, press, signInAs, until } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000
const payments = 30

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  const plant = (changes: object) =>
    plantTransaction(app.owner, shop.merchant_id, { status: 'SUCCESS', ...changes })
  for (let nth = 1; nth <= payments; nth += 1) {
    await plant({ reference: `IN-${nth}`, ...(nth === payments && { status: 'FAILED' }) })
  }
  const out = { transaction_type: 'RETRAIT' }
  for (const nth of [1, 2]) await plant({ reference: `OUT-${nth}`, ...out })
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)

const tick = (page: Page, reference: string, word = 'Tick') =>
  page.getByRole('checkbox', { name: `${word} ${reference}`, exact: true })

/** The references in the file, whatever parts its columns; `kind` begins its name. */
async function save(page: Page, act: string, kind = 'payments'): Promise<string[]> {
  const saved = page.waitForEvent('download')
  await press(page, act)
  expect((await saved).suggestedFilename()).toMatch(new RegExp(`^${kind}-[a-z\\d-]+\\.csv$`))
  const file = await readFile(await (await saved).path(), 'utf8')
  const lines = file.replace('\ufeff', '').trimEnd().split('\n').slice(1)
  return lines.map((line) => line.split(/[,;]/)[0] ?? '')
}

it(
  'payments that are ticked are a file of their own, on one page, at a desk and by keys',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/payments')
      await signInAs(page, owner)
      const fold = page.locator('details[data-key=e]')
      await fold.locator('summary').click()
      await page.getByText('To save only some rows, tick them in the list.').waitFor()
      await tick(page, 'IN-29').check()
      // The row below it, by keys alone.
      await page.keyboard.press('j')
      await until(page, "document.activeElement.textContent === 'IN-28'")
      await page.keyboard.press('x')
      await expect.poll(() => tick(page, 'IN-28').isChecked()).toBe(true)
      await page.getByText('Save the ticked rows: 2').waitFor()
      await page.getByText('Rows ticked: 2. The file contains only these.').waitFor()
      await expectSound(page)
      expect(await save(page, 'Save (CSV)')).toEqual(['IN-29', 'IN-28'])
      await press(page, 'Older')
      await tick(page, 'IN-1').waitFor()
      await page.getByText('To save only some rows').waitFor()
      expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0)
      expect(await save(page, 'Save (CSV)')).toHaveLength(payments)
      // What is ticked is saved whatever else the list is narrowed by.
      await open(page, '/payments?status=FAILED')
      await tick(page, `IN-${payments}`).check()
      await fold.locator('summary').click()
      expect(await save(page, 'Save (CSV)')).toEqual([`IN-${payments}`])
      await press(page, 'Untick all')
      await page.getByText('The file has only: Failed').waitFor()
    })
  },
  patience_ms,
)

wholeIt(
  'on a telephone boxes come once they are wanted, and lead to the first; of payouts too',
  async () => {
    await fixture.visit({ language: 'fr', width: 360, dark: true }, async (page) => {
      await open(page, '/payouts')
      await signInAs(page, owner)
      const boxes = page.locator('main .cards input[type=checkbox]')
      await page.locator('main .cards > li').first().waitFor()
      expect(await boxes.count()).toBe(0)
      await page.locator('details[data-key=e] summary').click()
      await expectSound(page)
      await press(page, 'Cocher des lignes')
      await expect.poll(() => boxes.count()).toBe(2)
      const focused = 'document.activeElement.getAttribute("aria-label")'
      await expect.poll(() => page.evaluate<string>(focused)).toBe('Cocher OUT-2')
      await tick(page, 'OUT-1', 'Cocher').check()
      await page.getByText('Lignes cochées : 1. Le fichier ne contient que').waitFor()
      await expectSound(page)
      expect(await save(page, 'Enregistrer (CSV)', 'payouts')).toEqual(['OUT-1'])
      await press(page, 'Tout décocher')
      expect(await save(page, 'Enregistrer (CSV)', 'payouts')).toEqual(['OUT-2', 'OUT-1'])
    })
  },
  patience_ms,
)
