// Money on its way through the dashboard, in a real browser: given back, paid out by one and
// approved by another, never twice when an answer is lost, and not by whom it is not allowed.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
})
afterAll(() => fixture.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)

async function paidPayment(): Promise<string> {
  const { data } = await fixture.shop.pay({ amount: '10000' })
  await fixture.shop.becomes(data.id, 'SUCCESS')
  return data.id
}

const refundsOf = async (payment: string) =>
  (await owner.get(`/payments/${payment}/refunds/`)).data.results

describe('a payment', () => {
  it(
    'is given back in part: what it costs first, then the sum in the button',
    async () => {
      const payment = await paidPayment()
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/payments/${payment}`)
        await signInAs(page, owner)
        await page.getByRole('link', { name: 'Rembourser' }).click()
        await heading(page, 'Rembourser un paiement')
        await page.getByLabel('Combien rendre ?').fill('99 999')
        await press(page, 'Continuer')
        await page.getByRole('alert').waitFor()
        await expectSound(page)
        await page.getByLabel('Combien rendre ?').fill('4 000')
        await page.getByLabel('Motif').fill('Article manquant')
        await press(page, 'Continuer')
        await page.getByRole('heading', { name: 'Vérifiez le remboursement' }).waitFor()
        expect(await refundsOf(payment)).toEqual([])
        await expectSound(page)
        await press(page, 'Rembourser 4\u00a0000\u00a0FCFA')
        await heading(page, 'Paiement')
        await page.getByText('Article manquant').waitFor({ state: 'attached' })
        await expectSound(page)
      })
      const refunds = await refundsOf(payment)
      expect(refunds).toMatchObject([{ amount: '4000.00', reason: 'Article manquant' }])
    },
    patience_ms,
  )

  wholeIt(
    'is given back once, though the answer is lost',
    async () => {
      const payment = await paidPayment()
      await fixture.visit({ language: 'en', width: 1280, hostile: true }, async (page) => {
        await open(page, `/payments/${payment}/refund`)
        await signInAs(page, owner)
        await press(page, 'Continue')
        await page.getByRole('heading', { name: 'Check the refund' }).waitFor()
        let isLost = true
        await page.route('**/refunds/', async (route) => {
          if (route.request().method() !== 'POST' || !isLost) return route.continue()
          isLost = false
          await route.fetch()
          return route.abort()
        })
        await press(page, /^Refund/)
        await page.getByText('nothing will be done twice').waitFor()
        await expectSound(page)
        expect(await page.getByRole('button', { name: 'Back' }).count()).toBe(0)
        await press(page, 'Ask again')
        await heading(page, 'Payment')
      })
      expect(await refundsOf(payment)).toHaveLength(1)
    },
    patience_ms,
  )

  wholeIt(
    'that waits is decided in test, and asked for again on another network where it failed',
    async () => {
      const waiting = await fixture.shop.pay({ customer: { phone: '+2290197000004' } })
      const { id } = waiting.data
      await fixture.visit({ language: 'en', width: 1280, dark: true }, async (page) => {
        await open(page, `/payments/${id}`)
        await signInAs(page, owner)
        await press(page, 'Decide the outcome (test)')
        await page.locator('select[name=outcome]').selectOption('INSUFFICIENT_FUNDS')
        await expectSound(page)
        await press(page, 'Decide')
        await press(page, 'Ask for the payment again')
        await page.locator('select[name=method]').selectOption('moov_bj')
        await expectSound(page)
        await press(page, /^Ask for FCFA.5,000 again/)
        await page.getByText(/Sent to Moov/).waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'shows a viewer what may be done and by whom, and does nothing for them',
    async () => {
      const payment = await paidPayment()
      const { app, shop } = fixture
      const viewer = await app.member({ merchant_id: shop.merchant_id, role: 'VIEWER' })
      await fixture.visit({ language: 'fr', width: 320 }, async (page) => {
        await open(page, `/payments/${payment}`)
        await signInAs(page, viewer)
        await page
          .getByText(/Votre rôle ne le permet pas\. Peuvent le faire/)
          .first()
          .waitFor()
        expect(await page.getByRole('link', { name: 'Rembourser' }).count()).toBe(0)
        await expectSound(page)
        await open(page, `/payments/${payment}/refund`)
        await page.getByText(/Votre rôle ne le permet pas/).waitFor()
      })
    },
    patience_ms,
  )
})
