// From each record to what was done to it, for whoever may read the audit log; and what a search
// finds says how it stands, as its own list does.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { type FullShop, fillPath, fillShop } from './full-shop.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let filled: FullShop
const patience_ms = 240_000

beforeAll(async () => {
  fixture = await startFixture()
  filled = await fillShop(fixture)
  await filled.owner.post(`/settlements/${filled.ids['settlement']}/cancel/`, {})
  await filled.owner.post(`/webhook-logs/${filled.ids['delivery']}/resend/`, {})
}, patience_ms)
afterAll(async () => {
  await filled?.close()
  await fixture?.stop()
})

const open = (page: Page, path: string) =>
  openFor(page, fixture.app.url, filled.owner.merchant_id, fillPath(path, filled.ids))

const history = (page: Page) => page.locator('main').getByRole('link', { name: /^History[,:]/ })

/** Where each stands, and an act that was done to it; of the others nothing was done yet. */
const records: readonly (readonly [path: string, act?: RegExp])[] = [
  ['/links/{link}', / created a payment link$/],
  ['/checkouts/{checkout}', / created a checkout$/],
  ['/customers/{customer}'],
  ['/payments/{paid}'],
  ['/payouts/{payout}'],
  ['/settlements/{settlement}', / cancelled a settlement$/],
  ['/transfers/{transfer}'],
  ['/developers/keys/{key}', / created an API key$/],
  ['/developers/webhooks/{webhook}', / registered a webhook$/],
  ['/developers/deliveries/{delivery}', / sent a webhook delivery again$/],
  ['/settlements/methods', / added a payout method$/],
  ['/payouts/limits', / set a payout limit$/],
  ['/team'],
]

it(
  'each record leads to the audit log of it',
  async () => {
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await open(page, '')
      await signInAs(page, filled.owner)
      for (const [path, act] of records) {
        await open(page, path)
        await history(page).first().click()
        await heading(page, 'Audit log')
        const { searchParams } = new URL(page.url())
        expect(searchParams.get('target_id'), path).toMatch(/^[0-9a-f-]{36}$/)
        expect(searchParams.get('at')).toBe(fillPath(path, filled.ids))
        await page.getByRole('button', { name: 'Remove the filter Done to one record' }).waitFor()
        const said = page.locator(act === undefined ? 'main .empty' : 'main .act-said')
        await said
          .filter({ hasText: act ?? 'No decision about this record is noted here.' })
          .first()
          .waitFor()
        if (act !== undefined) continue
        await page.getByRole('link', { name: 'Back to the record' }).click()
        await expect.poll(() => page.url()).toMatch(new RegExp(`${fillPath(path, filled.ids)}$`))
      }
    })
  },
  patience_ms,
)

it(
  'whoever may not read the audit log is not led there',
  async () => {
    const { merchant_id } = filled.owner
    const member = await fixture.app.member({ merchant_id, role: 'FINANCE' })
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '')
      await signInAs(page, member)
      for (const path of ['/settlements/{settlement}', '/settlements/methods', '/team']) {
        await open(page, path)
        await page.locator('main .status').first().waitFor()
        expect(await history(page).count(), path).toBe(0)
      }
    })
  },
  patience_ms,
)

const found = [
  ['/settlements', '/settlements/{settlement}/'],
  ['/transfers', '/wallet-transfers/{transfer}/'],
] as const

it(
  'a search says of each thing how it stands, as its list does',
  async () => {
    const { owner, ids } = filled
    const statusIn = (page: Page) => page.locator('main .status').first().innerText()
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '')
      await signInAs(page, owner)
      for (const [list, address] of found) {
        const { data } = await owner.get(fillPath(address, ids))
        await open(page, list)
        await page.locator('main .status').first().waitFor()
        const listed = await statusIn(page)
        await open(page, `/search?q=${data.reference}`)
        await page.locator('main .status').first().waitFor()
        expect(await statusIn(page)).toBe(listed)
      }
      await open(page, '/search?q=awa@example.com')
      const sessions = page.getByRole('list', { name: 'Sessions de paiement' })
      await sessions.locator('.status').first().waitFor()
      await expect.poll(() => sessions.locator('.status').first().innerText()).toBe('Ouverte')
      // One that came back is not shown as one that was paid.
      await fixture.app.owner`
        update settlements set status = 'SUCCESS', approved_at = now(), returned_at = now()
         where id = ${ids['settlement'] ?? ''}`
      const { data } = await owner.get(`/settlements/${ids['settlement']}/`)
      await open(page, `/search?q=${data.reference}`)
      await page.locator('main .status').first().waitFor()
      expect(await statusIn(page)).toBe('Retourné')
    })
  },
  patience_ms,
)
