// Every list that offers pages of 50 and 100 rows has them, each as long as it says, the size kept
// from page to page and by a reload; and what has no rows is not offered as a file.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, type Json, newPayer, type SignedInCaller } from '../harness.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { plantMethod } from '../setup/settling.ts'
import { startReceiver } from '../setup/webhook-receiver.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 300_000
/** One more than the longest page. */
const many = 101

type Make = (nth: number) => Promise<{ status: number; body: Json }>

/** Ten at a time, and every one of them made. */
async function makeMany(make: Make): Promise<void> {
  for (let nth = 0; nth < many; nth += 10) {
    const ten = Array.from({ length: Math.min(10, many - nth) }, (_, one) => make(nth + one))
    for (const { status, body } of await Promise.all(ten)) {
      expect(status, JSON.stringify(body)).toBeLessThan(300)
    }
  }
}

async function makeLinks(): Promise<void> {
  const link = { currency: 'XOF', amount: '500' }
  await makeMany((nth) => owner.post('/payment-links/', { ...link, name: `Link ${nth}` }))
}

/** Payments bring their customers, and two deliveries each. */
async function makePayments(): Promise<void> {
  const receiver = await startReceiver()
  const { status } = await owner.post('/merchant-webhooks/', { url: receiver.url })
  expect(status).toBe(201)
  await makeMany(() => fixture.shop.pay({ customer: newPayer() }))
  await eventually(async () => {
    const { data } = await owner.get('/webhook-logs/?page_size=100')
    if (data.next === null) throw new Error(`${data.results.length} deliveries`)
  }, 60_000)
  await receiver.close()
}

async function makeTheRest(): Promise<void> {
  const { app, shop } = fixture
  const method = await plantMethod(app, shop.merchant_id)
  const settlement = { country: 'BJ', requested_amount: '1000', payout_method: method }
  const transfer = { from_country: 'BJ', to_country: 'CI', from_amount: '1000' }
  const session = { amount: '5000', currency: 'XOF', customer_name: 'Awa' }
  const payer = { customer_email: 'awa@example.com' }
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '5000000' })
  await makeMany(() => owner.post('/settlements/', settlement))
  await makeMany(() => owner.post('/wallet-transfers/', transfer))
  await makeMany(() => owner.post('/checkout-sessions/', { ...session, ...payer }))
}

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await makeLinks()
  if (lists.length === 1) return
  await makePayments()
  await makeTheRest()
}, patience_ms)
afterAll(() => fixture?.stop())

/** An act of the audit log has a table of its own. */
const rows = (page: Page) =>
  page.locator(page.url().includes('/audit') ? 'main ol.cards > li' : 'main tbody tr')

/** Where the first row leads, or all that is in it: many say the same. */
const first = (page: Page): Promise<string> =>
  rows(page)
    .first()
    .evaluate((row) => row.querySelector('a[href]')?.getAttribute('href') ?? `${row.textContent}`)

const expectRows = (page: Page, count: number) => expect.poll(() => rows(page).count()).toBe(count)

const lists: readonly string[] = sized(
  ['/links'],
  [
    ...['/links', '/payments', '/balances/BJ', '/settlements', '/transfers', '/checkouts'],
    ...['/customers', '/developers/deliveries', '/audit'],
  ],
)

/** Those that the API counts, up to five thousand; the others do not say how many there are. */
const counted = ['/links', '/settlements', '/transfers', '/checkouts', '/customers']

/** What the pager says of how many there are. */
async function expectCount(page: Page, path: string): Promise<void> {
  const told = page.locator('nav.pager').getByText(/in all$/)
  if (!counted.includes(path)) return expect(await told.count()).toBe(0)
  await expect.poll(() => told.innerText()).toBe(`${many} in all`)
}

describe.each(lists)('the list of %s', (path) => {
  it(
    'has pages of 25, 50 and 100 rows, and keeps their size',
    async () => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        const at = (name: string) => new URL(page.url()).searchParams.get(name)
        const choose = (size: string) => page.getByLabel('Rows per page').selectOption(size)
        await openFor(page, fixture.app.url, owner.merchant_id, path)
        await signInAs(page, owner)
        await expectRows(page, 25)
        await expectCount(page, path)
        const top = await first(page)
        await choose('50')
        await expectRows(page, 50)
        expect(at('size')).toBe('50')
        expect(await first(page)).toBe(top)
        await press(page, 'Older')
        await expect.poll(() => first(page)).not.toBe(top)
        await expectRows(page, 50)
        await expectCount(page, path)
        expect(at('size')).toBe('50')
        // Another size begins anew.
        await choose('100')
        await expectRows(page, 100)
        expect([at('size'), at('page'), at('cursor')]).toEqual(['100', null, null])
        expect(await first(page)).toBe(top)
        await expectSound(page)
        await page.reload()
        await expectRows(page, 100)
        await press(page, 'Older')
        await expect.poll(() => first(page)).not.toBe(top)
        expect(await rows(page).count()).toBeGreaterThanOrEqual(1)
        expect(at('size')).toBe('100')
        await press(page, 'Newer')
        await expect.poll(() => first(page)).toBe(top)
        await expectRows(page, 100)
        await choose('25')
        await expectRows(page, 25)
        expect(at('size')).toBe(null)
      })
    },
    patience_ms,
  )
})

/** Those whose list can be saved, each with a filter that finds nothing. */
const saved = [
  ...['/payments?search=nobody', '/payouts?search=nobody', '/balances/BJ?reference=nobody'],
  ...['/settlements?search=nobody', '/transfers?search=nobody', '/links?search=nobody'],
  ...['/developers/deliveries?status=EXHAUSTED', '/audit?search=nobody'],
]

const file = (page: Page) => page.getByText('Save the list', { exact: true })

describe('a list without a row', () => {
  it(
    'is offered as no file, whether there is nothing yet or nothing is found',
    async () => {
      const { app } = fixture
      const begun = await app.member({})
      await begun.post('/sandbox/balances/', { country: 'BJ', amount: '1000' })
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await openFor(page, app.url, begun.merchant_id, '/links')
        await signInAs(page, begun)
        for (const path of saved) {
          const [list = ''] = path.split('?')
          await openFor(page, app.url, begun.merchant_id, path)
          await page.locator('main .empty').waitFor()
          expect(await file(page).count(), path).toBe(0)
          // The money to play with has moved one balance; nobody has done anything else.
          if (list === '/balances/BJ') continue
          await openFor(page, app.url, begun.merchant_id, list)
          await page.locator('main .empty').waitFor()
          expect(await file(page).count(), list).toBe(0)
        }
        await openFor(page, app.url, begun.merchant_id, '/balances/BJ')
        await file(page).waitFor()
      })
    },
    patience_ms,
  )

  wholeIt(
    'has its file back with its first row',
    async () => {
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, '/links?search=nobody')
        await signInAs(page, owner)
        await page.locator('main .empty').waitFor()
        expect(await file(page).count()).toBe(0)
        await press(page, 'Clear all')
        await file(page).waitFor()
      })
    },
    patience_ms,
  )
})
