// The dashboard without a mouse, in a real browser: every step by Tab, Enter, Space and what is
// typed. The focus comes to the heading of each screen, and no place holds it.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { openFor, until } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
}, patience_ms)
afterAll(() => fixture?.stop())

/** What has the focus, as it is read out: its name, else its text. */
const focused = (page: Page) =>
  page.evaluate<string>(`(() => {
    const { activeElement: at } = document
    const label = at.labels?.[0]?.textContent ?? ''
    const name = at.getAttribute('aria-label') ?? (label === '' ? at.textContent : label)
    return (at.tagName + ' ' + name).replace(/\\s+/g, ' ').trim()
  })()`)

const tabs_max = 80

/** Presses Tab until what is named so has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = []
  while (passed.length < tabs_max) {
    await page.keyboard.press('Tab')
    const at = await focused(page)
    if (name.test(at)) return
    passed.push(at)
  }
  throw new Error(`${name} is not reached by keys; passed:\n${passed.join('\n')}`)
}

async function typeInto(page: Page, name: RegExp, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.type(text)
}

async function enter(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

/** A new screen: its heading has the focus, and the window its title. */
async function arrive(page: Page, title: string): Promise<void> {
  await until(
    page,
    `document.activeElement.tagName === 'H1' && document.activeElement.textContent === '${title}'`,
  )
  expect(await page.title()).toBe(`TEST · ${title} · Pirogue`)
}

async function signInByKeys(page: Page, { email, password }: SignedInCaller): Promise<void> {
  await page.locator('input[name=email]').waitFor()
  await typeInto(page, /^INPUT E-mail/, email)
  await typeInto(page, /^INPUT Password/, password)
  await page.keyboard.press('Enter')
  await page.locator('nav.menu').waitFor()
}

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
        await until(page, `document.activeElement.tagName === 'H2'`)
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
        await until(page, `document.activeElement.tagName === 'H2'`)
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
