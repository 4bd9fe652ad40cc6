// From a payment to what its reader wants next: whose it is, and what the shop's own program wrote
// to it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let viewer: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  viewer = await fixture.app.member({ merchant_id: fixture.shop.merchant_id, role: 'VIEWER' })
}, patience_ms)
afterAll(() => fixture?.stop())

const hostile = '<b onclick="x">Thé</b> ‮'

async function payment(more: object): Promise<{ id: string; customer: string }> {
  const { data } = await fixture.shop.pay({ amount: '4200', ...more })
  await fixture.shop.becomes(data.id, 'SUCCESS')
  return (await fixture.shop.get(`/transactions/${data.id}/`)).data
}

describe('the page of a payment', () => {
  it('leads to its customer, and shows the shop’s own data as it was sent', async () => {
    const metadata = { order: 'A-17', lines: [1, { sku: 'riz' }], note: hostile }
    const { id, customer } = await payment({ metadata })
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, viewer.merchant_id, `/payments/${id}`)
      await signInAs(page, viewer)
      const own = page.locator('h3', { hasText: 'Vos propres données' }).locator('+ dl')
      await own.waitFor()
      const names = await own.locator('dt').allTextContents()
      const values = await own.locator('dd').allTextContents()
      expect(names.toSorted()).toEqual(['lines', 'note', 'order'])
      expect(values.toSorted()).toEqual(['A-17', '[1,{"sku":"riz"}]', hostile].toSorted())
      await page.getByRole('link', { name: '+229 01 97 00 00 10' }).click()
      await page.waitForURL(`**/customers/${customer}`)
    })
  })

  it('says nothing of data where there are none', async () => {
    const { id } = await payment({})
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, viewer.merchant_id, `/payments/${id}`)
      await signInAs(page, viewer)
      await page.getByText('4,200').first().waitFor()
      expect(await page.getByText('Your own data').count()).toBe(0)
    })
  })
})
