// What a form says of its faults leads to each: a link moves the focus into the field that it is
// about. What is about no field of the form is said in plain text.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000
const soon = { timeout: 30_000 }

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
}, patience_ms)
afterAll(() => fixture?.stop())

async function open(page: Page, path: string): Promise<void> {
  await openFor(page, fixture.app.url, owner.merchant_id, path)
  await signInAs(page, owner)
}

const summary = (page: Page) => page.getByRole('alert').first()
const names = (page: Page) => summary(page).getByRole('link').allInnerTexts()
const focused = (page: Page) => page.evaluate<string>('document.activeElement.name')

/** Whether the name of what has the focus is seen too, and not only the field. */
const isLabelSeen = `(() => {
  const { top, bottom } = document.activeElement.labels[0].getBoundingClientRect()
  return top >= 0 && bottom <= innerHeight
})()`

it(
  'to what is empty, and to what the API refuses, by its label and what is wrong with it',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/checkouts/new')
      await press(page, 'Create the checkout')
      await summary(page).getByText('Check the fields that are marked.').waitFor()
      await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('alert')
      await expect
        .poll(() => names(page), soon)
        .toEqual([
          'How much? Enter an amount, such as 12,500.',
          'Customer’s name: Fill this in.',
          'Customer’s e-mail: Fill this in.',
        ])
      await expectSound(page)
      // By keys: the first link is what comes next.
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      expect(await focused(page)).toBe('customer_name')
      expect(new URL(page.url()).hash).toBe('')
      await page.locator('input[name=amount]').fill('1000')
      await page.locator('input[name=customer_name]').fill('Awa')
      await page.locator('input[name=customer_email]').fill('not an address')
      await press(page, 'Create the checkout')
      await expect.poll(async () => (await names(page)).length, soon).toBe(1)
      expect((await names(page))[0]).toMatch(/^Customer’s e-mail: \S/)
      await summary(page).getByRole('link').click()
      expect(await focused(page)).toBe('customer_email')
    })
  },
  patience_ms,
)

it(
  'on a telephone to a field far below, whose name is seen; in plain text where there is none',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/checkouts/new')
      const errors = { customer_phone: ['Ce numéro est trop court.'], shelf: ['Rien de tel ici.'] }
      await page.route('**/checkout-sessions/', (route) =>
        route.fulfill({ status: 400, contentType: 'application/json', json: errors }),
      )
      await page.locator('input[name=amount]').fill('1000')
      await page.locator('input[name=customer_name]').fill('Awa')
      await page.locator('input[name=customer_email]').fill('awa@example.com')
      await page.locator('main form button[type=submit]').click()
      await summary(page).getByText('Rien de tel ici.').waitFor()
      await expect
        .poll(() => names(page), soon)
        .toEqual(['Numéro du client\u00a0: Ce numéro est trop court.'])
      await expectSound(page)
      await summary(page).getByRole('link').click()
      expect(await focused(page)).toMatch(/phone/)
      expect(await page.evaluate(isLabelSeen)).toBe(true)
    })
  },
  patience_ms,
)

it(
  'a field that was mended is called wrong no longer once it is left; one left empty is',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/checkouts/new')
      const field = (name: string) => page.locator(`input[name=${name}]`)
      const marked = () =>
        page
          .locator('main form [aria-invalid=true]')
          .evaluateAll((all) => all.map((one) => one.getAttribute('name')))
      await field('customer_name').focus()
      await field('amount').focus()
      // Nothing was sent yet: nothing is said of what is left empty.
      await page.waitForTimeout(300)
      expect(await marked()).toEqual([])
      await press(page, 'Create the checkout')
      await expect.poll(marked, soon).toEqual(['amount', 'customer_name', 'customer_email'])
      await field('amount').fill('1000')
      await page.waitForTimeout(300)
      // Never while one types.
      expect(await marked()).toHaveLength(3)
      await field('customer_name').focus()
      await expect.poll(marked, soon).toEqual(['customer_name', 'customer_email'])
      expect(await field('amount').getAttribute('aria-describedby')).toBeNull()
      await expect.poll(() => names(page), soon).toHaveLength(2)
      expect(await focused(page)).toBe('customer_name')
      await field('amount').fill(' ')
      await field('customer_name').fill('Awa')
      await field('customer_email').fill('not an address')
      await field('customer_name').focus()
      await expect.poll(marked, soon).toEqual(['amount'])
      await field('amount').fill('1000')
      await press(page, 'Create the checkout')
      // What the API refused stays wrong while it is the same, and no longer.
      await expect.poll(marked, soon).toEqual(['customer_email'])
      await expect.poll(() => page.title(), soon).toMatch(/^Error: /)
      await field('customer_email').focus()
      await field('customer_name').focus()
      await page.waitForTimeout(300)
      expect(await marked()).toEqual(['customer_email'])
      await field('customer_email').fill('awa@example.com')
      await field('customer_name').focus()
      await expect.poll(marked, soon).toEqual([])
      await summary(page).waitFor({ state: 'detached' })
      await expect.poll(() => page.title(), soon).not.toMatch(/^Error/)
      await expectSound(page)
      // A press on the button is one, though the faults above it go as the field is left.
      await field('customer_email').fill('')
      await press(page, 'Create the checkout')
      await field('customer_email').fill('awa@example.com')
      await press(page, 'Create the checkout')
      await page.waitForURL(/\/checkouts\/[0-9a-f-]{36}$/)
    })
  },
  patience_ms,
)

it(
  'a field that was mended before the file that looks at it has come is looked at then',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      let leave = () => {}
      const isLeft = new Promise<void>((resolve) => {
        leave = resolve
      })
      await page.route(/\/mending-[^/]+\.js$/, async (route) => {
        await isLeft
        await route.continue()
      })
      await open(page, '/checkouts/new')
      const wrong = (name: string) => page.locator(`input[name=${name}][aria-invalid=true]`)
      await press(page, 'Create the checkout')
      await wrong('amount').fill('1000')
      await page.locator('input[name=customer_name]').fill('Awa')
      await page.waitForTimeout(300)
      expect(await wrong('amount').count()).toBe(1)
      leave()
      await wrong('amount').waitFor({ state: 'detached' })
      // It is being typed into.
      expect(await wrong('customer_name').count()).toBe(1)
      expect(await wrong('customer_email').count()).toBe(1)
    })
  },
  patience_ms,
)

it(
  'a refusal shows its code and the number of its request, which a press copies',
  async () => {
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await open(page, '/checkouts/new')
      const error = { code: 'live_mode_not_enabled', message: 'Live is closed.', retryable: false }
      await page.route('**/checkout-sessions/', (route) =>
        route.fulfill({ status: 403, headers: { 'x-request-id': 'req-42' }, json: error }),
      )
      await page.locator('input[name=amount]').fill('1000')
      await page.locator('input[name=customer_name]').fill('Awa')
      await page.locator('input[name=customer_email]').fill('awa@example.com')
      await page.locator('main form button[type=submit]').click()
      await summary(page).getByText('Live is closed.').waitFor()
      await summary(page).getByText('live_mode_not_enabled').waitFor()
      await summary(page).getByText('Request number: req-42').waitFor()
      await expectSound(page)
      await summary(page).getByRole('button', { name: 'Copy this number' }).click()
      await summary(page).getByText('Copied').first().waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe('req-42')
      await page.route('**/checkout-sessions/?*', (route) =>
        route.fulfill({ status: 404, headers: { 'x-request-id': 'req-43' }, json: error }),
      )
      await page.goto(page.url().replace('/new', ''))
      await page.getByRole('alert').getByText('Request number: req-43').waitFor()
      await page.getByRole('button', { name: 'Copy this number' }).click()
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()'), soon).toBe('req-43')
    })
  },
  patience_ms,
)

wholeIt(
  'also where nobody is signed in, in a dialog, and where the API names the field otherwise',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await page.goto(`${fixture.app.url}/dashboard/register`)
      await page.locator('main form button[type=submit], form button[type=submit]').click()
      await expect.poll(async () => (await names(page)).length, soon).toBeGreaterThan(2)
      await summary(page).getByRole('link').nth(1).click()
      await expect
        .poll(() => page.evaluate('document.activeElement.matches("[aria-invalid]")'))
        .toBe(true)
      await open(page, '/payouts/limits')
      await press(page, 'Fixer une limite')
      await page.locator('.confirm button[type=submit]').click()
      await expect.poll(() => names(page), soon).toHaveLength(1)
      await summary(page).getByRole('link').click()
      expect(await focused(page)).toBe('per_payout')
    })
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/payouts/new')
      const json = { msisdn: ['This number is too short.'] }
      await page.route('**/quotes/**', (route) => route.fulfill({ status: 400, json }))
      await page.locator('input[name=msisdn]').fill('+2290197000010')
      await page.locator('select[name=country]').selectOption('BJ')
      await page.locator('select[name=method]').selectOption('mtn_bj')
      await page.locator('input[name=amount]').fill('1000')
      await press(page, 'Continue')
      await expect.poll(() => names(page), soon).toHaveLength(1)
      expect((await names(page))[0]).toContain('This number is too short.')
      await summary(page).getByRole('link').click()
      expect(await focused(page)).toBe('msisdn')
    })
  },
  patience_ms,
)
