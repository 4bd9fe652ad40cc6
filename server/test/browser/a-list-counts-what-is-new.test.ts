// Over the payments and the payouts stands how many are new. No row comes, goes or moves under its
// reader before they press for it, and a pause ends the counting (WCAG 2.2.2).

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  await payOut()
  await payIn()
}, patience_ms)
afterAll(() => fixture?.stop())

async function payIn(): Promise<void> {
  const { shop } = fixture
  const { data } = await shop.pay({ customer: newPayer() })
  await shop.becomes(data.id, 'SUCCESS')
}

async function payOut(): Promise<void> {
  const { status, data } = await owner.post('/payouts/initialize/', {
    ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: newPayer().phone },
  })
  expect(status).toBe(201)
  await fixture.shop.becomes(data.id, 'SUCCESS')
}

const rows = (page: Page) => page.locator('main .cards > li, main tbody tr')
const isFollowed = (page: Page) =>
  page.locator('.newer').getByText('Followed as it happens').waitFor()

const lists = [
  { kind: 'payments', one: 'New payments: 1', two: 'New payments: 2', make: payIn, width: 360 },
  { kind: 'payouts', one: 'New payouts: 1', two: 'New payouts: 2', make: payOut, width: 1280 },
] as const

describe.each(lists.slice(0, sized(1, lists.length)))(
  'a list of $kind',
  ({ kind, one, two, make, width }) => {
    it(
      'counts what is new, and shows it when its reader wants it',
      async () => {
        await fixture.visit({ language: 'en', width }, async (page) => {
          await openFor(page, fixture.app.url, fixture.shop.merchant_id, `/${kind}`)
          await signInAs(page, owner)
          await rows(page).first().waitFor()
          await isFollowed(page)
          const before = await rows(page).allInnerTexts()
          const height = await page.locator('.newer').evaluate((line) => line.clientHeight)
          await make()
          await page.getByRole('button', { name: one }).waitFor()
          await make()
          await page.getByRole('button', { name: two }).waitFor()
          expect(await rows(page).allInnerTexts()).toEqual(before)
          expect(await page.locator('.newer').evaluate((line) => line.clientHeight)).toBe(height)
          await expectSound(page)
          const calls: string[] = []
          page.on('request', ({ url }) => calls.push(url()))
          await press(page, two)
          await expect.poll(() => rows(page).count()).toBe(before.length + 2)
          expect((await rows(page).allInnerTexts()).slice(2)).toEqual(before)
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
          await openFor(page, fixture.app.url, fixture.shop.merchant_id, `/${kind}`)
          await signInAs(page, owner)
          await rows(page).first().waitFor()
          await isFollowed(page)
          await press(page, 'Pause')
          await page.getByText('Paused').waitFor()
          const before = await rows(page).allInnerTexts()
          await make()
          await page.waitForTimeout(6_000)
          expect(await page.locator('.newer [role=status] button').count()).toBe(0)
          expect(await rows(page).allInnerTexts()).toEqual(before)
          await press(page, 'Resume')
          await page.getByRole('button', { name: one }).waitFor()
        })
      },
      patience_ms,
    )
  },
)

wholeIt(
  'a row says how it ended while its list is read, and no row comes, goes or moves',
  async () => {
    const { shop } = fixture
    // Nobody answers on this telephone until somebody says what came of it.
    const silent = { ...newPayer(), phone: '+2290197000004' }
    const { data } = await shop.pay({ customer: silent })
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, shop.merchant_id, '/payments')
      await signInAs(page, owner)
      const row = rows(page).filter({ hasText: data.reference })
      await row.getByText('Waiting').waitFor()
      await isFollowed(page)
      const references = await page.locator('tbody th a').allInnerTexts()
      await owner.post(`/sandbox/transactions/${data.id}/resolve/`, { outcome: 'SUCCESS' })
      await shop.becomes(data.id, 'SUCCESS')
      await payIn()
      await row.getByText('Paid').waitFor()
      expect(await page.locator('tbody th a').allInnerTexts()).toEqual(references)
      await page.getByRole('button', { name: 'New payments: 1' }).waitFor()
    })
  },
  patience_ms,
)
