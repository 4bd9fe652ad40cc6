// What a sum would cost on each network of a country, on the page of prices: each figure is the
// API's own quote, what it refuses is said beside it, and the address holds what was asked.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { cutTexts } from './measure.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  const { merchant_id } = fixture.shop
  await fixture.app.owner`update merchants set country = 'BJ' where id = ${merchant_id}`
  owner = await fixture.app.member({ merchant_id })
}, patience_ms)
afterAll(() => fixture?.stop())

const plain = (text: string): string => text.replace(/\s/g, ' ')

/** The whole francs of an amount as pages write them. */
const francs = (decimal: string): string =>
  decimal.replace(/\.00$/, '').replace(/\B(?=(\d{3})+$)/g, ' ')

async function quoteOf(kind: string, network: string, amount: string) {
  const query = new URLSearchParams({ kind, country: 'BJ', network, amount, currency: 'XOF' })
  const { status, data } = await owner.get(`/quotes/?${query}`)
  expect(status).toBe(200)
  return data
}

const lines = (page: Page) => page.locator('main .outcome dl > div')

/** As the API has it, and in the words of what is done. */
async function expectPriced(page: Page, kind: string, amount: string, separator: RegExp) {
  await expect.poll(() => lines(page).count()).toBeGreaterThan(1)
  const quote = await quoteOf(kind, 'mtn_bj', amount)
  const mtn = lines(page).filter({ hasText: 'MTN' }).first()
  // What was asked before stands there until the answer comes, and may have one of the sums.
  const written = async (): Promise<boolean> => {
    const text = plain(await mtn.innerText()).replace(separator, ' ')
    return [quote.charged, quote.net, quote.fee].every((sum) => text.includes(francs(sum)))
  }
  await expect.poll(written, { message: `${kind} of ${amount}` }).toBe(true)
}

const readers = [
  {
    language: 'fr',
    width: 360,
    show: 'Afficher',
    of: 'Pour',
    payouts: 'Versements',
    wrong: /montant/,
  },
  { language: 'en', width: 1280, show: 'Show', of: 'For', payouts: 'Payouts', wrong: /amount/ },
] as const

it.each(readers)(
  'a sum is priced on each network: $language, $width',
  async ({ language, width, show, of, payouts, wrong }) => {
    await fixture.visit({ language, width }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/prices')
      await signInAs(page, owner)
      await page.locator('main [name=amount]').fill('dix mille')
      await press(page, show)
      await page.locator('main .wrong').getByText(wrong).waitFor()
      await page.locator('main [name=amount]').fill('10 000')
      await press(page, show)
      const separator = language === 'fr' ? / /g : /,/g
      await expectPriced(page, 'PAYIN', '10000', separator)
      await expectSound(page)
      expect(await cutTexts(page)).toEqual([])
      await page.getByLabel(of, { exact: true }).selectOption({ label: payouts })
      await press(page, show)
      await expect.poll(() => page.url()).toContain('kind=PAYOUT')
      await expectPriced(page, 'PAYOUT', '10000', separator)
      await page.reload()
      await expectPriced(page, 'PAYOUT', '10000', separator)
      // More than a network takes at once: its own words stand beside its price.
      await page.locator('main [name=amount]').fill('9000000')
      await press(page, show)
      const { refusals } = await quoteOf('PAYOUT', 'mtn_bj', '9000000')
      await expect.poll(() => lines(page).locator('.wrong').count()).toBeGreaterThan(0)
      expect(refusals.length).toBeGreaterThan(0)
      await expectSound(page)
    })
  },
  patience_ms,
)
