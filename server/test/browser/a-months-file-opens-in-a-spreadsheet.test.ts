// An accountant's evening: the sheet of a day closes with what the balance has, and the files are
// those of the days that were chosen, as a French or an English spreadsheet reads them, under names
// that say whose they are.

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeDecimal } from '../../src/pages/write-values.ts'
import { eventually, type SignedInCaller } from '../harness.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller

const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await app.owner`update merchants set name = 'Été & Cie' where id = ${shop.merchant_id}`
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
  const { data } = await shop.pay({ amount: '2500' })
  const payment = data.id
  await shop.becomes(payment, 'SUCCESS')
  const refund = await owner.post(`/payments/${payment}/refunds/`, { amount: '1000' })
  expect(refund.status).toBe(201)
  await eventually(async () => {
    const { results } = (await owner.get(`/payments/${payment}/refunds/`)).data
    expect(results).toMatchObject([{ status: 'SUCCESS' }])
  })
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)

type Saved = Readonly<{ name: string; text: string }>

async function saveIn(page: Page, form: string, act: string): Promise<Saved> {
  const download = page.waitForEvent('download')
  await page.getByRole('form', { name: form }).getByRole('button', { name: act }).click()
  const file = await download
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
}

/** As the API names days, by the shop's own clocks. */
const dayIn = (timeZone: string, at: Date): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone }).format(at)

it(
  'a French file of last month has none of today’s payments, one of today has them',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/reports/files')
      await signInAs(page, owner)
      await expectSound(page)
      const month = await saveIn(page, 'Opérations', 'Enregistrer (CSV)')
      expect(month.name).toMatch(
        /^transactions-ete-cie-test-(\d{4}-\d\d)-01-\1-(28|29|30|31)\.csv$/,
      )
      expect(month.text.startsWith('\ufeffreference;external_reference;')).toBe(true)
      expect(month.text.trimEnd().split('\n')).toHaveLength(1)
      const none = await saveIn(page, 'Remboursements', 'Enregistrer (CSV)')
      expect(none.name).toMatch(/^refunds-ete-cie-test-(\d{4}-\d\d)-01-\1-(28|29|30|31)\.csv$/)
      expect(none.text.trimEnd().split('\n')).toHaveLength(1)

      for (const form of ['Opérations', 'Remboursements']) {
        const chips = page.getByRole('form', { name: form })
        await chips.getByRole('button', { name: '7 derniers jours' }).click()
      }
      const { name, text } = await saveIn(page, 'Opérations', 'Enregistrer (CSV)')
      const { time_zone } = (await owner.get('/overview/')).data
      const days = [6, 0].map((ago) => dayIn(time_zone, new Date(Date.now() - ago * 86_400_000)))
      expect(name).toBe(`transactions-ete-cie-test-${days.join('-')}.csv`)
      const row = text.split('\n').find((line) => line.includes(';2500,00;')) ?? ''
      // A number that a spreadsheet would add up keeps its sign, behind an apostrophe.
      expect(row).toMatch(/;'?\+22901\d{8};/)
      const refunds = await saveIn(page, 'Remboursements', 'Enregistrer (CSV)')
      expect(refunds.text).toContain(';1000,00;')
      const form = page.getByRole('form', { name: 'Remboursements' })
      await form.getByLabel('Colonnes', { exact: true }).selectOption('own')
      await form.getByRole('button', { name: 'Décocher toutes les colonnes' }).click()
      for (const name of ['Statut status', 'Montant amount']) {
        await form.getByRole('checkbox', { name, exact: true }).check()
      }
      await expectSound(page)
      const some = await saveIn(page, 'Remboursements', 'Enregistrer (CSV)')
      expect(some.text).toBe('\ufeffstatus;amount\nSUCCESS;1000,00\n')
    })
  },
  patience_ms,
)

it(
  'an English file has commas and points',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/reports/files')
      await signInAs(page, owner)
      await page
        .getByRole('form', { name: 'Transactions' })
        .getByRole('button', { name: 'Today' })
        .click()
      const { text } = await saveIn(page, 'Transactions', 'Save (CSV)')
      expect(text.startsWith('\ufeffreference,external_reference,')).toBe(true)
      expect(text).toContain(',2500.00,')
    })
  },
  patience_ms,
)

it(
  'the sheet of a day closes with what the balance has',
  async () => {
    const [balance] = (await owner.get('/merchant-balances/')).data.results
    const closing = writeDecimal(balance.available_amount, 'XOF', 'fr').replace(/\s+/g, ' ')
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/reports')
      await signInAs(page, owner)
      const facts = page.locator('main dl').first()
      const texts = async () => (await facts.innerText()).replace(/\s+/g, ' ')
      await expect.poll(texts).toMatch(new RegExp(`Ouverture 0 FCFA .* Clôture ${closing}`))
    })
  },
  patience_ms,
)
