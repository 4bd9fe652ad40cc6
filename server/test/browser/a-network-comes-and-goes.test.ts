// A telephone at the edge of its network: answers are lost, come late or not at all, while a link is
// made, a payout confirmed and a payment asked for. Nothing typed is lost, and nothing is done twice.

import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Json, SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 480_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
}, patience_ms)
afterAll(() => fixture?.stop())

/** What becomes of calls, in turn and over again: no way there, no way back, or there and back. */
const turns = [
  ...(['lost going', 'there', 'lost coming', 'there', 'torn'] as const),
  ...(['there', 'there', 'there', 'there'] as const),
]

/** The network of the page flaps by a pattern of its own, so each run meets the same. */
async function flap(page: Page, from: number): Promise<void> {
  let nth = from
  const meet = async (route: Route): Promise<void> => {
    const turn = turns[nth % turns.length]
    nth += 1
    if (turn === 'lost going') return route.abort()
    if (turn === 'there') return route.continue()
    const response = await route.fetch().catch(() => undefined)
    // The visit is over: nobody waits for it.
    if (response === undefined) return
    if (turn === 'lost coming') return route.abort()
    return route.fulfill({ response, body: '{"id":' })
  }
  await page.route('**/api/v1/**', meet)
}

/** Asks again, as the screen offers it, until the act's own place has been left. */
async function insist(page: Page, act: RegExp): Promise<void> {
  const again = page.getByRole('button', { name: /^(Ask again|Try again)$/ })
  const first = page.getByRole('button', { name: act })
  await expect
    .poll(
      async () => {
        const left = await page.locator('.confirm').count()
        // While an answer is waited for, neither is offered.
        for (const offer of left === 0 ? [] : [again.first(), first.first()]) {
          if (!(await offer.isVisible())) continue
          await offer.click({ timeout: 1_000 }).catch(() => undefined)
          break
        }
        return left
      },
      { timeout: 60_000, interval: 250 },
    )
    .toBe(0)
}

const countOf = async (list: string): Promise<number> => (await owner.get(list)).data.results.length

type Deed = Readonly<{
  name: string
  path: string
  fill: (page: Page) => Promise<void>
  act: RegExp
  list: string
}>

const deeds: readonly Deed[] = [
  {
    ...{ name: 'a payout', path: '/payouts/new', act: /^Pay out/ },
    fill: async (page) => {
      await page.locator('input[name=msisdn]').fill('+2290197000010')
      await page.locator('select[name=country]').selectOption('BJ')
      await page.locator('select[name=method]').selectOption('mtn_bj')
      await page.locator('input[name=amount]').fill('3 100')
    },
    list: '/transactions/?transaction_type=RETRAIT',
  },
  {
    ...{ name: 'a payment', path: '/payments/new', act: /^Ask for/ },
    fill: async (page) => {
      await page.locator('input[name=msisdn]').fill('+2290197000010')
      await page.locator('select[name=country]').selectOption('BJ')
      await page.locator('select[name=network]').selectOption('mtn_bj')
      await page.locator('input[name=amount]').fill('4 200')
    },
    list: '/transactions/?transaction_type=PAIEMENT',
  },
]

const countOfLinks = async (name: string): Promise<number> => {
  const { data } = await owner.get('/payment-links/?page_size=100')
  return data.results.filter((link: Json) => link.name === name).length
}

/** The API makes a link for each call: nothing but the page keeps a second one from being made. */
async function makeLink(page: Page, name: string, from: number): Promise<void> {
  await page.locator('input[name=name]').waitFor()
  await comesToRest(page)
  await page.locator('input[name=name]').fill(name)
  await page.locator('input[name=amount]').fill('12 500')
  await page.getByText('More options').click()
  await page.locator('input[name=expires_at]').fill('2099-11-30T18:00')
  await flap(page, from)
  await expect
    .poll(
      async () => {
        const made = /\/links\/[0-9a-f-]{36}$/.test(new URL(page.url()).pathname)
        const make = page.getByRole('button', { name: 'Create the link' })
        // While an answer is waited for, it is not offered.
        if (!made && (await make.isVisible())) {
          await expect.poll(() => page.locator('input[name=name]').inputValue()).toBe(name)
          await make.click({ timeout: 1_000 }).catch(() => undefined)
        }
        return made
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBe(true)
}

describe('a network that comes and goes', () => {
  wholeIt.each(deeds.flatMap((deed) => turns.map((_, from) => ({ ...deed, from }))))(
    'loses nothing that was typed and doubles no deed: $name, from turn $from',
    async ({ path, fill, act, list, from }) => {
      const before = await countOf(list)
      await fixture.visit({ language: 'en', width: 360, hostile: true }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, path)
        await signInAs(page, owner)
        await page.locator('input[name=amount]').waitFor()
        await comesToRest(page)
        await fill(page)
        await flap(page, from)
        await expect
          .poll(
            async () => {
              const next = page.getByRole('button', { name: 'Continue' })
              if (await next.isVisible()) {
                await expect
                  .poll(() => page.locator('input[name=msisdn]').inputValue())
                  .toContain('97')
                await press(page, 'Continue')
              }
              return page.locator('.confirm').count()
            },
            { timeout: 60_000, interval: 500 },
          )
          .toBe(1)
        if ((await page.getByRole('checkbox').count()) > 0) await page.getByRole('checkbox').check()
        await insist(page, act)
        expect(await page.locator('.confirm').count()).toBe(0)
        expect(await page.getByText('Something broke').count()).toBe(0)
      })
      expect(await countOf(list)).toBe(before + 1)
    },
    patience_ms,
  )

  wholeIt.each(turns.map((_, from) => from))(
    'makes one link of a form, whichever answer is lost: from turn %s',
    async (from) => {
      const name = `Order ${from}`
      await fixture.visit({ language: 'en', width: 360, hostile: true }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, '/links/new')
        await signInAs(page, owner)
        await makeLink(page, name, from)
        expect(await page.getByText('Something broke').count()).toBe(0)
      })
      expect(await countOfLinks(name)).toBe(1)
    },
    patience_ms,
  )
})
