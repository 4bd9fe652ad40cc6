// What takes very long is waited for no longer than its reader wants, and half a minute at most:
// then a sentence says so, and it is asked for again by a press. Nothing else of the screen goes.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await fixture.shop.pay({ customer: newPayer() })
}, patience_ms)
afterAll(() => fixture?.stop())

const lists = /\/api\/v1\/transactions\/\?/

/** From now on no answer comes to what asks for a list of payments; counts what was asked. */
async function hang(page: Page): Promise<{ asked: number }> {
  const count = { asked: 0 }
  await page.route(lists, () => {
    count.asked += 1
  })
  return count
}

wholeIt(
  'by a press once it is slow, and read again by another',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/settings')
      await signInAs(page, owner)
      const count = await hang(page)
      await openFor(page, fixture.app.url, owner.merchant_id, '/payments')
      await page.getByText('Le réseau est lent').waitFor()
      await expectSound(page)
      await press(page, 'Annuler')
      const alert = page.getByRole('alert').first()
      await alert.getByText('Le réseau est trop lent : nous avons cessé').waitFor()
      await expectSound(page)
      // It is not asked for behind its reader's back.
      const { asked } = count
      await page.waitForTimeout(4_000)
      expect(count.asked).toBe(asked)
      await page.unroute(lists)
      await press(page, 'Réessayer')
      await page.locator('main ul.cards > li').first().waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
    })
  },
  patience_ms,
)

wholeIt(
  'by itself after half a minute, once and not three times',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/settings')
      await signInAs(page, owner)
      await hang(page)
      const began = Date.now()
      await openFor(page, fixture.app.url, owner.merchant_id, '/payments')
      const alert = page.getByRole('alert').first()
      await alert.getByText('we have stopped waiting').waitFor({ timeout: 60_000 })
      expect(Date.now() - began).toBeGreaterThan(25_000)
      await page.unroute(lists)
      await press(page, 'Try again')
      await page.locator('main tbody tr').first().waitFor()
    })
  },
  patience_ms,
)

wholeIt(
  'and nobody at the counter waits for who came before',
  async () => {
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/settings')
      await signInAs(page, owner)
      await hang(page)
      await openFor(page, fixture.app.url, owner.merchant_id, '/payments/new')
      await page.getByLabel('Customer’s number').waitFor({ timeout: 12_000 })
    })
  },
  patience_ms,
)
