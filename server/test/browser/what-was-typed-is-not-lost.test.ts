// A form that was begun is not left by a slip: whoever goes away is asked, by whichever way they
// go; what is sent, or only narrows a list, is left without a word.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { inAnotherShop } from '../setup/membership.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs, until } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
}, patience_ms)
afterAll(() => fixture?.stop())

const dialogOf = (page: Page) => page.getByRole('dialog')

async function open(page: Page, path: string): Promise<void> {
  await openFor(page, fixture.app.url, owner.merchant_id, path)
  if ((await page.locator('input[type=password]').count()) > 0) await signInAs(page, owner)
}

/** What watches comes with the first letter: once it is there, closing the page would be asked. */
async function begin(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label).pressSequentially(text)
  await until(page, `!dispatchEvent(new Event('beforeunload', { cancelable: true }))`)
}

describe('a form that was begun', () => {
  it.each([
    ['fr', 360, 'Pour quoi ?', 'Rester ici', 'Quitter quand même', 'Paiements'],
    ['en', 1280, 'What for?', 'Stay here', 'Leave anyway', 'Payments'],
  ] as const)(
    'is asked about before a link, Back or a reload takes it away: %s',
    async (language, width, label, stay, leave, other) => {
      await fixture.visit({ language, width }, async (page) => {
        await open(page, '/links')
        await page
          .getByRole('link', { name: /Nouveau lien|New link/ })
          .first()
          .click()
        await begin(page, label, 'Rice')
        const menu = page.locator('nav.menu').getByRole('link', { name: other, exact: true })
        const go = () => menu.locator('visible=true').first().click()
        await go()
        await dialogOf(page).waitFor()
        await expectSound(page)
        await press(page, stay)
        await dialogOf(page).waitFor({ state: 'detached' })
        await expect.poll(() => page.getByLabel(label).inputValue()).toBe('Rice')
        // It is refused, so nothing comes that could be waited for.
        await page.evaluate('history.back()')
        await dialogOf(page).waitFor()
        await page.keyboard.press('Escape')
        await expect.poll(() => page.getByLabel(label).inputValue()).toBe('Rice')
        const asked = page.waitForEvent('dialog')
        await page.evaluate('void setTimeout(() => location.reload())')
        const question = await asked
        expect(question.type()).toBe('beforeunload')
        await question.dismiss()
        await expect.poll(() => page.getByLabel(label).inputValue()).toBe('Rice')
        await go()
        await press(page, leave)
        await heading(page, other)
      })
    },
    patience_ms,
  )

  it(
    'is not left for a test whose delivery is found meanwhile',
    async () => {
      const { data } = await owner.post('/merchant-webhooks/', {
        url: 'https://shop.example.com/tested',
      })
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        let answer = () => {}
        const answered = new Promise<void>((done) => {
          answer = done
        })
        const asked = page.waitForRequest(/\/webhook-logs\/\?/)
        await page.route(/\/webhook-logs\/\?/, async (route) => {
          await answered
          await route.continue()
        })
        await open(page, `/developers/webhooks/${data.id}`)
        await page.getByRole('button', { name: 'Send a test', exact: true }).click()
        await asked
        await page.getByRole('link', { name: 'Links', exact: true }).click()
        await page.getByRole('link', { name: 'New link' }).first().click()
        await begin(page, 'What for?', 'Rice')
        const last = page.waitForResponse(/\/webhook-logs\/\?/)
        answer()
        await (await last).finished()
        await page.waitForTimeout(1_500)
        expect(page.url()).toMatch(/\/links\/new$/)
        expect(await page.getByLabel('What for?').inputValue()).toBe('Rice')
      })
      await owner.call('DELETE', `/merchant-webhooks/${data.id}/`)
    },
    patience_ms,
  )

  it(
    'stays when another is saved and just then the service does not say who is signed in',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/settings')
        await begin(page, 'Site', 'https://boutique.example')
        await page.route('**/api/v1/auth/me/', (route) =>
          route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Indisponible.' } }),
        )
        await page.locator('main form').first().getByRole('button').click()
        await page.getByText('Enregistré.').waitFor()
        expect(await page.getByLabel('Site').inputValue()).toBe('https://boutique.example')
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'is asked about in its second step, and not once it is sent',
    async () => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await owner.post('/sandbox/balances/', { country: 'BJ', amount: '90000' })
        await open(page, '/payouts/new')
        await begin(page, 'Recipient’s number', '+2290197000010')
        await page.getByLabel('How much?').fill('5000')
        await press(page, 'Continue')
        await page.locator('.confirm').waitFor()
        await page.getByRole('link', { name: 'Payments', exact: true }).click()
        await press(page, 'Stay here')
        await page.locator('.confirm button').first().click()
        await page.locator('.outcome').waitFor()
        await page.getByRole('link', { name: 'Payments', exact: true }).click()
        await heading(page, 'Payments')
        expect(await dialogOf(page).count()).toBe(0)
      })
    },
    patience_ms,
  )

  wholeIt(
    'is asked about before another shop is chosen; with nothing typed nobody is asked',
    async () => {
      const { app } = fixture
      const member = await app.member({ merchant_id: fixture.shop.merchant_id })
      const other = await inAnotherShop(app, member)
      await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
        await openFor(page, app.url, member.merchant_id, '/links/new')
        await signInAs(page, member)
        const shops = page.locator('select.merchant')
        await begin(page, 'Pour quoi ?', 'Riz')
        await shops.selectOption(other.merchant_id)
        await dialogOf(page).waitFor()
        await press(page, 'Rester ici')
        await expect.poll(() => page.getByLabel('Pour quoi ?').inputValue()).toBe('Riz')
        await expect.poll(() => shops.inputValue()).toBe(member.merchant_id)
        await shops.selectOption(other.merchant_id)
        await press(page, 'Quitter quand même')
        await page.waitForURL(`**/${other.merchant_id}/test/links`)
        await shops.selectOption(member.merchant_id)
        await expect.poll(() => page.url()).toContain(`/${member.merchant_id}/test`)
        expect(await dialogOf(page).count()).toBe(0)
      })
    },
    patience_ms,
  )

  wholeIt(
    'that was saved where it stands, or only narrows a list, is left without a word',
    async () => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, '/settings')
        await begin(page, 'Name of the shop or company', ' & sons')
        await page.locator('main form').first().getByRole('button').click()
        await page.getByText('Saved.').waitFor()
        await page.getByRole('link', { name: 'Payments', exact: true }).click()
        await heading(page, 'Payments')
        await page.getByLabel('Search', { exact: true }).fill('rice')
        await page.getByRole('link', { name: 'Home', exact: true }).click()
        await heading(page, 'Home')
        expect(await dialogOf(page).count()).toBe(0)
      })
    },
    patience_ms,
  )
})
