// Why a payout cannot go out, said where it was asked for: not enough money, a frozen balance, the
// merchant's own limit, an address that may not. Nothing leaves, and what was typed stays.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
}, patience_ms)
afterAll(() => fixture?.stop())

async function askFor(page: Page, amount: string): Promise<void> {
  await page.locator('input[name=msisdn]').fill('+2290197000010')
  await page.locator('select[name=country]').selectOption('BJ')
  await page.locator('select[name=method]').selectOption('mtn_bj')
  await page.locator('input[name=amount]').fill(amount)
  // What it would cost is asked for first, and says what stands in its way.
  await press(page, 'Continue')
}

const freeze = async (is_frozen: boolean): Promise<void> => {
  await fixture.app.owner`
    update balances set is_frozen = ${is_frozen} where merchant_id = ${owner.merchant_id}`
}

type Cause = Readonly<{
  name: string
  amount: string
  said: RegExp
  before?: () => Promise<unknown>
  after?: () => Promise<unknown>
}>

const causes: readonly Cause[] = [
  { name: 'not enough money', amount: '90000', said: /balance|enough/i },
  {
    ...{ name: 'a frozen balance', amount: '1000', said: /frozen/i },
    before: () => freeze(true),
    after: () => freeze(false),
  },
  {
    ...{ name: 'a limit', amount: '7000', said: /limit|more than/i },
    before: () => owner.post('/merchant-payout-limits/', { country: 'BJ', per_payout: '5000' }),
  },
]

describe('a payout', () => {
  wholeIt.each(causes)(
    'is refused in words, with what was typed still there: $name',
    async ({ amount, said, before, after }) => {
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, '/payouts/new')
        await signInAs(page, owner)
        await page.locator('input[name=amount]').waitFor()
        // Meanwhile: a balance that is frozen before has no sum to fill in.
        await before?.()
        await askFor(page, amount)
        const alert = page.getByRole('alert').first()
        await alert.waitFor()
        await expect.poll(() => alert.innerText()).toMatch(said)
        // The code stands below, small and by itself.
        const code = await alert.locator('code').innerText()
        const words = (await alert.innerText()).replace(code, '')
        expect(words).not.toMatch(/[a-z]+_[a-z]+|(GET|POST) \//)
        await expectSound(page)
        expect(await page.locator('.confirm').count()).toBe(0)
        await expect.poll(() => page.locator('input[name=amount]').inputValue()).toContain(amount)
      })
      await after?.()
      const { data } = await owner.get('/transactions/?transaction_type=RETRAIT')
      expect(data.results).toEqual([])
    },
    patience_ms,
  )
})

it(
  'that was refused when it was sent is made once its cause is mended, by one press more',
  async () => {
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/payouts/new')
      await signInAs(page, owner)
      await page.locator('input[name=amount]').waitFor()
      await askFor(page, '1000')
      await page.locator('.confirm').waitFor()
      await freeze(true)
      await press(page, /^Pay out/)
      await expect.poll(() => page.getByRole('alert').first().innerText()).toMatch(/frozen/i)
      await freeze(false)
      await press(page, /^Pay out/)
      await page.waitForURL(/\/payouts\/[0-9a-f-]{36}$/)
    })
    const { data } = await owner.get('/transactions/?transaction_type=RETRAIT')
    expect(data.results).toMatchObject([{ requested_amount: '1000.00' }])
  },
  patience_ms,
)
