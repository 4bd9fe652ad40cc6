// A sum that is frozen says why on its balance, in the words of whoever froze it, to those who may
// read the audit log; the others are told who may. And the list of links says what each took.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Json, SignedInCaller } from '../harness.ts'
import { newPayer } from '../harness.ts'
import { plantMethod } from '../setup/settling.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
let balance = ''
const patience_ms = 120_000
const reason = 'Asked by the bank <b>, letter 12'

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
  balance = (await owner.get('/merchant-balances/')).data.results[0].id
}, patience_ms)
afterAll(() => fixture?.stop())

async function act(how: 'freeze' | 'unfreeze', body: Json): Promise<void> {
  const staff = await fixture.app.staff()
  const { status } = await staff.post(`/admin/balances/${balance}/${how}/`, body)
  expect(status).toBe(200)
}

it(
  'a balance of which a sum is frozen says why, and nothing where none is',
  async () => {
    const { app } = fixture
    const reader = await app.member({ merchant_id: owner.merchant_id, role: 'VIEWER' })
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, app.url, owner.merchant_id, '/balances/BJ')
      await signInAs(page, owner)
      await page.getByText('Available').first().waitFor()
      expect(await page.getByText('Why it is frozen').count()).toBe(0)
      await act('freeze', { reason, amount: '4000' })
      await page.reload()
      await page.getByRole('heading', { name: 'Why it is frozen' }).waitFor()
      const first = page.locator('.outcome li').first()
      await first.getByText(reason).waitFor()
      await first.getByText('FCFA\u00a04,000').waitFor()
      await expectSound(page)
      await act('unfreeze', { reason: 'Settled', amount: '1000' })
      await act('freeze', { reason: 'Looked into' })
      await page.reload()
      const rows = page.locator('.outcome li')
      await expect.poll(() => rows.count()).toBe(3)
      expect((await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual([
        expect.stringMatching(/^The whole balance Frozen Looked into/),
        expect.stringMatching(/^FCFA 1,000 Unfrozen Settled/),
        expect.stringMatching(/^FCFA 4,000 Frozen Asked by the bank/),
      ])
      await expectSound(page)
    })
    await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
      await openFor(page, app.url, owner.merchant_id, '/balances/BJ')
      await signInAs(page, reader)
      await page.getByRole('heading', { name: 'Pourquoi c’est gelé' }).waitFor()
      await page
        .getByText(/Propriétaire, Administrateur/)
        .first()
        .waitFor()
      expect(await page.getByText(reason).count()).toBe(0)
      await expectSound(page)
    })
  },
  patience_ms,
)

const stopped = /nothing can be paid out\. Payments received are still added\./
const lists = ['/payouts', '/settlements', '/transfers'] as const
const forms = ['/payouts/new', '/settlements/new', '/transfers/new'] as const

it(
  'a frozen balance is said wherever money would leave it, before a sum is filled in',
  async () => {
    const { app, shop } = fixture
    const second = await app.member({ merchant_id: owner.merchant_id })
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '1000' })
    await act('unfreeze', { reason: 'Looked into, for now' })
    const made = await owner.post('/payouts/initialize/', {
      ...{ amount: '2000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: '+2290197000010' },
    })
    expect(made.data?.approval, JSON.stringify(made.body)).toBe('REQUIRED')
    const paid = await shop.pay({ amount: '6000' })
    const { id } = await shop.becomes(paid.data.id, 'SUCCESS', 20_000)
    const back = await owner.post(`/payments/${id}/refunds/`, { amount: '2000' })
    expect(back.data?.waiting_for, JSON.stringify(back.body)).toBe('SECOND_MEMBER')
    const outs = [...forms, `/payments/${id}/refund`]
    await act('freeze', { reason: 'Looked into' })
    await plantMethod(app, owner.merchant_id, { usable_from: new Date(Date.now() - 60_000) })
    const said = (page: Page) => page.locator('main .warned').filter({ hasText: stopped })
    for (const width of [360, 1280] as const) {
      await fixture.visit({ language: 'en', width }, async (page) => {
        await openFor(page, app.url, owner.merchant_id, '/payouts')
        await signInAs(page, owner)
        for (const path of [...lists, ...outs]) {
          await openFor(page, app.url, owner.merchant_id, path)
          // A number is of no country until it is typed.
          if (path === '/payouts/new') await page.getByLabel('Country').selectOption('BJ')
          await said(page).waitFor()
          await said(page).getByRole('link', { name: 'Benin' }).waitFor()
          // No button that ends in a refusal.
          const go = page.locator('main form').getByRole('button', { name: 'Continue' })
          const isForm = outs.includes(path)
          expect(await go.evaluateAll((all) => all.map((one) => one.ariaDisabled))).toEqual(
            isForm ? ['true'] : [],
          )
          await expectSound(page)
        }
        await openFor(page, app.url, owner.merchant_id, '/payouts/new')
        await said(page).waitFor()
        await page.getByLabel('Country').selectOption('TG')
        await page.getByLabel('How much').waitFor()
        await openFor(page, app.url, owner.merchant_id, '/transfers')
        await said(page).getByRole('link', { name: 'Benin' }).click()
        await page.getByRole('heading', { name: 'Why it is frozen' }).waitFor()
        // What comes in is not stopped, and is not said to be.
        await openFor(page, app.url, owner.merchant_id, '/payments')
        await page.getByRole('heading', { name: 'Payments', exact: true }).waitFor()
        expect(await page.locator('main .warned').count()).toBe(0)
      })
    }
    // Nor is what waits approved out of it: it can be refused.
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, app.url, owner.merchant_id, '/payouts/approvals')
      await signInAs(page, second)
      const approve = page.locator('.guarded').filter({ hasText: /^Approuver\s*Solde gelé/ })
      for (const path of ['/payouts/approvals', `/payments/${id}`]) {
        await openFor(page, app.url, owner.merchant_id, path)
        await approve.waitFor()
        await page.getByRole('button', { name: 'Refuser' }).waitFor()
        await expectSound(page)
      }
    })
    await act('unfreeze', { reason: 'Settled' })
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, app.url, owner.merchant_id, '/payouts/approvals')
      await signInAs(page, second)
      await page.getByRole('button', { name: /^Approuver 2.000.FCFA$/ }).waitFor()
      await openFor(page, app.url, owner.merchant_id, `/payments/${id}`)
      await press(page, 'Approuver')
      await page.getByRole('button', { name: /^Approuver 2.000.FCFA$/ }).waitFor()
    })
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, app.url, owner.merchant_id, '/payouts/new')
      await signInAs(page, owner)
      for (const path of outs) {
        await openFor(page, app.url, owner.merchant_id, path)
        await page.getByRole('button', { name: 'Continue' }).waitFor()
        expect(await page.locator('main .warned').count(), path).toBe(0)
      }
    })
  },
  patience_ms,
)

it(
  'a link says in its list what it took, as its own page does',
  async () => {
    const { app, shop } = fixture
    const link = { name: 'Riz', currency: 'XOF', amount: '7300' }
    const { data } = await owner.post('/payment-links/', link)
    await owner.post('/payment-links/', { ...link, name: 'Mil' })
    const send = async (path: string, body: Json): Promise<Json> => {
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const reply = await fetch(`${app.url}/api/v1${path}`, init)
      expect(reply.status).toBeLessThan(300)
      return ((await reply.json()) as Json).data
    }
    const customer = newPayer()
    const address = `/payment-links/public/${data.slug}/checkout/`
    const session = await send(address, { customer })
    await send(`/checkout/${session.slug}/pay/`, { network: 'mtn_bj', customer })
    const { results } = (await owner.get(`/payment-links/${data.id}/transactions/`)).data
    await shop.becomes(results[0].id, 'SUCCESS')
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, app.url, owner.merchant_id, '/links')
      await signInAs(page, owner)
      await page.getByRole('columnheader', { name: 'Collected in 30 days' }).waitFor()
      const cellOf = (name: string) =>
        page.locator('tbody tr').filter({ hasText: name }).locator('td').nth(-2)
      await expect.poll(() => cellOf('Riz').innerText()).toBe('FCFA\u00a07,300')
      await expect.poll(() => cellOf('Mil').innerText()).toBe('–')
      await expectSound(page)
      await page.setViewportSize({ width: 360, height: 740 })
      await page.getByText(/^Collected in 30 days: FCFA\s7,300$/).waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)
