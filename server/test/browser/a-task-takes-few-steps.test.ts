// How many presses each daily task takes from Home, counted by the page itself: clicks, taps, Enter,
// a choice from a list. Typing counts as nothing, as do choosing a file and six digits.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { sized } from '../setup/proof-size.ts'
import { openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { type FullShop, fillShop } from './full-shop.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let filled: FullShop
let live: SignedInCaller
/** Who asked for a payout may not approve it: everything here is done by another one. */
let member: SignedInCaller
const patience_ms = 480_000

beforeAll(async () => {
  fixture = await startFixture()
  filled = await fillShop(fixture)
  member = await fixture.app.member({ merchant_id: filled.owner.merchant_id })
  const { merchant_id } = await fixture.app.shop({ live: true })
  live = await fixture.app.member({ merchant_id })
  await failDelivery()
}, patience_ms)
afterAll(async () => {
  await filled?.close()
  await fixture?.stop()
})

/** One that was tried twice in vain, as the screens of deliveries have it. */
async function failDelivery(): Promise<void> {
  const { id } = (await member.get('/webhook-logs/?status=SUCCESS')).data.results[0]
  filled.refuse()
  expect((await member.post(`/webhook-logs/${id}/resend/`, {})).status).toBeLessThan(300)
  for (;;) {
    const { data } = await member.get('/webhook-logs/?status=FAILED')
    if (data.results.length > 0) return
    await new Promise((done) => setTimeout(done, 100))
  }
}

/** Before any script of the page. What is only typed into is not pressed. */
const counting = `
  const typed = 'textarea, select, input:not([type=checkbox]):not([type=radio])'
  const count = (event) => { if (event.isTrusted) counted() }
  addEventListener('click', (event) => {
    if (!event.target.matches?.(typed) && event.target.closest('a, button, summary, input')) count(event)
  }, true)
  addEventListener('keydown', ({ key, isTrusted, target }) => {
    // Where a button sends the form, the browser presses that one.
    if (isTrusted && key === 'Enter' && target.form && !target.form.querySelector('button')) counted()
  }, true)
  addEventListener('change', (event) => { if (event.target.matches('select')) count(event) }, true)`

type Task = Readonly<{
  name: string
  width: 360 | 1280
  /** The most it may take. */
  most: number
  /** From Home to where it is done. */
  act: (page: Page) => Promise<unknown>
}>

const follow = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('link', { name }).filter({ visible: true }).first().click()
const seen = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator('main').getByText(text).filter({ visible: true }).first().waitFor()
const fill = (page: Page, name: string, value: string): Promise<void> =>
  page.locator(`main [name="${name}"]`).first().fill(value)

/** On a desk in the field that is over every page. */
async function find(page: Page, what: string): Promise<void> {
  const field = page.getByLabel('Find anything')
  if (await field.isVisible()) {
    await field.fill(what)
    return await field.press('Enter')
  }
  await follow(page, 'Search')
  await fill(page, 'q', what)
  await press(page, 'Show')
}

const ofAShop: readonly Task[] = [
  {
    ...{ name: 'today beside the same weekday', width: 360, most: 0 },
    act: (page) => seen(page, /by the same time$/),
  },
  {
    // Then WhatsApp opens, with the third press.
    ...{ name: 'a link, to be sent by WhatsApp', width: 360, most: 2 },
    act: async (page) => {
      await follow(page, 'New link')
      await fill(page, 'name', 'Order 7')
      await fill(page, 'amount', '5000')
      await press(page, 'Create the link')
      const address = await page.getByRole('link', { name: /WhatsApp/ }).getAttribute('href')
      expect(address).toMatch(/^https:\/\/wa\.me\//)
    },
  },
  {
    ...{ name: 'whether a customer has paid', width: 360, most: 2 },
    act: async (page) => {
      await find(page, '97 00 00 10')
      await seen(page, 'Paid')
    },
  },
  {
    ...{ name: 'a receipt', width: 360, most: 4 },
    act: async (page) => {
      await follow(page, 'Payments')
      await page.locator('main .cards a', { hasText: 'Paid' }).first().click()
      const saved = page.waitForEvent('download')
      await press(page, /^Receipt/)
      await saved
    },
  },
  {
    ...{ name: 'a failed payment asked for again', width: 360, most: 3 },
    act: async (page) => {
      await follow(page, 'Payments')
      await follow(page, /^Ask for the payment again: /)
      await page.locator('.confirm button[type=submit]').click()
      await page.locator('.confirm').waitFor({ state: 'detached' })
    },
  },
  {
    ...{ name: 'a receiver of before is paid again', width: 360, most: 4 },
    act: async (page) => {
      await follow(page, 'New payout')
      await page.locator('.chips button').first().click()
      await fill(page, 'amount', '2700')
      await press(page, 'Continue')
      await press(page, /^Pay out/)
      await page.waitForURL(/\/payouts\/[0-9a-f-]{36}$/)
    },
  },
  {
    ...{ name: 'taken out to one’s own phone', width: 360, most: 3 },
    act: (page) => takeOut(page, '2000'),
  },
  {
    ...{ name: 'what waits, and since when', width: 360, most: 1 },
    act: async (page) => {
      await seen(page, /^since/)
      await follow(page, /Payments waiting/)
      await page.locator('main .cards a').first().waitFor()
    },
  },
  {
    ...{ name: 'a payout approved', width: 360, most: 2 },
    act: async (page) => {
      await follow(page, /Payouts to approve/)
      await press(page, /^Approve FCFA/)
      await page.locator('.confirm').waitFor({ state: 'detached' })
    },
  },
]

const ofBooks: readonly Task[] = [
  {
    ...{ name: 'last month as CSV', width: 1280, most: 3 },
    act: async (page) => {
      await follow(page, 'Reports')
      await follow(page, 'Files')
      await save(page, 0)
    },
  },
  {
    ...{ name: 'the journal of a month', width: 1280, most: 3 },
    act: async (page) => {
      await follow(page, 'Reports')
      await follow(page, 'Files')
      await save(page, -1)
    },
  },
  {
    ...{ name: 'a day that is over', width: 1280, most: 2 },
    act: async (page) => {
      await follow(page, 'Reports')
      await press(page, /previous day/i)
    },
  },
  {
    ...{ name: 'a settlement asked for at a desk', width: 1280, most: 4 },
    act: (page) => takeOut(page, '2100'),
  },
  {
    ...{ name: 'the day after one that is over', width: 1280, most: 3 },
    act: async (page) => {
      await follow(page, 'Reports')
      await press(page, /previous day/i)
      const before = await page.locator('main [name=date]').inputValue()
      await press(page, /next day/i)
      await expect.poll(() => page.locator('main [name=date]').inputValue()).not.toBe(before)
    },
  },
  {
    ...{ name: 'a statement of the day, printed', width: 1280, most: 3 },
    act: async (page) => {
      await page.evaluate('window.print = () => { document.title = "printed" }')
      await follow(page, 'Reports')
      await press(page, 'Print')
      expect(await page.title()).toBe('printed')
    },
  },
  {
    ...{ name: 'a payment found by the operator’s reference', width: 1280, most: 1 },
    act: async (page) => {
      const { data } = await member.get(`/transactions/${filled.ids['paid']}/`)
      await find(page, data.attempts[0].external_reference)
      await seen(page, 'Paid')
    },
  },
  {
    ...{ name: 'a balance, movement by movement', width: 1280, most: 3 },
    act: async (page) => {
      await follow(page, 'Balances')
      await page.locator('main').getByRole('link', { name: /Benin/ }).first().click()
      await page.locator('main tbody tr, main .cards li').first().waitFor()
    },
  },
]

async function takeOut(page: Page, sum: string): Promise<void> {
  await follow(page, 'New settlement')
  await fill(page, 'requested_amount', sum)
  await press(page, 'Continue')
  await press(page, /^Request/)
  await page.waitForURL(/\/settlements\/[0-9a-f-]{36}$/)
}

/** The first or the last of the files. */
async function save(page: Page, nth: 0 | -1): Promise<void> {
  const saved = page.waitForEvent('download')
  await page.locator('main form').nth(nth).getByRole('button').last().click()
  await saved
}

/** The payment that is paid, by its reference, which opens it at once. */
async function openPaid(page: Page): Promise<void> {
  const { data } = await member.get(`/transactions/${filled.ids['paid']}/`)
  await find(page, data.reference)
  await page.getByRole('heading', { level: 1, name: 'Payment' }).waitFor()
}

const ofDevelopers: readonly Task[] = [
  {
    ...{ name: 'a key for tests', width: 1280, most: 3 },
    act: async (page) => {
      await follow(page, 'Developers')
      await follow(page, /New key/)
      await fill(page, 'name', 'Site')
      await press(page, 'Create the key')
      await seen(page, 'shown only once')
    },
  },
  {
    ...{ name: 'a delivery read and sent again', width: 1280, most: 3 },
    act: async (page) => {
      await follow(page, 'Developers')
      await follow(page, /^Last failed delivery/)
      await press(page, 'Resend')
    },
  },
  {
    ...{ name: 'two tries of a delivery compared', width: 1280, most: 2 },
    act: async (page) => {
      await follow(page, 'Developers')
      await follow(page, /^Last failed delivery/)
      await seen(page, 'Compare two tries')
    },
  },
  {
    ...{ name: 'a signing secret changed', width: 1280, most: 4 },
    act: async (page) => {
      await follow(page, 'Developers')
      await follow(page, 'Webhooks')
      await press(page, 'New secret')
      await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
      await page
        .getByText(/shown only once/)
        .first()
        .waitFor()
    },
  },
  {
    ...{ name: 'replayed since a while', width: 1280, most: 4 },
    act: async (page) => {
      await follow(page, 'Developers')
      await follow(page, 'Webhooks')
      await page.locator('main tbody a').first().click()
      await fill(page, 'since', '2026-01-01T08:00')
      await press(page, 'Replay since a date')
    },
  },
  {
    ...{ name: 'paid as a customer, with a chosen outcome', width: 1280, most: 3 },
    act: async (page) => {
      await follow(page, 'Developers')
      await follow(page, 'Simulator')
      await press(page, /not enough money/)
    },
  },
  {
    ...{ name: 'the address of a receipt, to be sent', width: 1280, most: 3 },
    act: async (page) => {
      await openPaid(page)
      await page.context().grantPermissions(['clipboard-write'])
      await press(page, 'Link to the receipt')
      await press(page, 'Copy the receipt’s link')
      await seen(page, 'Copied')
    },
  },
  {
    ...{ name: 'a case handed over by its address', width: 1280, most: 1 },
    act: async (page) => {
      await openPaid(page)
      const { pathname } = new URL(page.url())
      const colleague = await page.context().newPage()
      await colleague.goto(fixture.app.url + pathname)
      await seen(colleague, 'Paid')
      await colleague.close()
    },
  },
  {
    ...{ name: 'which operators work now', width: 1280, most: 1 },
    act: async (page) => {
      await follow(page, 'Networks')
      const known = page.locator('main').locator('tbody tr, .cards li, summary')
      await known.filter({ visible: true }).first().waitFor()
    },
  },
  {
    ...{ name: 'the call behind a screen, as curl', width: 1280, most: 2 },
    act: async (page) => {
      await follow(page, 'Payments')
      await page.getByText('As curl', { exact: false }).last().click()
      await seen(page, /^curl /)
    },
  },
  {
    ...{
      name: 'a payment found by its customer’s name, and what to say of it',
      width: 1280,
      most: 2,
    },
    act: async (page) => {
      const { data } = await member.get(`/customers/${filled.ids['customer']}/`)
      await find(page, data.first_name)
      await page.locator('main .cards a', { hasText: 'Paid' }).first().click()
      await page.locator('main .said').first().waitFor()
    },
  },
  {
    ...{ name: 'a payment found by its sum', width: 1280, most: 2 },
    act: async (page) => {
      await find(page, '12500')
      await follow(page, /^Payments of /)
      await seen(page, 'Paid')
    },
  },
  {
    ...{ name: 'all payments of a person', width: 1280, most: 3 },
    act: async (page) => {
      await find(page, '97 00 00 10')
      await page.locator('main section:has(h2:text-is("Customers")) .cards a').first().click()
      await seen(page, 'Paid')
    },
  },
]

describe('from Home', () => {
  const all = [...ofAShop, ...ofBooks, ...ofDevelopers]
  it.each(sized(all.slice(0, 3), all))(
    '$name: $most presses at most',
    async ({ width, most, act }) => {
      await fixture.visit({ language: 'en', width }, async (page) => {
        let steps = 0
        await page.exposeFunction('counted', () => {
          steps += 1
        })
        await page.addInitScript(counting)
        await openFor(page, fixture.app.url, filled.owner.merchant_id, '')
        await signInAs(page, member)
        await comesToRest(page)
        steps = 0
        await act(page)
        expect(steps).toBeLessThanOrEqual(most)
        if (most > 0) expect(steps).toBeGreaterThan(0)
      })
    },
    patience_ms,
  )

  it(
    'to live and back: 2 presses',
    async () => {
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await openFor(page, fixture.app.url, live.merchant_id, '')
        await signInAs(page, live)
        const modes = page.getByRole('navigation', { name: 'Mode' })
        await modes.getByRole('link', { name: /live/i }).click()
        await page.waitForURL(/\/live$/)
        await modes.getByRole('link', { name: /test/i }).click()
        await page.waitForURL(/\/test$/)
      })
    },
    patience_ms,
  )
})
