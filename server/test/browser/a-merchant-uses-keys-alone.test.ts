// The dashboard without a mouse, in a real browser: every step by Tab, Enter, Space and what is
// typed. The focus comes to the heading of each screen.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { openFor } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { arrive, enter, secondStep, signInByKeys, tabTo, typeInto } from './keyboard.ts'
import { expectSoon, watchPresses } from './presses.ts'

const presses = watchPresses()
let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = presses.watch(await startFixture())
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
}, patience_ms)
afterAll(() => fixture?.stop())

describe('by keys alone', () => {
  it(
    'a payment is found and given back in part',
    async () => {
      const { shop } = fixture
      const { data } = await shop.pay({ amount: '10000' })
      await shop.becomes(data.id, 'SUCCESS')
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, '')
        await signInByKeys(page, owner)
        await tabTo(page, /^A Skip/)
        await page.keyboard.press('Enter')
        await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
        await page.keyboard.press('Shift+Tab')
        await page.evaluate('document.activeElement.blur()')
        await enter(page, /^A Payments$/)
        await arrive(page, 'Payments')
        await enter(page, new RegExp(`^A ${data.reference}`))
        await arrive(page, 'Payment')
        await enter(page, /^A Refund$/)
        await arrive(page, 'Refund a payment')
        await typeInto(page, /^INPUT How much/, '4000')
        await enter(page, /^BUTTON Continue$/)
        await secondStep(page)
        await enter(page, /^BUTTON Refund FCFA.4,000$/)
        await arrive(page, 'Payment')
      })
      const { data: refunds } = await owner.get(`/payments/${data.id}/refunds/`)
      expect(refunds.results).toMatchObject([{ amount: '4000.00' }])
    },
    patience_ms,
  )

  wholeIt(
    'a payout is asked for by one, and approved by another',
    async () => {
      const { app, shop } = fixture
      const finance = await app.member({ merchant_id: shop.merchant_id, role: 'FINANCE' })
      const limits = { country: 'BJ', approval_above: '10000' }
      expect((await owner.post('/merchant-payout-limits/', limits)).status).toBe(201)
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await openFor(page, app.url, shop.merchant_id, '/payouts')
        await signInByKeys(page, finance)
        await enter(page, /^A New payout$/)
        await arrive(page, 'New payout')
        await typeInto(page, /^INPUT .*[Nn]umber/, '+2290197000010')
        await page.keyboard.press('Tab')
        await page.getByText('Guessed from the number').waitFor()
        await typeInto(page, /^INPUT .*(Amount|much)/, '20000')
        await enter(page, /^BUTTON Continue$/)
        await secondStep(page)
        await enter(page, /^BUTTON Pay out FCFA.20,000$/)
        await arrive(page, 'Payout')
      })
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await openFor(page, app.url, shop.merchant_id, '/payouts/approvals')
        await signInByKeys(page, owner)
        // The first of what is to be approved is laid open: what will happen is there at once.
        await page.locator('.confirm').waitFor()
        await enter(page, /^BUTTON Approve FCFA.20,000$/)
        await page.locator('.confirm').waitFor({ state: 'detached' })
      })
      const { data } = await owner.get('/transactions/?transaction_type=RETRAIT')
      await shop.becomes(data.results[0].id, 'SUCCESS')
    },
    patience_ms,
  )

  wholeIt('each press is answered soon', () => expectSoon('keys alone', presses.soFar()))
})
