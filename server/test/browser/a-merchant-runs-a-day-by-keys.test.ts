// A merchant's other journeys without a mouse, in a real browser: asking for a payment, a link, a
// transfer, a key, a webhook and its test, an invitation, a customer erased, a file.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { openFor, until } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { arrive, choose, enter, secondStep, signInByKeys, tabTo, typeInto } from './keyboard.ts'
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

/** Signed in by keys on the screen at `path`, its heading in focus. */
const at = (path: string, title: string, journey: (page: Page) => Promise<void>) =>
  fixture.visit({ language: 'en', width: 1280 }, async (page) => {
    await openFor(page, fixture.app.url, owner.merchant_id, '')
    await signInByKeys(page, owner)
    await openFor(page, fixture.app.url, owner.merchant_id, path)
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await journey(page)
  })

describe('by keys alone', () => {
  it(
    'a payment is asked for, and asked for again where it failed',
    () =>
      at('/payments', 'Payments', async (page) => {
        await enter(page, /^A New payment$/)
        await arrive(page, 'New payment')
        await typeInto(page, /^INPUT Customer’s number/, '+2290197000002')
        await page.keyboard.press('Tab')
        await page.getByText('Guessed from the number').waitFor()
        await typeInto(page, /^INPUT How much/, '2500')
        await page.keyboard.press('Enter')
        await secondStep(page)
        await enter(page, /^BUTTON Ask for FCFA.2,500$/)
        await arrive(page, 'Payment')
        await page.getByText('This payment failed').first().waitFor()
        await enter(page, /^BUTTON Ask for the payment again$/)
        await secondStep(page)
        await choose(page, /^SELECT Network/, 'Moov')
        await enter(page, /^BUTTON Ask for FCFA.2,500 again$/)
        await page.locator('.confirm').waitFor({ state: 'detached' })
        const { data } = await owner.get('/transactions/?flow_direction=INBOUND')
        expect(data.results[0]).toMatchObject({ network_code: 'moov_bj' })
      }),
    patience_ms,
  )

  wholeIt(
    'a link is made, and money moves between two countries',
    async () => {
      await at('/links', 'Links', async (page) => {
        await enter(page, /^A New link$/)
        await arrive(page, 'New link')
        await typeInto(page, /^INPUT What for/, 'Tontine')
        await typeInto(page, /^INPUT How much/, '1500')
        await page.keyboard.press('Enter')
        await arrive(page, 'Tontine')
        await tabTo(page, /^BUTTON Copy/)
      })
      expect((await owner.get('/payment-links/')).data.results).toMatchObject([{ name: 'Tontine' }])
      await at('/transfers', 'Transfers', async (page) => {
        await enter(page, /^A New transfer$/)
        await arrive(page, 'New transfer')
        await choose(page, /^SELECT From/, 'Benin')
        await choose(page, /^SELECT To/, 'Senegal')
        await typeInto(page, /^INPUT How much/, '10000')
        await page.keyboard.press('Enter')
        await secondStep(page)
        await enter(page, /^BUTTON Transfer FCFA.10,000$/)
        await arrive(page, 'Transfer')
      })
      const { data } = await owner.get('/wallet-transfers/')
      expect(data.results).toMatchObject([{ to_country: 'SN', from_amount: '10000.00' }])
    },
    patience_ms,
  )

  wholeIt(
    'a key is made and its secret seen, a webhook is made and tested',
    async () => {
      await at('/developers/keys/new', 'New key', async (page) => {
        await typeInto(page, /^INPUT Name/, 'Till')
        await enter(page, /^BUTTON Create the key$/)
        await page.getByText('shown only once').waitFor()
        await tabTo(page, /^BUTTON Copy/)
      })
      await at('/developers/webhooks/new', 'New webhook', async (page) => {
        await typeInto(page, /^INPUT Address/, 'https://shop.example/hooks')
        await enter(page, /^BUTTON Create the webhook$/)
        await page.getByText('shown only once').waitFor()
      })
      const { data } = await owner.get('/merchant-webhooks/')
      const hook = data.results.find(({ url }: { url: string }) => url.includes('shop.example'))
      await at(`/developers/webhooks/${hook.id}`, 'Webhook', async (page) => {
        await enter(page, /^BUTTON Send a test$/)
        await arrive(page, 'Delivery')
      })
    },
    patience_ms,
  )

  wholeIt(
    'a colleague is invited, a customer is erased, and a day is left for the one before',
    async () => {
      const { shop } = fixture
      const paid = await shop.pay({ amount: '700', customer: { phone: '+2290197000077' } })
      await shop.becomes(paid.data.id, 'SUCCESS')
      await at('/team', 'Team', async (page) => {
        await typeInto(page, /^INPUT E-mail/, 'efua@example.com')
        await choose(page, /^SELECT Role/, 'Finance manager')
        await enter(page, /^BUTTON Invite$/)
        await page.getByText('Invitation sent to efua@example.com.').waitFor()
      })
      expect((await owner.get('/merchant-invitations/')).data.results).toMatchObject([
        { email: 'efua@example.com', role: 'FINANCE' },
      ])
      const { data } = await owner.get('/customers/?search=97000077')
      const { id } = data.results[0]
      await at(`/customers/${id}`, '', async (page) => {
        await enter(page, /^BUTTON Erase$/)
        await secondStep(page)
        await typeInto(page, /^INPUT/, '77')
        await enter(page, /^BUTTON Erase for ever$/)
        await arrive(page, 'Customers')
      })
      expect((await owner.get(`/customers/${id}/`)).status).toBe(404)
      await at('/reports', 'Reports', async (page) => {
        const before = page.url()
        await enter(page, /^(A|BUTTON) .*([Dd]ay before|Previous|Yesterday)/)
        await until(page, `location.href !== '${before}'`)
      })
    },
    patience_ms,
  )

  wholeIt('each press is answered soon', () => expectSoon('a day', presses.soFar()))
})
