// A list of money is read as its reader needs it: of one country or one network, as long as they
// like, with what each row cost and who asked for it; and an empty search begins with what is known.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { plantMethod } from '../setup/settling.ts'
import { expectNotKept, expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000
const payments = 27

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  const method = await plantMethod(app, shop.merchant_id)
  const settlement = { country: 'BJ', requested_amount: '10000', payout_method: method }
  const made = await owner.post('/settlements/', settlement)
  const transfer = { from_country: 'BJ', to_country: 'CI', from_amount: '1000' }
  const moved = await owner.post('/wallet-transfers/', transfer)
  expect([made.status, moved.status]).toEqual([201, 201])
  for (let one = 1; one < payments; one++) {
    const { data } = await shop.pay({ customer: newPayer() })
    if (one === 1) await shop.becomes(data.id, 'SUCCESS')
  }
  const moov = { network: 'moov_bj', customer: newPayer() }
  const { status } = await shop.pay({ amount: '7300', ...moov })
  expect(status).toBe(201)
}, patience_ms)
afterAll(() => fixture?.stop())

const rows = (page: Page) => page.locator('main tbody tr')

async function open(page: Page, path: string): Promise<void> {
  await openFor(page, fixture.app.url, owner.merchant_id, path)
  await signInAs(page, owner)
}

it(
  'payments of one network or one country, which the address holds and a press takes away',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/payments')
      await expect.poll(() => rows(page).count()).toBe(25)
      await page.getByText('More filters', { exact: true }).click()
      await page.getByLabel('Country').selectOption({ label: 'Benin' })
      const networks = await page.getByLabel('Network').locator('option').allInnerTexts()
      expect(networks).toContain('Moov Money Bénin')
      expect(networks.filter((name) => /Togo|Ivoire|Sénégal/.test(name))).toEqual([])
      await page.getByLabel('Network').selectOption({ label: 'Moov Money Bénin' })
      await press(page, 'Show')
      await expect.poll(() => page.url()).toContain('country=BJ&network=moov_bj')
      await expect.poll(() => rows(page).count()).toBe(1)
      await rows(page).getByText('FCFA\u00a07,300').waitFor()
      await expectSound(page)
      await page.reload()
      await expect.poll(() => rows(page).count()).toBe(1)
      await press(page, 'Remove the filter Moov Money Bénin')
      await expect.poll(() => rows(page).count()).toBe(25)
      await page.getByLabel('Country').selectOption({ label: 'Togo' })
      await press(page, 'Show')
      await page.getByText('Nothing matches these filters.').waitFor()
    })
  },
  patience_ms,
)

wholeIt(
  'as many rows a page as its reader wants, filters and the way back kept',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/payments?via=KEY')
      await expect.poll(() => rows(page).count()).toBe(25)
      await page.getByLabel('Rows per page').selectOption('50')
      await expect.poll(() => rows(page).count()).toBe(payments)
      expect(page.url()).toMatch(/via=KEY&size=50$/)
      await expectSound(page)
      await press(page, 'Remove the filter API')
      await expect.poll(() => rows(page).count()).toBe(payments)
      expect(page.url()).toMatch(/\?size=50$/)
      await page.getByLabel('Rows per page').selectOption('25')
      await expect.poll(() => rows(page).count()).toBe(25)
      expect(new URL(page.url()).search).toBe('')
    })
  },
  patience_ms,
)

wholeIt(
  'the fee beside the amount, none where nothing came of it',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      const { data } = await owner.get('/transactions/?status=SUCCESS')
      const [paid] = data.results
      const fee = Number(paid.amounts.fee)
      expect(fee).toBeGreaterThan(0)
      await open(page, '/payments?status=SUCCESS')
      await page.getByRole('columnheader', { name: 'Fees' }).waitFor()
      await rows(page).getByText(`FCFA\u00a0${fee}`, { exact: true }).waitFor()
      // Beside its fee there is still room: the name of a network stands in one line.
      const network = rows(page).getByText('MTN MoMo Bénin', { exact: true }).first()
      expect((await network.boundingBox())?.height).toBeLessThan(30)
      await expectSound(page)
    })
  },
  patience_ms,
)

wholeIt(
  'settlements and transfers say who asked for them, and settlements where they go',
  async () => {
    const { data: me } = await owner.get('/auth/me/')
    const name = `${me.member.first_name} ${me.member.last_name}`
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/settlements')
      await rows(page).getByText(name).waitFor()
      await rows(page).getByText('Banque du Golfe').waitFor()
      await expectSound(page)
      await page.getByText('Filter', { exact: true }).click()
      await page.getByLabel('Country').selectOption({ label: 'Togo' })
      await press(page, 'Show')
      await page.getByText('Nothing matches these filters.').waitFor()
      await openFor(page, fixture.app.url, owner.merchant_id, '/transfers')
      await rows(page).getByText(name).waitFor()
      await expectSound(page)
      await rows(page).getByRole('link').click()
      await page.locator('dl').getByText(name).waitFor()
    })
  },
  patience_ms,
)

wholeIt(
  'an empty search begins with what was looked for before, kept nowhere, and what came last',
  async () => {
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await open(page, '/search')
      await page.getByText('Latest payments and payouts').waitFor()
      await expect.poll(() => page.locator('main ul.cards > li').count()).toBe(5)
      const field = page.getByLabel('Reference, number, name or e-mail')
      for (const q of ['7300', 'riz', '7300']) {
        await field.fill(q)
        await press(page, 'Show')
        await expect.poll(() => page.url()).toContain(`q=${q}`)
      }
      await page.getByRole('link', { name: 'Payments', exact: true }).click()
      await page.getByRole('link', { name: 'Search', exact: true }).click()
      await page.getByText('Recent searches').waitFor()
      await expect.poll(() => page.locator('a.chip').allInnerTexts()).toEqual(['7300', 'riz'])
      await expectSound(page)
      await expectNotKept(page, /7300|riz/)
      await page.locator('a.chip').last().click()
      await expect.poll(() => page.url()).toContain('q=riz')
      await page.goto('about:blank')
      await openFor(page, fixture.app.url, owner.merchant_id, '/search')
      await page.getByText('Latest payments and payouts').waitFor()
      expect(await page.locator('a.chip').count()).toBe(0)
    })
  },
  patience_ms,
)
