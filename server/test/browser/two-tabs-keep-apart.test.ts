// Two tabs of one browser, one session, two merchants, two modes: each tab asks about its own
// alone, shows its own alone, and hears of its own alone.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type Shop, type SignedInCaller } from '../harness.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let mangoes: Shop
let papayas: Shop
let member: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app } = fixture
  mangoes = await app.shop({ live: true })
  papayas = await app.shop()
  member = await app.member({ merchant_id: mangoes.merchant_id })
  await app.owner`
    insert into memberships (merchant_id, person_id, role, created_at)
    values (${papayas.merchant_id}, ${member.person_id}, 'OWNER', now() - interval '1 day')`
  await mangoes.pay({ amount: '4100', description: 'Mangoes', customer: newPayer() })
  await papayas.pay({ amount: '4200', description: 'Papayas', customer: newPayer() })
}, patience_ms)
afterAll(() => fixture?.stop())

/** Whom each call of this tab was for, beside where the tab was when it left. */
function listen(page: Page): string[] {
  const strays: string[] = []
  page.on('request', (request) => {
    const { 'x-merchant': merchant, 'x-environment': mode } = request.headers()
    if (merchant === undefined) return
    const at = new URL(page.url()).pathname
    const own = `/dashboard/${merchant}/${mode === 'LIVE' ? 'live' : 'test'}`
    if (!at.startsWith(own)) strays.push(`${request.url()} for ${own}, at ${at}`)
  })
  return strays
}

const rows = (page: Page) => page.locator('main .cards > li, main tbody tr')

async function expectOnly(page: Page, own: string, others: readonly string[]): Promise<void> {
  await rows(page).filter({ hasText: own }).first().waitFor()
  for (const other of others) expect(await page.getByText(other).count(), other).toBe(0)
}

it(
  'neither of two merchants nor of two modes comes into the other tab',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (first) => {
      const { url } = fixture.app
      const second = await first.context().newPage()
      await openFor(first, url, mangoes.merchant_id, '/payments')
      await signInAs(first, member)
      await expectOnly(first, 'Mangoes', ['Papayas'])
      await openFor(second, url, papayas.merchant_id, '/payments')
      await expectOnly(second, 'Papayas', ['Mangoes'])
      const strays = [listen(first), listen(second)]
      for (const tab of [first, second]) {
        await tab.locator('.newer').getByText('Updated as it happens').waitFor()
      }
      await papayas.pay({ amount: '4300', description: 'Guavas', customer: newPayer() })
      const news = (tab: Page) => tab.getByRole('button', { name: /^New payments/ })
      await news(second).click()
      await expectOnly(second, 'Guavas', ['Mangoes'])
      expect(await news(first).count()).toBe(0)
      await first.getByRole('navigation', { name: 'Mode' }).getByText('Live').click()
      await first.waitForURL(/\/live\/payments$/)
      await first.getByText(/^No payments yet/).waitFor()
      for (const other of ['Mangoes', 'Papayas', 'Guavas']) {
        expect(await first.getByText(other).count(), other).toBe(0)
      }
      await expectSound(first)
      await first.goBack()
      await expectOnly(first, 'Mangoes', ['Papayas', 'Guavas'])
      await first.getByLabel('Merchant').selectOption(papayas.merchant_id)
      // The other shop's payments, and of a payment of this one's the other's again.
      await first.waitForURL(`**/${papayas.merchant_id}/test/payments`)
      await expectOnly(first, 'Guavas', ['Mangoes'])
      await first.locator('main tbody th a').first().click()
      await first.waitForURL(/\/payments\/[0-9a-f-]{36}$/)
      await first.getByLabel('Merchant').selectOption(mangoes.merchant_id)
      await first.waitForURL(`**/${mangoes.merchant_id}/test/payments`)
      await expectOnly(first, 'Mangoes', ['Papayas', 'Guavas'])
      await first.getByLabel('Merchant').selectOption(papayas.merchant_id)
      await expectOnly(first, 'Guavas', ['Mangoes'])
      await second.reload()
      await expectOnly(second, 'Papayas', ['Mangoes'])
      expect(strays.flat()).toEqual([])
    })
  },
  patience_ms,
)
