// What a shop's people are offered is not refused when they press it: a top-up whose end nobody knows
// is tried again itself, whoever was erased is nobody to pay, and a network that takes nothing now is
// no choice.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)

/** One that waits ends as the operator of the sandbox is told. */
async function fails(id: string, failure_code: string): Promise<void> {
  const body = { outcome: 'FAILED', failure_code }
  expect((await owner.post(`/sandbox/transactions/${id}/resolve/`, body)).status).toBe(200)
  await owner.becomes(id, 'FAILED')
}

const outcome = (page: Page) => page.locator('.outcome')

describe('what failed for a cause that nobody knows', () => {
  it(
    'is told to whoever asked for it, not as to its payer: a payment',
    async () => {
      const { data } = await fixture.shop.pay({ customer: newPayer('04') })
      await fails(data.id, 'UNKNOWN')
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/payments/${data.id}`)
        await signInAs(page, owner)
        await page.getByText('Ce paiement a échoué. L’opérateur n’a pas dit pourquoi.').waitFor()
        await page.getByText('Le client a peut-être payé.').waitFor()
        expect(await outcome(page).innerText()).not.toContain('Ne payez pas')
        await expectSound(page)
        await open(page, '/payments')
        await page.getByText('L’opérateur n’a pas dit pourquoi.').first().waitFor()
        expect(await page.getByText('Ne payez pas').count()).toBe(0)
      })
    },
    patience_ms,
  )

  it(
    'is tried again itself: a top-up, from its page and from its row',
    async () => {
      const { data } = await owner.post('/top-ups/initialize/', {
        ...{ amount: '4000', currency: 'XOF', country: 'BJ', network: 'mtn_bj' },
        phone: newPayer('04').phone,
      })
      await fails(data.id, 'UNKNOWN')
      const again = /^Recommencer la recharge/
      await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
        await open(page, `/payments/${data.id}`)
        await signInAs(page, owner)
        await page.getByText('Cette recharge a échoué.').waitFor()
        await page.getByText('Vous avez peut-être été débité.').waitFor()
        expect(await outcome(page).innerText()).not.toContain('Ne payez pas')
        await page.getByRole('button', { name: again }).waitFor()
        await open(page, '/payments')
        await page.getByRole('link', { name: again }).first().click()
        await page.getByText(/^Nous redemandons 4.000.FCFA/).waitFor()
        await expectSound(page)
        await press(page, /^Recharger 4.000.FCFA/)
        await page.getByText('Nous attendons que vous confirmiez').waitFor()
        await expectSound(page)
      })
      const { data: now } = await owner.get(`/transactions/${data.id}/`)
      expect(now).toMatchObject({ status: 'PENDING', transaction_type: 'RECHARGE' })
      expect(now.attempts).toHaveLength(2)
    },
    patience_ms,
  )
})

describe('whoever was erased', () => {
  it(
    'is offered neither at the counter nor to be paid out to again',
    async () => {
      const { shop } = fixture
      const [gone, other] = [
        { ...newPayer(), first_name: 'Fatou', last_name: 'Keita' },
        { ...newPayer(), first_name: 'Moussa', last_name: 'Diallo' },
      ]
      for (const customer of [other, gone]) {
        const { data } = await shop.pay({ customer, amount: '500' })
        await shop.becomes(data.id, 'SUCCESS')
      }
      const { data: payout } = await owner.post('/payouts/initialize/', {
        ...{ amount: '2000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
        recipient: { msisdn: gone.phone },
      })
      await shop.becomes(payout.id, 'SUCCESS')
      const { id } = (await owner.get('/customers/?search=Fatou')).data.results[0]
      expect((await owner.call('DELETE', `/customers/${id}/`)).status).toBeLessThan(300)
      const erased = (await owner.get(`/transactions/${payout.id}/`)).data.operation_msisdn
      expect(erased).toMatch(/^\*/)
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/payments/new')
        await signInAs(page, owner)
        const recent = page.getByRole('group', { name: 'Clients récents' })
        await recent.getByRole('button', { name: /^Moussa Diallo/ }).waitFor()
        expect(await recent.innerText()).not.toContain('*')
        await open(page, `/payouts/${payout.id}`)
        await page.getByText('Le versement est arrivé').waitFor()
        expect(await page.getByText('Verser à nouveau').count()).toBe(0)
        await open(page, `/payouts/new?again=${payout.id}`)
        const number = page.locator('input[name=msisdn]')
        await number.waitFor()
        expect(await number.inputValue()).toBe('')
      })
    },
    patience_ms,
  )
})

/** As staff switch it. */
async function takesNothing(code: string): Promise<void> {
  const { owner: sql } = fixture.app
  await sql`update networks set takes_payins = false, takes_payouts = false where code = ${code}`
  await sql`update catalogue_version set version = version + 1`
  const isShut = async () =>
    (await owner.get('/pricing/my-rates/')).data
      .filter((rate: { network_code: string }) => rate.network_code === code)
      .every((rate: { payin: { available: boolean } }) => !rate.payin.available)
  await expect.poll(isShut, { timeout: 30_000 }).toBe(true)
}

const choices = (page: Page, name: string) =>
  page
    .locator(`select[name=${name}] option`)
    .evaluateAll((all) => all.map((one) => one.getAttribute('value') ?? ''))

describe('a network that takes nothing now', () => {
  it(
    'is no choice where a payment is asked for again, nor for an account for settlements',
    async () => {
      const { data } = await fixture.shop.pay({ customer: newPayer('01') })
      await owner.becomes(data.id, 'FAILED')
      await takesNothing('moov_bj')
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/settlements/methods/new')
        await signInAs(page, owner)
        await page.locator('select[name=country]').selectOption('BJ')
        await expect.poll(() => choices(page, 'network')).toContain('mtn_bj')
        await expect.poll(() => choices(page, 'network')).not.toContain('moov_bj')
        // Where none pays out, that is said before a number is typed.
        await page.locator('select[name=country]').selectOption('NG')
        await page.getByText('Aucun réseau n’accepte de versement').waitFor()
        await expectSound(page)
        await open(page, `/payments/${data.id}?act=retry`)
        await page.getByText(/^Nous redemandons/).waitFor()
        await expect.poll(() => choices(page, 'method')).toContain('')
        expect(await choices(page, 'method')).not.toContain('moov_bj')
        expect(await page.getByRole('option', { name: 'Le même réseau' }).count()).toBe(1)
        await expectSound(page)
      })
    },
    patience_ms,
  )

  it(
    'is not asked again where it is that of the payment: another one is chosen',
    async () => {
      const { data } = await fixture.shop.pay({ customer: newPayer('01') })
      await owner.becomes(data.id, 'FAILED')
      await takesNothing('mtn_bj')
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/payments/${data.id}?act=retry`)
        await signInAs(page, owner)
        await page.getByText(/^Nous redemandons/).waitFor()
        await expect.poll(() => choices(page, 'method')).toContain('')
        expect(await page.getByRole('option', { name: 'Le même réseau' }).count()).toBe(0)
        const sends = page.locator('.confirm button[type=submit]')
        await sends.click()
        await page.getByText('À remplir.').first().waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )
})
