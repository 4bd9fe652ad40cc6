// A link from its making to the money, in two windows: the shop makes it and shows its code, a
// customer pays it on their telephone, the shop sees it; and one payment whose outcome nobody knows.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { readQrOfPicture } from '../setup/read-qr.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { chooseCountry, heading, pay } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)

/** The customer, on a telephone of their own. */
const payLink = (address: string): Promise<void> =>
  fixture.visit({ language: 'fr', width: 360 }, async (page) => {
    await page.goto(address)
    await heading(page, 'Payer 12 500 FCFA')
    await page.locator('#about-you summary').click()
    await page.getByLabel('Prénom').fill('Awa')
    await page.getByLabel('Nom', { exact: true }).fill('Diop')
    await page.getByLabel('Votre adresse e-mail').fill('awa@example.com')
    await page.getByRole('button', { name: 'Continuer' }).click()
    await page.waitForURL(`${fixture.app.url}/checkout/*`)
    await chooseCountry(page, 'BJ')
    await pay(page, { network: 'mtn_bj' })
    await page.locator('#reference').waitFor()
  })

describe('a link', () => {
  it(
    'is made, shown as a code, paid in another window, and seen in the list and on Home',
    async () => {
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, '/links/new')
        await signInAs(page, owner)
        await page.getByLabel('What for?').fill('Order 1042')
        await page.getByLabel('How much?').fill('12,500')
        await press(page, 'Create the link')
        await heading(page, 'Order 1042')
        const code = page.getByRole('img', { name: 'QR code of the link Order 1042' })
        await code.waitFor()
        await expect
          .poll(() => code.evaluate((at) => Number(Object(at).naturalWidth)))
          .toBeGreaterThan(20)
        const address = await page.locator('.address a').getAttribute('href')
        expect(readQrOfPicture(await code.screenshot())).toBe(address)
        await expectSound(page)
        const pays = page.locator('section').filter({ hasText: 'What the customer pays' })
        await pays.getByRole('button', { name: 'Show', exact: true }).click()
        // In the first country of its currency, where the merchant has none of its own.
        const priced = /^FCFA\s1\d,\d{3}, you get FCFA\s1\d,\d{3}$/
        await pays.getByText(priced).first().waitFor()
        expect(await pays.getByRole('alert').count()).toBe(0)
        await expectSound(page)
        for (const [name, file] of [
          ['Save the QR code', /\.png$/],
          ['Poster A5 (PDF)', /\.pdf$/],
        ] as const) {
          const saved = page.waitForEvent('download')
          await press(page, name)
          expect((await saved).suggestedFilename()).toMatch(file)
        }
        await payLink(address ?? '')
        await page.reload()
        await page.getByRole('heading', { name: /^Paid: 1/ }).waitFor()
        await page.getByText('FCFA\u00a012,500').first().waitFor()
        const [, id = ''] = /links\/([^/?]+)/.exec(page.url()) ?? []
        const visits = async () => (await owner.get(`/payment-links/${id}/stats/`)).data.visits
        // Written every ten seconds; its merchant has not opened it.
        await expect.poll(visits, { timeout: 30_000, interval: 1_000 }).toBe(1)
        await page.reload()
        const opened = page.locator('dl > div').filter({ hasText: 'Page opened' })
        await opened.getByText('1', { exact: true }).waitFor()
        const taken = page.locator('dl > div').filter({ hasText: 'Collected' })
        await taken.getByText('FCFA\u00a012,500').waitFor()
        await expectSound(page)
        await open(page, '/payments')
        await page.locator('main .cards a').first().click()
        await page.getByText('The customer has paid.').waitFor()
        await expectSound(page)
      })
      const { data } = await owner.get('/transactions/?status=SUCCESS')
      expect(data.results).toMatchObject([{ requested_amount: '12500.00' }])
    },
    patience_ms,
  )
})

describe('the page of a payer, to be tried out', () => {
  wholeIt(
    'stands in a window as wide as a telephone, beside the story of what is done there',
    async () => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await page.addInitScript(`
          const open = window.open
          window.open = (...all) => {
            document.documentElement.dataset.opened = all[2]
            return open.call(window, ...all)
          }`)
        await open(page, '/developers/sandbox')
        await signInAs(page, owner)
        await press(page, 'Create a test page')
        const opened = page.context().waitForEvent('page')
        await page.getByRole('link', { name: 'Open the payment page' }).click()
        const payer = await opened
        const size = await page.locator('html').getAttribute('data-opened')
        expect(size).toMatch(/^popup,noreferrer,width=390,height=800,left=\d+,top=0$/)
        await page.getByText('The customer has not begun').waitFor()
        await expectSound(page)
        await chooseCountry(payer, 'BJ')
        await pay(payer, { network: 'mtn_bj' })
        await payer.locator('#reference').waitFor()
        await page.getByRole('link', { name: 'See the payment' }).click()
        await page.getByText('The customer has paid.').waitFor()
        await payer.close()
      })
    },
    patience_ms,
  )
})

const askAgain = (when: string) =>
  fixture.app.owner.unsafe(`update attempts set due_at = ${when} where status = 'UNKNOWN'`)

describe('a payment whose outcome nobody knows', () => {
  wholeIt(
    'says what not to do, offers nothing that would pay twice, and later that it was paid',
    async () => {
      const { shop } = fixture
      const { data } = await shop.pay({ customer: { phone: '+2290197000005' } })
      // Nobody asks the operator until the page has been read.
      await askAgain("now() + interval '1 hour'")
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/payments/${data.id}`)
        await signInAs(page, owner)
        const unknown = page.getByText('L’opérateur n’a pas répondu : l’issue n’est pas connue.')
        await unknown.waitFor()
        await page.getByText('Ne demandez pas un autre paiement au client.').waitFor()
        const again = page.getByRole('button', { name: 'Redemander le paiement' })
        expect(await again.count()).toBe(0)
        await expectSound(page)
        await askAgain('now()')
        await shop.becomes(data.id, 'SUCCESS', 60_000)
        await page.getByText('Le client a payé.').waitFor()
        expect(await unknown.count()).toBe(0)
      })
    },
    patience_ms,
  )
})
