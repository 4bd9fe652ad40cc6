// Over lists of what happens stands how many are new. No row comes, goes or moves under its reader
// before they press for it, and a pause ends the counting (WCAG 2.2.2).

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, newPayer, type SignedInCaller } from '../harness.ts'
import { attemptsOf, confirm, incidentOf, propose, receive, refused } from '../setup/incidents.ts'
import { shareOf, sized, wholeIt } from '../setup/proof-size.ts'
import { plantMethod } from '../setup/settling.ts'
import { type Receiver, startReceiver } from '../setup/webhook-receiver.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
let receiver: Receiver | undefined
let method = ''
let webhook = ''
const patience_ms = 120_000
/** Rows of a page, unless its reader wants more. */
const page_size = 25

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  await payOut()
  await payIn()
  if (lists.length === 1) return
  method = await plantMethod(fixture.app, owner.merchant_id)
  receiver = await startReceiver()
  // Of nothing that happens here: what is sent to it is what a test sends.
  const hook = { url: receiver.url, events: ['checkout_session.expired'] }
  const { data } = await owner.post('/merchant-webhooks/', hook)
  webhook = data.id
  for (const { make } of lists) await make()
}, patience_ms)
afterAll(async () => {
  await receiver?.close()
  await fixture?.stop()
})

async function payIn(): Promise<string> {
  const { shop } = fixture
  const { data } = await shop.pay({ customer: newPayer() })
  await shop.becomes(data.id, 'SUCCESS')
  return data.id
}

const giveBack = async () => made(`/payments/${await payIn()}/refunds/`, { amount: '1000' })

async function payOut(): Promise<void> {
  const { status, data } = await owner.post('/payouts/initialize/', {
    ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: newPayer().phone },
  })
  expect(status).toBe(201)
  await fixture.shop.becomes(data.id, 'SUCCESS')
}

async function made(path: string, body: Json = {}): Promise<void> {
  const { status, body: said } = await owner.post(path, body)
  expect(status, JSON.stringify(said)).toBeLessThan(300)
}

const settle = () =>
  made('/settlements/', { country: 'BJ', requested_amount: '1000', payout_method: method })

const transfer = () =>
  made('/wallet-transfers/', { from_country: 'BJ', to_country: 'CI', from_amount: '1000' })

const open = () =>
  made('/checkout-sessions/', {
    ...{ amount: '5000', currency: 'XOF', customer_name: 'Awa' },
    customer_email: 'awa@example.com',
  })

/** A link, and so a line of the audit log. */
const sell = () => made('/payment-links/', { name: 'Order', currency: 'XOF', amount: '500' })

/** One delivery, and no event of the shop's money. */
const send = () => made(`/merchant-webhooks/${webhook}/test/`)

const rows = (page: Page) => page.locator('main .cards > li, main tbody tr:not(.cards tr)')

/** The names of networks come after the rows. */
async function textsOf(page: Page): Promise<string[]> {
  await expect.poll(async () => (await rows(page).allInnerTexts()).join('|')).not.toContain('…')
  return rows(page).allInnerTexts()
}

/** By hints, or each minute by the page's clock, which a test need not wait for. */
type By = 'hints' | 'clock'

const isFollowed = (page: Page, by: By) =>
  page
    .locator('.newer')
    .getByText(by === 'hints' ? 'Updated as it happens' : 'Updated every minute')
    .waitFor()

/** A delivery is made after the answer to what asks for it: a minute's look may come before it. */
async function waitForNew(page: Page, by: By, name: string): Promise<void> {
  const button = page.getByRole('button', { name })
  if (by === 'hints') return button.waitFor()
  for (let looks = 0; looks < 5; looks += 1) {
    await page.clock.runFor(61_000)
    const isThere = await button.waitFor({ timeout: 10_000 }).then(
      () => true,
      () => false,
    )
    if (isThere) return
  }
  await button.waitFor()
}

type List = Readonly<{
  path: string
  word: string
  by: By
  make: () => Promise<unknown>
  width: 360 | 1280
}>

const payments: List = {
  ...{ path: '/payments', word: 'New payments', by: 'hints', make: payIn, width: 360 },
}

const lists: readonly List[] = sized(
  [payments],
  shareOf([
    payments,
    { path: '/payments/refunds', word: 'Newer refunds', by: 'hints', make: giveBack, width: 360 },
    { path: '/payouts', word: 'New payouts', by: 'hints', make: payOut, width: 1280 },
    { path: '/settlements', word: 'New settlements', by: 'hints', make: settle, width: 360 },
    { path: '/transfers', word: 'New transfers', by: 'hints', make: transfer, width: 1280 },
    { path: '/checkouts', word: 'New checkouts', by: 'clock', make: open, width: 360 },
    { path: '/links', word: 'New links', by: 'clock', make: sell, width: 360 },
    { path: '/customers', word: 'New customers', by: 'clock', make: payIn, width: 1280 },
    { path: '/balances/BJ', word: 'New movements', by: 'hints', make: payIn, width: 360 },
    { path: '/audit?size=100', word: 'New lines', by: 'clock', make: sell, width: 1280 },
    {
      ...{ path: '/developers/deliveries', word: 'New deliveries', by: 'clock', make: send },
      width: 1280,
    },
  ]),
)

describe.each(lists)('the list of $path', ({ path, word, by, make, width }) => {
  it(
    'counts what is new, and shows it when its reader wants it',
    async () => {
      await fixture.visit({ language: 'en', width }, async (page) => {
        if (by === 'clock') await page.clock.install()
        await openFor(page, fixture.app.url, fixture.shop.merchant_id, '')
        await signInAs(page, owner)
        await openFor(page, fixture.app.url, fixture.shop.merchant_id, path)
        await rows(page).first().waitFor()
        await isFollowed(page, by)
        const before = await textsOf(page)
        const height = await page.locator('.newer').evaluate((line) => line.clientHeight)
        await make()
        await waitForNew(page, by, `${word}: 1`)
        await make()
        await waitForNew(page, by, `${word}: 2`)
        await expect.poll(() => rows(page).count()).toBe(before.length)
        if (path === '/payments') expect(await textsOf(page)).toEqual(before)
        expect(await page.locator('.newer').evaluate((line) => line.clientHeight)).toBe(height)
        await expectSound(page)
        const calls: string[] = []
        page.on('request', (request) => calls.push(request.url()))
        // Or by the key for it.
        if (width === 1280) await page.keyboard.press('.')
        else await press(page, `${word}: 2`)
        // A page that was full has as many as before, and others.
        if (before.length < page_size) {
          await expect.poll(() => rows(page).count()).toBe(before.length + 2)
        } else await expect.poll(() => rows(page).allInnerTexts()).not.toEqual(before)
        expect(await page.locator('.newer [role=status] button').count()).toBe(0)
        // It was read already.
        expect(calls.filter((url) => url.includes('/api/'))).toEqual([])
      })
    },
    patience_ms,
  )

  wholeIt(
    'counts nothing while its reader has stopped it, and goes on when they say so',
    async () => {
      await fixture.visit({ language: 'en', width }, async (page) => {
        if (by === 'clock') await page.clock.install()
        await openFor(page, fixture.app.url, fixture.shop.merchant_id, '')
        await signInAs(page, owner)
        await openFor(page, fixture.app.url, fixture.shop.merchant_id, path)
        await rows(page).first().waitFor()
        await isFollowed(page, by)
        await press(page, 'Pause')
        await page.getByText('Paused').waitFor()
        const before = await textsOf(page)
        await make()
        if (by === 'clock') await page.clock.runFor(61_000)
        else await page.waitForTimeout(6_000)
        expect(await page.locator('.newer [role=status] button').count()).toBe(0)
        await expect.poll(() => rows(page).allInnerTexts()).toEqual(before)
        await press(page, 'Resume')
        await waitForNew(page, by, `${word}: 1`)
      })
    },
    patience_ms,
  )
})

it(
  'what the list itself has read since is not taken for new',
  async () => {
    await sell()
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await page.clock.install()
      const { merchant_id } = fixture.shop
      await openFor(page, fixture.app.url, merchant_id, '')
      await signInAs(page, owner)
      await openFor(page, fixture.app.url, merchant_id, '/links')
      await isFollowed(page, 'clock')
      const before = await rows(page).count()
      await sell()
      await waitForNew(page, 'clock', 'New links: 1')
      await page.getByRole('link', { name: 'Home', exact: true }).click()
      await page.locator('h1', { hasText: 'Home' }).waitFor()
      const [{ id }] = (await owner.get('/payment-links/')).data.results
      expect((await owner.call('DELETE', `/payment-links/${id}/`)).status).toBeLessThan(300)
      // By then what was read of the list is too old to be shown alone.
      await page.clock.runFor(20_000)
      const read = page.waitForResponse((answer) => answer.url().includes('/payment-links/?'))
      await page.goBack()
      await (await read).finished()
      await isFollowed(page, 'clock')
      await expect.poll(() => page.getByRole('button', { name: 'New links' }).count()).toBe(0)
      expect(await rows(page).count()).toBe(before)
    })
  },
  patience_ms,
)

wholeIt(
  'the events that a webhook asks for are counted, too',
  async () => {
    const { merchant_id } = fixture.shop
    await made('/merchant-webhooks/', {
      ...{ url: 'https://shop.example.com/some' },
      events: ['refund.created', 'refund.success', 'refund.failed'],
    })
    await made('/merchant-webhooks/', { url: 'https://shop.example.com/all' })
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, merchant_id, '/developers/webhooks')
      await signInAs(page, owner)
      const hook = (name: string) => page.getByRole('row', { name })
      await hook('shop.example.com/some').getByRole('cell', { name: '3', exact: true }).waitFor()
      await hook('shop.example.com/all').getByRole('cell', { name: 'All', exact: true }).waitFor()
    })
  },
  patience_ms,
)

wholeIt(
  'a list that was searched is not followed',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, fixture.shop.merchant_id, '/settlements')
      await signInAs(page, owner)
      await page.locator('.newer').waitFor()
      const path = '/settlements?search=nobody'
      await openFor(page, fixture.app.url, fixture.shop.merchant_id, path)
      await page
        .locator('main')
        .getByText(/matches|Nothing|No /)
        .first()
        .waitFor()
      expect(await page.locator('.newer').count()).toBe(0)
    })
  },
  patience_ms,
)

wholeIt.each(['', '?status=PENDING'])(
  'a row says how it ended while its list is read, and no row comes, goes or moves: “%s”',
  async (narrowed) => {
    const { shop } = fixture
    // Nobody answers on this telephone until somebody says what came of it.
    const silent = { ...newPayer(), phone: '+2290197000004' }
    const { data } = await shop.pay({ customer: silent })
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, shop.merchant_id, `/payments${narrowed}`)
      await signInAs(page, owner)
      const row = rows(page).filter({ hasText: data.reference })
      await row.getByText('Waiting').waitFor()
      await isFollowed(page, 'hints')
      const references = await page.locator('tbody th a').allInnerTexts()
      await owner.post(`/sandbox/transactions/${data.id}/resolve/`, { outcome: 'SUCCESS' })
      await shop.becomes(data.id, 'SUCCESS')
      await payIn()
      await row.getByText('Paid').waitFor()
      await expect.poll(() => page.locator('tbody th a').allInnerTexts()).toEqual(references)
      // Of those that wait, none is new.
      const none = page.getByText('Updated as it happens')
      const one = page.getByRole('button', { name: 'New payments: 1' })
      await (narrowed === '' ? one : none).waitFor()
    })
  },
  patience_ms,
)

it(
  'who waits for a decision of people reads in the list, and on the page, that it was taken',
  async () => {
    const { app, shop } = fixture
    const id = await payIn()
    const [settled] = await attemptsOf(shop, id)
    await receive(app, { shop, attempt_id: settled?.id }, refused)
    const { reference } = (await owner.get(`/transactions/${id}/`)).data
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, app.url, shop.merchant_id, '/payments?status=INCIDENT')
      await signInAs(page, owner)
      const row = rows(page).filter({ hasText: reference })
      await row.getByText('Being checked').waitFor()
      await isFollowed(page, 'hints')
      const other = await page.context().newPage()
      await other.clock.install()
      await openFor(other, app.url, shop.merchant_id, `/payments/${id}`)
      await other.locator('.outcome').getByText('Being checked').waitFor()
      await page.bringToFront()
      const [first, second] = [
        await app.staff({ role: 'FINANCE' }),
        await app.staff({ role: 'FINANCE' }),
      ]
      const incident = await incidentOf(app, shop)
      await propose(first, incident, 'WRITE_OFF')
      expect((await confirm(second, incident)).status).toBe(200)
      await payIn()
      await row.getByText('Paid', { exact: true }).waitFor()
      expect(await rows(page).count()).toBe(1)
      await other.bringToFront()
      await other.clock.runFor(61_000)
      await other.locator('.outcome .status').getByText('Paid').waitFor()
    })
  },
  patience_ms,
)
