// Whose money it is stands in lists and on its own page, by name where there is one; an open checkout says
// what its payer has before them; a webhook that we switched off says why in its list, and several
// deliveries are sent again from theirs.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { callPublic, paymentBody, sessionBecomes } from '../setup/payer-calls.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { startReceiver } from '../setup/webhook-receiver.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
}, patience_ms)
afterAll(() => fixture?.stop())

async function open(page: Page, path: string): Promise<void> {
  await openFor(page, fixture.app.url, owner.merchant_id, path)
  await signInAs(page, owner)
}

wholeIt(
  'payments are named by whoever pays them, at a desk and on a telephone',
  async () => {
    const { shop } = fixture
    const named = { ...newPayer(), first_name: 'Fatou', last_name: 'N’Diaye' }
    const { data } = await shop.pay({ customer: named })
    const { results } = (await shop.get('/transactions/')).data
    expect(results[0]).toMatchObject({ id: data.id, customer_name: 'Fatou N’Diaye' })
    const detail = (await shop.get(`/transactions/${data.id}/`)).data
    expect(detail.customer_name).toBe('Fatou N’Diaye')
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/payments')
      await page.getByRole('cell', { name: /^Fatou N’Diaye/ }).waitFor()
      await expectSound(page)
    })
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/payments')
      await page.getByText(/^Fatou N’Diaye · \+229/).click()
      await page
        .locator('main dd')
        .getByRole('link', { name: /^Fatou N’Diaye ?\+229/ })
        .waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

wholeIt(
  'an open checkout says what its payer sees, and keeps each payment that was begun on it',
  async () => {
    const { app } = fixture
    const session = await fixture.open()
    const pay = (ending: string) =>
      callPublic(app, 'POST', `/checkout/${session.slug}/pay/`, paymentBody(ending))
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, `/checkouts/${session.id}`)
      await page.getByText('Le client n’a pas encore commencé').waitFor()
      await expectSound(page)
      expect((await pay('04')).status).toBe(201)
      await page.reload()
      await page.getByText('sa page lui demande de le confirmer').waitFor()
      await fixture.resolve(session, 'FAILED')
      await page.reload()
      await page.getByText('sa page lui propose de réessayer').waitFor()
      await page.locator('main .cards').getByText('Échoué').waitFor()
      await expectSound(page)
      expect((await pay('10')).status).toBe(201)
      await sessionBecomes(fixture.shop, session.id, 'PAID')
      await page.reload()
      await page.getByText('Le client a payé.').waitFor()
      // Asked for again it is the same payment.
      await expect.poll(() => page.locator('main .cards > li').count()).toBe(1)
    })
  },
  patience_ms,
)

wholeIt(
  'a webhook that we switched off says why where it is listed',
  async () => {
    const { app } = fixture
    const { data } = await owner.post('/merchant-webhooks/', { url: 'https://shop.example/hook' })
    await app.owner`
      update webhooks set is_active = false, switched_off_reason = 'GONE' where id = ${data.id}`
    await fixture.visit({ language: 'en', width: 360, dark: true }, async (page) => {
      await open(page, '/developers/webhooks')
      await page.getByText(/your server answered 410/).waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'deliveries that are ticked are sent again at once, each of them once',
  async () => {
    const receiver = await startReceiver()
    try {
      const { data } = await owner.post('/merchant-webhooks/', { url: receiver.url })
      for (let one = 0; one < 3; one++) {
        expect((await owner.post(`/merchant-webhooks/${data.id}/test/`)).status).toBe(201)
      }
      await expect.poll(() => receiver.received.length).toBe(3)
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, '/developers/webhooks')
        await openFor(page, fixture.app.url, owner.merchant_id, '/developers/deliveries')
        await page.getByText('Filter', { exact: true }).click()
        await page.getByLabel('Webhook', { exact: true }).selectOption(receiver.url)
        await press(page, 'Show')
        const ticks = page.getByRole('checkbox', { name: /^Resend webhook\.test too/ })
        await expect.poll(() => ticks.count()).toBe(3)
        await ticks.nth(0).check()
        await ticks.nth(2).check()
        await expectSound(page)
        await press(page, 'Resend those that are ticked: 2')
        await page.getByText('Sent again: 2').waitFor()
        await expect.poll(() => receiver.received.length).toBe(5)
        expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0)
        await expectSound(page)
      })
      const ids = receiver.received.map(({ headers }) => headers['x-webhook-id'])
      expect(new Set(ids).size).toBe(3)
      expect(new Set(ids.slice(3)).size).toBe(2)
    } finally {
      await receiver.close()
    }
  },
  patience_ms,
)
