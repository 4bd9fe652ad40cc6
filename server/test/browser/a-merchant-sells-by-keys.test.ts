// What a merchant does all day without a mouse: Home and its figures, a link and what is shared of it,
// what is paid seen as it comes, something found again, an outcome that is not known, the books.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { until } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { chooseCountry, heading, pay } from './hands.ts'
import {
  arrive,
  choose,
  enter,
  openSettled,
  seen,
  signInByKeys,
  tabTo,
  typeInto,
} from './keyboard.ts'
import { expectSoon, watchPresses } from './presses.ts'
import { comesToRest } from './rest.ts'

const presses = watchPresses()
let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000

beforeAll(async () => {
  fixture = presses.watch(await startFixture())
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
}, patience_ms)
afterAll(() => fixture?.stop())

const addressOf = (path: string) => `${fixture.app.url}/dashboard/${owner.merchant_id}/test${path}`

const readers = {
  fr: { language: 'fr', width: 360 },
  en: { language: 'en', width: 1280 },
} as const

const at = (reader: keyof typeof readers, path: string, journey: (page: Page) => Promise<void>) =>
  fixture.visit(readers[reader], async (page) => {
    await page.goto(addressOf(''))
    await signInByKeys(page, owner)
    await openSettled(page, addressOf(path))
    await journey(page)
  })

/** What is saved when the button that is named so is pressed. */
async function saved(page: Page, name: RegExp): Promise<string> {
  const file = page.waitForEvent('download')
  await enter(page, name)
  const told = (await file).suggestedFilename()
  await page.getByText('Un instant…').first().waitFor({ state: 'detached' })
  return told
}

/** From anywhere, by one key, once the field has the focus. */
async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('/')
  await until(page, 'document.activeElement.name === "q"')
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

/** The customer, on a telephone of their own. */
const payLink = (address: string): Promise<void> =>
  fixture.visit({ language: 'fr', width: 360 }, async (page) => {
    await page.goto(address)
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

describe('by keys alone', () => {
  wholeIt(
    'Home is read hour by hour and as a table, and a figure leads to what it counts',
    async () => {
      const { data } = await fixture.shop.pay({ amount: '19500', customer: newPayer() })
      await fixture.shop.becomes(data.id, 'SUCCESS')
      await at('fr', '', async (page) => {
        await tabTo(page, /^INPUT/)
        await page.keyboard.press('Home')
        await expect
          .poll(() => page.locator('main figure .point').first().innerText())
          .toMatch(/00/)
        await enter(page, /^SUMMARY Voir le tableau/)
        await page.locator('main figure table').first().waitFor()
        await enter(page, /^A .*19.500/)
        await page.waitForURL(/\/(payments|balances)/)
      })
    },
    patience_ms,
  )

  wholeIt(
    'a link is shared, shown as a code and on paper, paid, and seen at once in the list',
    async () => {
      const link = { name: 'Commande 7', currency: 'XOF', amount_type: 'FIXED', amount: '12500' }
      const made = await owner.post('/payment-links/', link)
      const { data } = await owner.get(`/payment-links/${made.data.id}/`)
      await at('fr', `/links/${made.data.id}`, async (page) => {
        await tabTo(page, /^BUTTON Copier/)
        await tabTo(page, /^A WhatsApp/)
        await enter(page, /^BUTTON Montrer le code QR/)
        await page.getByRole('img', { name: /QR/ }).waitFor()
        expect(await saved(page, /^BUTTON Enregistrer le code QR/)).toMatch(/\.png$/)
        expect(await saved(page, /^BUTTON Affiche A5/)).toMatch(/\.pdf$/)
        await enter(page, /^A Paiements$/)
        await heading(page, 'Paiements')
        await comesToRest(page)
        await payLink(data.url)
        await seen(page, /^Nouveaux paiements/)
        await page.keyboard.press('.')
        await seen(page, '12\u00a0500\u00a0FCFA')
        await enter(page, /^A Accueil$/)
        await heading(page, 'Accueil')
        await seen(page, /12.500|32.000/)
      })
    },
    patience_ms,
  )

  wholeIt(
    'a payment is found by its last digits and by its reference, and narrowed to in its list',
    async () => {
      const customer = { phone: '+2290196123457', first_name: 'Mariam', last_name: 'Houngbo' }
      const { data } = await fixture.shop.pay({ amount: '4200', customer })
      const { reference } = await fixture.shop.becomes(data.id, 'SUCCESS')
      await at('en', '/payments', async (page) => {
        await search(page, '96 12 34 57')
        await heading(page, 'Search')
        await enter(page, /^A .*4,200/)
        await arrive(page, 'Payment')
        await search(page, reference)
        await page.waitForURL(new RegExp(`/payments/${data.id}$`))
        await openSettled(page, addressOf('/payments'))
        await enter(page, /^SUMMARY More filters/)
        await choose(page, /^SELECT Network/, 'MTN')
        await typeInto(page, /^INPUT Search/, 'Mariam')
        await page.keyboard.press('Enter')
        await page.waitForURL(/search=Mariam/)
        await enter(page, /^BUTTON Clear all$/)
        await page.waitForURL(/\/payments$/)
      })
    },
    patience_ms,
  )

  wholeIt(
    'of an outcome that nobody knows it is said, and nothing that would pay twice is reached',
    async () => {
      const { shop, app } = fixture
      const { data } = await shop.pay({ customer: { phone: '+2290197000005' } })
      await app.owner`
        update attempts set due_at = now() + interval '1 hour' where status = 'UNKNOWN'`
      await at('fr', `/payments/${data.id}`, async (page) => {
        await seen(page, 'Ne demandez pas un autre paiement au client.')
        await expect(tabTo(page, /^BUTTON Redemander le paiement/)).rejects.toThrow(/not reached/)
        await app.owner`update attempts set due_at = now() - interval '1 second' where status = 'UNKNOWN'`
        await shop.becomes(data.id, 'SUCCESS', 60_000)
        await seen(page, 'Le client a payé.')
      })
    },
    patience_ms,
  )

  wholeIt(
    'the day’s sheet, the journal, files for spreadsheets and a month’s statement are had',
    async () => {
      await at('fr', '/reports', async (page) => {
        expect(await saved(page, /^BUTTON Enregistrer \(CSV\)/)).toMatch(/\.csv$/)
        await openSettled(page, addressOf('/reports/files'))
        await tabTo(page, /^SELECT À lire par/)
        expect(await saved(page, /^BUTTON Enregistrer \(CSV\)/)).toMatch(/\.csv$/)
        expect(await saved(page, /^BUTTON Enregistrer \(CSV\)/)).toMatch(/\.csv$/)
        await openSettled(page, addressOf('/balances/BJ'))
        await enter(page, /^A Relevé d’un mois/)
        await heading(page, /^Relevé/)
        await enter(page, /^BUTTON Mois précédent/)
        await page.waitForURL(/month=/)
      })
      await at('en', '/payments', async (page) => {
        await enter(page, /^(BUTTON|SUMMARY) Save the list/)
        expect(await saved(page, /^BUTTON Save \(CSV\)/)).toMatch(/\.csv$/)
      })
    },
    patience_ms,
  )

  wholeIt('each press is answered soon', () => expectSoon('selling', presses.soFar()))
})
