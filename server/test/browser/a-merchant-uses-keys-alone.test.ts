// The dashboard without a mouse, in a real browser: every step by Tab, Enter, Space and what is
// typed. The focus comes to the heading of each screen, and no place holds it.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { openFor } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { arrive, enter, secondStep, signInByKeys, tabTo, typeInto } from './keyboard.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
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
        expect(await page.evaluate('document.activeElement.id')).toBe('main')
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

  wholeIt(
    'every screen is gone through and left again: no place holds the focus',
    async () => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, '')
        await signInByKeys(page, owner)
        for (const path of screens) {
          await openFor(page, fixture.app.url, owner.merchant_id, path)
          await page.waitForLoadState('networkidle')
          expect(await goesRound(page), path).toBe(true)
          expect(await readAgainstFocus(page), path).toEqual([])
        }
      })
    },
    patience_ms,
  )
})

const screens = [
  ...['/payments', '/payments/new', '/payouts', '/payouts/new', '/payouts/limits', '/balances'],
  ...['/settlements', '/transfers'],
  ...['/links', '/links/new', '/checkouts/new', '/customers', '/reports', '/prices'],
  ...['/developers/webhooks/new', '/developers/keys/new', '/team', '/settings', '/audit'],
]

const round_max = 250

/** How many times Tab is pressed until the page's first place has the focus; -1: it never has. */
async function tabsToFirst(page: Page): Promise<number> {
  for (let pressed = 1; pressed <= round_max; pressed += 1) {
    await page.keyboard.press('Tab')
    if (await page.evaluate<boolean>('document.activeElement.matches(".skip")')) return pressed
  }
  return -1
}

/** From wherever the focus is Tab leads to the first place, and from there through all others. */
async function goesRound(page: Page): Promise<boolean> {
  return (await tabsToFirst(page)) > 0 && (await tabsToFirst(page)) > 15
}

/**
 * What the focus comes to later than the reading does. All that can be reached stands in the page in
 * the order of the focus, so it is out of order only where it has a place of its own by `tabindex`,
 * or is drawn above what stands before it in the same column.
 */
const readAgainstFocus = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const all = [...document.querySelectorAll('main :is(a[href], button, input, select, summary)')]
    const seen = all.filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 1)
    const faults = seen.filter(({ tabIndex }) => tabIndex > 0)
    for (let at = 1; at < seen.length; at += 1) {
      const [before, now] = [seen[at - 1], seen[at]].map((one) => one.getBoundingClientRect())
      const isSameColumn = now.left < before.right && before.left < now.right
      if (isSameColumn && now.bottom <= before.top) faults.push(seen[at])
    }
    return faults.map((one) => one.outerHTML.slice(0, 120))
  })()`)
