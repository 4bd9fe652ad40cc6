// Who came before comes again: at the counter their number is chosen, from their page a payment or a
// session is begun for them, and a link that was just made is shown to them at once.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
let customer: string
const patience_ms = 120_000
const payer = {
  ...newPayer(),
  first_name: 'Fatoumata',
  last_name: 'Keita',
  email: 'fa@example.com',
}

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  for (let times = 0; times < 11; times += 1) {
    expect((await shop.pay({ customer: payer, amount: '500' })).status).toBe(201)
  }
  const moussa = { ...newPayer(), first_name: 'Moussa', last_name: 'Diallo' }
  expect((await shop.pay({ customer: moussa, amount: '500' })).status).toBe(201)
  customer = (await owner.get('/customers/?search=Fatoumata')).data.results[0].id
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)
const bare = (text: string) => text.replace(/\D/g, '')

it(
  'at the counter by one press, with the network of last time',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/payments/new')
      await signInAs(page, owner)
      await page.getByRole('group', { name: 'Clients récents' }).waitFor()
      await expectSound(page)
      const chip = page.getByRole('button', { name: /^Fatoumata Keita/ })
      expect(await chip.count()).toBe(1)
      await chip.click()
      expect(bare(await page.getByLabel('Numéro du client').inputValue())).toBe(bare(payer.phone))
      expect(await page.locator('select[name=network]').inputValue()).toBe('mtn_bj')
      await page.locator('input[name=amount]').fill('700')
      await press(page, 'Continuer')
      await press(page, /^Demander 700/)
      await heading(page, 'Paiement')
      const { data } = await owner.get('/transactions/?page_size=1')
      expect(data.results).toMatchObject([{ operation_msisdn: payer.phone }])
    })
  },
  patience_ms,
)

it(
  'from their page, for a payment and for a session',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, `/customers/${customer}`)
      await signInAs(page, owner)
      await page.getByRole('link', { name: 'New checkout' }).click()
      await heading(page, 'New checkout')
      await expect
        .poll(() => page.locator('input[name=customer_email]').inputValue())
        .toBe('fa@example.com')
      expect(await page.locator('input[name=customer_name]').inputValue()).toBe('Fatoumata Keita')
      await expectSound(page)
      await page.goBack()
      const asked = page.waitForResponse(/\/predict\//)
      await page.getByRole('link', { name: 'New payment' }).click()
      await heading(page, 'New payment')
      const number = page.getByLabel('Customer’s number')
      await expect.poll(async () => bare(await number.inputValue())).toBe(bare(payer.phone))
      const name = page.getByLabel('First name')
      expect(await name.inputValue()).toBe('Fatoumata')
      // Whose number it is, is asked before a sum is typed.
      await asked
      // It is theirs however it is written.
      await number.fill(payer.phone.slice(4).replace(/\d\d/g, '$& '))
      expect(await name.inputValue()).toBe('Fatoumata')
      // Nobody else is asked under their name, and a name that was typed stays.
      await page.getByRole('button', { name: /^Moussa/ }).click()
      await expect.poll(() => name.inputValue()).toBe('')
      await name.fill('Moussa')
      await number.fill('0197000010')
      expect(await name.inputValue()).toBe('Moussa')
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'and who has no number is not asked by one: they get a page by e-mail',
  async () => {
    const body = { first_name: 'Koffi', last_name: 'Adjovi', email: 'koffi@example.com' }
    const { status, data } = await owner.post('/customers/', body)
    expect(status).toBe(201)
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await open(page, `/customers/${data.id}`)
      await signInAs(page, owner)
      await page.getByRole('link', { name: 'New checkout' }).waitFor()
      expect(await page.getByRole('link', { name: 'New payment' }).count()).toBe(0)
    })
  },
  patience_ms,
)

it(
  'and the page of their payments on which one was is found again',
  async () => {
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await open(page, `/customers/${customer}`)
      await signInAs(page, owner)
      await page.getByRole('button', { name: 'Older' }).click()
      await page.waitForURL(/\?page=2$/)
      await page.locator('main .cards a').last().click()
      await heading(page, 'Payment')
      await page.goBack()
      await page.waitForURL(/\?page=2$/)
      await expect.poll(() => page.locator('main .cards > li').count()).toBeLessThan(10)
    })
  },
  patience_ms,
)

it(
  'a link that was just made shows its code, and leads to the next',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/links/new')
      await signInAs(page, owner)
      await page.locator('input[name=name]').fill('Panier de mangues')
      await page.locator('input[name=amount]').fill('2500')
      await press(page, 'Créer le lien')
      await heading(page, 'Panier de mangues')
      const code = page.getByRole('img', { name: /^Code QR du lien/ })
      await code.waitFor()
      await expect.poll(() => code.evaluate((one) => one.clientWidth)).toBeGreaterThan(100)
      await expectSound(page)
      const made = page.url()
      await page.getByRole('link', { name: 'Créer un autre lien' }).click()
      await heading(page, 'Nouveau lien')
      // Whoever gets its address may make none.
      const viewer = await fixture.app.member({ merchant_id: owner.merchant_id, role: 'VIEWER' })
      await page.context().clearCookies()
      await page.goto(made)
      await signInAs(page, viewer)
      await heading(page, 'Panier de mangues')
      await code.waitFor()
      expect(await page.getByRole('link', { name: 'Créer un autre lien' }).count()).toBe(0)
    })
  },
  patience_ms,
)
