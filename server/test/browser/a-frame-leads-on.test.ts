// The frame around every screen: the other mode shows the same list, the band of a test leads to
// what a test is for, keys lead to places and open a row beside, a suspended shop says what still
// works and lets it, and whoever asks for contrast gets it.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type Shop, type SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let shop: Shop
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  shop = await fixture.app.shop({ live: true })
  owner = await fixture.app.member({ merchant_id: shop.merchant_id })
}, patience_ms)
afterAll(() => fixture?.stop())

async function enter(page: Page, path: string, who = owner): Promise<void> {
  await openFor(page, fixture.app.url, who.merchant_id, path)
  await signInAs(page, who)
  await page.locator('main h1').waitFor()
}

const open = (page: Page, path: string) => openFor(page, fixture.app.url, shop.merchant_id, path)

it.each([
  ['/developers/deliveries', '/developers/deliveries'],
  ['/payouts/limits', '/payouts/limits'],
  ['/settlements/methods/new', '/settlements/methods'],
  ['/links/00000000-0000-4000-8000-000000000000', '/links'],
])(
  'the other mode shows the same screen, and of a record its list: %s',
  async (path, list) => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await enter(page, path)
      await page.getByRole('navigation', { name: 'Mode' }).getByText('Live').click()
      await page.waitForURL(new RegExp(`/live${list}$`))
      await page.locator('main h1').waitFor()
      expect(await page.getByText('Page not found').count()).toBe(0)
    })
  },
  patience_ms,
)

it(
  'the band of a test leads to its numbers, and to live where that is not open, by right',
  async () => {
    const { app } = fixture
    const closed = fixture.shop.merchant_id
    const admin = await app.member({ merchant_id: closed })
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await enter(page, '/payments', admin)
      const band = page.locator('.test-band')
      await expectSound(page)
      await band.getByRole('link', { name: 'Numéros de test' }).click()
      await heading(page, 'Simulateur')
      await band.getByRole('link', { name: 'Passer en réel' }).click()
      await page.waitForURL(/\/settings\/verification$/)
    })
    const viewer = await app.member({ merchant_id: closed, role: 'VIEWER' })
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await enter(page, '/payments', viewer)
      const band = page.locator('.test-band')
      await band.getByText('Numbers ending in 01 to 09 choose the outcome.').waitFor()
      expect(await band.getByRole('link').count()).toBe(0)
    })
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await enter(page, '/payments')
      // Live is open: the switch leads there.
      await expect
        .poll(() => page.locator('.test-band').getByRole('link').allInnerTexts())
        .toEqual(['Test numbers'])
    })
  },
  patience_ms,
)

it(
  'g and a letter lead to keys and webhooks, and o opens the row in a tab of its own',
  async () => {
    const { data } = await shop.pay({ customer: newPayer() })
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await enter(page, '/payments')
      await page.locator('tbody tr').first().waitFor()
      await page.locator('main h1').focus()
      // With no row chosen it opens none.
      await page.keyboard.type('o')
      await page.keyboard.type('j')
      const isChosen = `document.activeElement.matches('tbody th > a')`
      await expect
        .poll(async () => {
          const isDone = await page.evaluate<boolean>(isChosen)
          // What is pressed before the keys are there is lost.
          if (!isDone) await page.keyboard.type('j')
          return isDone
        })
        .toBe(true)
      const opened = page.context().waitForEvent('page')
      await page.keyboard.type('o')
      const beside = await opened
      await beside.waitForURL(new RegExp(`/test/payments/${data.id}$`))
      await heading(beside, 'Payment')
      expect(page.context().pages()).toHaveLength(2)
      await beside.close()
      expect(page.url()).toMatch(/\/test\/payments$/)
      await page.keyboard.press('?')
      const help = page.getByRole('dialog')
      await help.getByText('Open the row in a new tab').waitFor()
      for (const name of ['API keys', 'Webhooks', 'Developers']) {
        await help.getByText(name, { exact: true }).waitFor()
      }
      await page.keyboard.press('Escape')
      await page.keyboard.type('gw')
      await heading(page, 'Webhooks')
      await page.keyboard.type('gk')
      await heading(page, 'API keys')
    })
  },
  patience_ms,
)

it(
  'a suspended shop says what still works, and that works',
  async () => {
    const { app } = fixture
    const { merchant_id, pay } = await app.shop()
    const { data } = await pay({ customer: { ...newPayer(), phone: '+2290197000004' } })
    const admin = await app.member({ merchant_id })
    await app.owner`
      update merchants set status = 'SUSPENDED', suspended_reason = 'Papers missing',
                           suspended_at = now() - interval '1 second'
       where id = ${merchant_id}`
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await enter(page, `/payments/${data.id}`, admin)
      const band = page.locator('.stop-band')
      await band.getByText(/You can read, save lists and ask the operator/).waitFor()
      await expectSound(page)
      const asked = page.waitForResponse((one) => one.url().endsWith(`/${data.id}/verify/`))
      await page.getByRole('button', { name: 'Ask the operator' }).click()
      expect((await asked).status()).toBe(200)
      await openFor(page, app.url, merchant_id, '/payments')
      await page.getByText('Save the list').click()
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save', exact: false }).last().click()
      expect((await saved).suggestedFilename()).toMatch(/\.csv$/)
      await openFor(page, app.url, merchant_id, '/audit')
      await page.locator('main details.card, main .empty').first().waitFor()
    })
  },
  patience_ms,
)

wholeIt(
  'whoever asks for more contrast reads no grey letter, in light and in dark',
  async () => {
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await enter(page, '/links/new')
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ contrast: 'more', colorScheme })
        await open(page, '/links/new')
        await page.locator('main input[name=name]').waitFor()
        const [ink, grey, edge, width] = await page.evaluate<string[]>(`(() => {
          const of = (at) => getComputedStyle(document.querySelector(at))
          const field = of('main input[name=name]')
          return [of('body').color, of('.hint').color, field.borderTopColor, field.borderTopWidth]
        })()`)
        expect([grey, edge, width]).toEqual([ink, ink, '2px'])
        await expectSound(page)
      }
    })
  },
  patience_ms,
)
