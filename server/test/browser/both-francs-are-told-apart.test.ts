// XOF and XAF are both called FCFA. Where a merchant has both, each sum of a balance and of a
// transfer says of which it is; where there is one only, none does. The day's sheet of the same
// merchant: countries by name, no table without rows, no side that nothing came or went on.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, SignedInCaller } from '../harness.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
/** Of Benin and Cameroon. */
let both: SignedInCaller
/** Of Benin and Senegal, which have the same. */
let one: SignedInCaller
const patience_ms = 300_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app } = fixture
  const having = async (sums: Readonly<Record<string, string>>) => {
    const { merchant_id } = await app.shop()
    const owner = await app.member({ merchant_id })
    for (const [country, amount] of Object.entries(sums)) {
      const { status } = await owner.post('/sandbox/balances/', { country, amount })
      expect(status).toBe(201)
    }
    return owner
  }
  both = await having({ BJ: '500000', CM: '250000' })
  one = await having({ BJ: '500000', SN: '250000' })
}, patience_ms)
afterAll(() => fixture?.stop())

/** Every sum of money that is shown, without the words around it. */
const sumsOn = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelector('main').innerText
      .matchAll(/\\d[\\d\\u00a0]*\\u00a0FCFA(\\u00a0\\(X[AO]F\\))?/g)].map(([sum]) => sum)`,
  )

const spelt = (sum: string): boolean => /\(X[AO]F\)$/.test(sum)

const ofOne = /\/transfers\/[0-9a-f-]{36}$/

/** From one balance to another country, to the step that confirms. */
async function check(page: Page, from: string, to: string): Promise<void> {
  await page.locator('select[name=from_country]').selectOption(from)
  await page.locator('select[name=to_country]').selectOption(to)
  await page.locator('input[name=amount]').fill('10 000')
  await press(page, 'Continuer')
  await page.getByRole('heading', { name: 'Vérifiez le transfert' }).waitFor()
}

describe('a merchant with both francs', () => {
  it(
    'reads of which a sum is on its balances and over a transfer, from its check to its list',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        const open = (path: string) => openFor(page, fixture.app.url, both.merchant_id, path)
        await open('/balances')
        await signInAs(page, both)
        await page.getByText('250\u00a0000\u00a0FCFA\u00a0(XAF)').first().waitFor()
        expect((await sumsOn(page)).filter((sum) => !spelt(sum))).toEqual([])
        await expectSound(page)
        await open('/balances/CM')
        await page.locator('.outcome').getByText('250\u00a0000\u00a0FCFA\u00a0(XAF)').waitFor()
        await expectSound(page)
        await open('')
        const home = page.locator('main section', { hasText: 'Soldes' }).last()
        await home.getByText('250\u00a0000\u00a0FCFA\u00a0(XAF)').waitFor()
        await home.getByText('500\u00a0000\u00a0FCFA\u00a0(XOF)').waitFor()
        await expectSound(page)
        await open('/transfers/new')
        await page.locator('select[name=from_country]').selectOption('BJ')
        await page.getByText('500\u00a0000\u00a0FCFA\u00a0(XOF)').waitFor()
        await check(page, 'CM', 'BJ')
        const checked = await sumsOn(page)
        expect(checked.filter((sum) => !spelt(sum))).toEqual([])
        expect(checked).toContain('10\u00a0000\u00a0FCFA\u00a0(XAF)')
        expect(checked.some((sum) => sum.endsWith('(XOF)'))).toBe(true)
        await expectSound(page)
        await press(page, 'Transférer 10\u00a0000\u00a0FCFA\u00a0(XAF)')
        await page.waitForURL(ofOne)
        const said = page.getByText(/^Sans décision, toute la somme revient dans .+\)\.$/)
        await said.waitFor()
        expect((await sumsOn(page)).filter((sum) => !spelt(sum))).toEqual([])
        await expectSound(page)
        await open('/transfers')
        await page.locator('main .cards li').first().waitFor()
        expect(await sumsOn(page)).toEqual(['10\u00a0000\u00a0FCFA\u00a0(XAF)'])
        await expectSound(page)
      })
    },
    patience_ms,
  )

  it(
    'reads a day’s sheet without a table of nothing',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        const open = (path: string) => openFor(page, fixture.app.url, both.merchant_id, path)
        await open('/reports')
        await signInAs(page, both)
        await page.getByRole('heading', { name: 'Solde : Cameroun' }).waitFor()
        await page.getByText('Argent de test').first().waitFor()
        expect(await page.locator('main').innerText()).not.toMatch(/[+−]\s0\s/)
        await expectSound(page)
        // Nothing at all in one country, a balance that rests in the other.
        await page.route('**/reports/daily/**', async (route) => {
          const answer = await route.fetch()
          const sheet: Json = await answer.json()
          const [resting, ...others] = sheet.balances
          const zero = { opening_balance: '0.00', closing_balance: '0.00', credits: '0.00' }
          const still = { ...resting, movements: [], opening_balance: resting.closing_balance }
          const quiet = ['GA', 'BF', 'CI'].map((country) => {
            return { ...resting, ...zero, debits: '0.00', movements: [], country }
          })
          const balances = [...quiet, still, ...others]
          await route.fulfill({ response: answer, json: { ...sheet, balances } })
        })
        await page.reload()
        await page.getByText('Aucun mouvement.').waitFor()
        expect(await page.getByText('Aucun mouvement.').count()).toBe(1)
        await page
          .getByText(/^Ni solde ni mouvement.: Burkina Faso, Côte d’Ivoire, Gabon\.$/)
          .waitFor()
        expect(await page.getByRole('heading', { name: /Gabon|Burkina/ }).count()).toBe(0)
        await expectSound(page)
        await page.setViewportSize({ width: 1280, height: 800 })
        await comesToRest(page)
        for (const table of await page.locator('main table').all()) {
          expect(await table.locator('tbody tr').count()).toBeGreaterThan(0)
        }
        await expectSound(page)
      })
    },
    patience_ms,
  )
})

it(
  'a merchant with one of them reads no code on balances and transfers',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      const open = (path: string) => openFor(page, fixture.app.url, one.merchant_id, path)
      await open('/balances')
      await signInAs(page, one)
      await page.getByText('250\u00a0000\u00a0FCFA').first().waitFor()
      expect((await sumsOn(page)).filter(spelt)).toEqual([])
      await open('/transfers/new')
      const from = page.locator('select[name=from_country] option')
      const named = ['Choisissez un pays', 'Bénin', 'Sénégal']
      await expect.poll(() => from.allInnerTexts()).toEqual(named)
      await check(page, 'SN', 'BJ')
      const checked = await sumsOn(page)
      expect(checked.length).toBeGreaterThan(2)
      expect(checked.filter(spelt)).toEqual([])
      // The other side has the other one.
      await press(page, 'Retour')
      await page.locator('select[name=to_country]').waitFor()
      await check(page, 'SN', 'CM')
      expect((await sumsOn(page)).filter((sum) => !spelt(sum))).toEqual([])
    })
  },
  patience_ms,
)
