// What an event said beside its record as it is now, and the logo where it is chosen: what is so
// stands beside what somebody wrote, and nobody opens a second page to compare.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../harness.ts'
import { pngOf } from '../setup/pictures.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { type FullShop, fillShop } from './full-shop.ts'
import { cutTexts } from './measure.ts'

let fixture: BrowserFixture
let filled: FullShop
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  filled = await fillShop(fixture)
}, patience_ms)
afterAll(async () => {
  await filled?.close()
  await fixture?.stop()
})

/** The first event of the payment that was paid since. */
async function begunDelivery(): Promise<string> {
  const query = `transaction=${filled.ids['paid']}&event_type=transaction.created`
  const { data } = await filled.owner.get(`/webhook-logs/?${query}`)
  return data.results[0].id
}

const readers = [
  { language: 'en', width: 1280, act: 'Compare with the record', other: /has changed since/ },
  { language: 'fr', width: 360, act: 'Comparer avec la fiche', other: /a changé depuis/ },
] as const

it.each(readers)(
  'a delivery is compared with the record of now: $language, $width',
  async ({ language, width, act, other }) => {
    const id = await begunDelivery()
    await fixture.visit({ language, width }, async (page) => {
      await openFor(page, fixture.app.url, filled.owner.merchant_id, `/developers/deliveries/${id}`)
      await signInAs(page, filled.owner)
      await press(page, act)
      await page.getByText(other).waitFor()
      const marked = (await page.locator('mark').allInnerTexts()).map((text) => text.trim())
      expect(marked).toEqual(expect.arrayContaining(['≠ status: "PENDING"', '≠ status: "SUCCESS"']))
      // What has stayed is there, and is not marked.
      expect(marked.filter((line) => /(merchant_reference|country|amount)/.test(line))).toEqual([])
      await page
        .locator('pre')
        .getByText(/amount: "12500.00"/)
        .first()
        .waitFor()
      await expectSound(page)
      expect(await cutTexts(page)).toEqual([])
    })
  },
  patience_ms,
)

/** Of these deliveries the first, once it is there. */
async function deliveryOf(query: string): Promise<string> {
  let id = ''
  await eventually(async () => {
    const { data } = await filled.owner.get(`/webhook-logs/?${query}`)
    id = data.results[0]?.id ?? ''
    expect(id).not.toBe('')
  })
  return id
}

it(
  'what failed is as it was said, in whatever language, and no refund is compared with its payment',
  async () => {
    const { ids, owner } = filled
    const failed = await deliveryOf(`transaction=${ids['failed']}&event_type=transaction.failed`)
    const refund = await deliveryOf(`transaction=${ids['paid']}&event_type=refund.created`)
    await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
      const at = '/developers/deliveries'
      await openFor(page, fixture.app.url, owner.merchant_id, `${at}/${failed}`)
      await signInAs(page, owner)
      await press(page, 'Comparer avec la fiche')
      await page.getByText(/est encore telle que le dit cet envoi/).waitFor()
      expect(await page.locator('mark').count()).toBe(0)
      await openFor(page, fixture.app.url, owner.merchant_id, `${at}/${refund}`)
      await page.getByRole('heading', { name: 'Réponse reçue' }).waitFor()
      expect(await page.getByText('Comparer avec la fiche').count()).toBe(0)
    })
  },
  patience_ms,
)

it(
  'the logo itself stands where it is chosen',
  async () => {
    const { owner } = filled
    const logo = { body: new Uint8Array(pngOf()), headers: { 'content-type': 'image/png' } }
    expect((await owner.call('PUT', '/merchant/logo/', logo)).status).toBe(200)
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/settings')
      await signInAs(page, owner)
      const image = page.locator('main img.logo')
      const drawn = `document.querySelector('main img.logo')?.naturalWidth ?? 0`
      await expect.poll(() => page.evaluate<number>(drawn)).toBeGreaterThan(0)
      await expectSound(page)
      await press(page, 'Retirer le logo')
      await image.waitFor({ state: 'detached' })
    })
  },
  patience_ms,
)
