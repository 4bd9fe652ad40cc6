// What a merchant has and what becomes of it, through the dashboard in a real browser: balances to
// the franc, top-ups, settlements and where they go, transfers, customers, sessions, the day's sheet.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs, walk } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
})
afterAll(() => fixture.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)

/** The address of a record's own page. */
const ofOne = /\/[0-9a-f-]{36}$/

describe('a balance', () => {
  wholeIt(
    'is explained movement by movement, and topped up from one’s own phone',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/balances')
        await signInAs(page, owner)
        await expectSound(page)
        await page.getByRole('link', { name: /Bénin/ }).click()
        await heading(page, 'Bénin')
        await page.getByText(/Solde\s: 500\u00a0000\u00a0FCFA/).waitFor()
        await expectSound(page)
        await press(page, 'Ajouter de l’argent de test')
        await page.getByLabel('Combien ?').fill('1 000')
        await press(page, 'Ajouter')
        await page.getByText(/Solde\s: 501\u00a0000\u00a0FCFA/).waitFor()
        await page.getByText('Filtrer', { exact: true }).click()
        await page.getByLabel('Mouvement', { exact: true }).selectOption('DEBIT')
        await press(page, 'Afficher')
        await page.getByText('Rien ne correspond à ces filtres.').waitFor()
        expect(new URL(page.url()).searchParams.get('direction')).toBe('DEBIT')
        await expectSound(page)
        await open(page, '/balances/top-up')
        await page.getByLabel('Votre numéro').fill('+2290197000010')
        await page.locator('select[name=country]').selectOption('BJ')
        await page.locator('select[name=network]').selectOption('mtn_bj')
        await page.locator('input[name=amount]').fill('3 000')
        await expectSound(page)
        await press(page, 'Continuer')
        await expectSound(page)
        await press(page, 'Recharger 3\u00a0000\u00a0FCFA')
        await page.waitForURL(ofOne)
        await heading(page, 'Paiement')
        await expectSound(page)
      })
    },
    patience_ms,
  )
})

describe('a settlement', () => {
  wholeIt(
    'goes to an own account, which waits before its first use',
    async () => {
      const { app } = fixture
      const { merchant_id } = owner
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/settlements/new')
        await signInAs(page, owner)
        await page.getByText('Aucun moyen de versement.').waitFor()
        await expectSound(page)
        await open(page, '/settlements/methods/new')
        await page.locator('select[name=country]').selectOption('BJ')
        // In a shop that is not in LIVE a method waits for nothing.
        expect(await page.getByText('Par sécurité').count()).toBe(0)
        await page.locator('select[name=network]').selectOption('mtn_bj')
        await press(page, 'Ajouter ce moyen')
        await page.getByRole('alert').waitFor()
        await expectSound(page)
        await page.locator('input[name=msisdn]').fill('+2290197000010')
        await page.locator('input[name=label]').fill('Téléphone de la caisse')
        await press(page, 'Ajouter ce moyen')
        await page.waitForURL(/settlements\/methods$/)
        await page.getByText('Téléphone de la caisse').waitFor()
        await expectSound(page)
        await app.owner`
          update payout_methods set usable_from = now() - interval '1 minute'
           where merchant_id = ${merchant_id}`
        await open(page, '/settlements/new')
        await page.locator('input[name=requested_amount]').fill('20 000')
        await press(page, 'Continuer')
        await expectSound(page)
        await press(page, 'Demander 20\u00a0000\u00a0FCFA')
        await page.waitForURL(ofOne)
        await heading(page, 'Règlement')
        await page.getByRole('listitem').filter({ hasText: 'À venir' }).last().waitFor()
        await expectSound(page)
      })
      const { data } = await owner.get('/settlements/')
      expect(data.results).toMatchObject([{ requested_amount: '20000.00' }])
    },
    patience_ms,
  )
})

describe('a transfer', () => {
  wholeIt(
    'shows what the rate makes of it before it is asked for',
    async () => {
      await fixture.visit({ language: 'en', width: 1280, dark: true }, async (page) => {
        await open(page, '/transfers/new')
        await signInAs(page, owner)
        await page.locator('select[name=from_country]').selectOption('BJ')
        await page.locator('select[name=to_country]').selectOption('SN')
        await page.locator('input[name=amount]').fill('5,000')
        await expectSound(page)
        await press(page, 'Continue')
        await page.getByText('Arrives').waitFor()
        await expectSound(page)
        await press(page, 'Transfer FCFA\u00a05,000')
        await page.waitForURL(ofOne)
        await heading(page, 'Transfer')
        await expectSound(page)
      })
      const { data } = await owner.get('/wallet-transfers/')
      expect(data.results).toMatchObject([{ from_amount: '5000.00', to_country: 'SN' }])
    },
    patience_ms,
  )
})

describe('a customer', () => {
  wholeIt(
    'is found, corrected, and erased by who types the last two digits',
    async () => {
      const phone = '+2290197123410'
      const made = await owner.post('/customers/', { first_name: 'Awa', last_name: 'Sow', phone })
      expect(made.status).toBe(201)
      const paid = await fixture.shop.pay({ customer: { phone } })
      await fixture.shop.becomes(paid.data.id, 'SUCCESS')
      await fixture.visit({ language: 'fr', width: 320 }, async (page) => {
        await open(page, '/customers')
        await signInAs(page, owner)
        await page.getByLabel('Rechercher').fill('Sow')
        await press(page, 'Afficher')
        await page.getByRole('link', { name: /Awa Sow/ }).click()
        await heading(page, 'Awa Sow')
        await expectSound(page)
        await press(page, 'Modifier')
        await page.locator('input[name=last_name]').fill('Sow Diallo')
        await expectSound(page)
        await press(page, 'Enregistrer')
        await heading(page, 'Awa Sow Diallo')
        // Without an answer the button stays, has the focus, and asks again.
        const foreseen = '**/customers/*/erasure/'
        const json = { code: 'internal_error', message: 'Pas maintenant.', retryable: false }
        await page.route(foreseen, (route) => route.fulfill({ status: 500, json }))
        await press(page, 'Effacer')
        await page.getByText('Pas maintenant.').waitFor()
        await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Effacer')
        await expectSound(page)
        await page.unroute(foreseen)
        await press(page, 'Effacer')
        await page.getByText('Paiements et versements').waitFor()
        expect(await page.locator('.confirm dd').allTextContents()).toEqual(['1'])
        await page.locator('input[name=proof]').fill('99')
        await press(page, 'Effacer pour toujours')
        await page.getByText('Cela ne correspond pas.').first().waitFor()
        await expectSound(page)
        await page.locator('input[name=proof]').fill('10')
        await press(page, 'Effacer pour toujours')
        await page.waitForURL(/customers$/)
      })
      const { data } = await owner.get(`/customers/${made.data.id}/`)
      expect(data?.last_name ?? '').toBe('')
    },
    patience_ms,
  )

  wholeIt(
    'who was erased by somebody else goes from the screen with the next act',
    async () => {
      const person = { first_name: 'Kofi', last_name: 'Ansah', phone: '+2290197123477' }
      const made = await owner.post('/customers/', person)
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, `/customers/${made.data.id}`)
        await signInAs(page, owner)
        await heading(page, 'Kofi Ansah')
        await press(page, 'Change')
        await page.locator('input[name=last_name]').fill('Ansah Boateng')
        const gone = await owner.call('DELETE', `/customers/${made.data.id}/`)
        expect(gone.status).toBe(204)
        await press(page, 'Save')
        await heading(page, 'Customer')
        await page.getByRole('link', { name: 'All customers' }).waitFor()
        await page.getByText('Not found here').waitFor()
        await expect.poll(() => page.locator('main').innerText()).not.toContain('Kofi')
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'who still pays is not erased, and the API says why',
    async () => {
      const { shop } = fixture
      const phone = '+2290197555504'
      const paying = await shop.pay({ customer: { first_name: 'Ama', last_name: 'Toure', phone } })
      const { customer } = (await shop.get(`/transactions/${paying.data.id}/`)).data
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, `/customers/${customer}`)
        await signInAs(page, owner)
        await press(page, 'Change')
        await page.locator('input[name=last_name]').fill('Toure Sy')
        await press(page, 'Save')
        await heading(page, 'Ama Toure Sy')
        await press(page, 'Erase')
        await page.getByRole('heading', { name: 'Not possible yet' }).waitFor()
        await page.getByText('A payment of this customer is still under way.').waitFor()
        expect(await page.locator('input[name=proof]').count()).toBe(0)
        await expectSound(page)
        await press(page, 'Back')
        await press(page, 'Erase')
        await page.getByRole('heading', { name: 'Not possible yet' }).waitFor()
        // Nothing was begun that would be lost: nobody is asked whether to leave.
        await page.getByRole('link', { name: 'Links', exact: true }).click()
        await heading(page, 'Links')
      })
      expect((await owner.get(`/customers/${customer}/`)).data.last_name).toBe('Toure Sy')
    },
    patience_ms,
  )
})

describe('a checkout', () => {
  wholeIt(
    'is made, sent, and cancelled',
    async () => {
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, '/checkouts/new')
        await signInAs(page, owner)
        await press(page, 'Create the checkout')
        await page.getByRole('alert').waitFor()
        await expectSound(page)
        await page.locator('input[name=amount]').fill('7,500')
        await page.locator('input[name=customer_name]').fill('Awa Diop')
        await page.locator('input[name=customer_email]').fill('awa@example.com')
        await press(page, 'Create the checkout')
        await page.waitForURL(ofOne)
        await page.getByRole('link', { name: /\/checkout\// }).waitFor()
        await expectSound(page)
        await press(page, 'Cancel the checkout')
        await press(page, 'Cancel the request for FCFA\u00a07,500')
        await page.getByText('This checkout was cancelled').waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )
})

describe('the day’s sheet', () => {
  wholeIt(
    'leads to the day before and back, and its files are saved',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/reports')
        await signInAs(page, owner)
        await page.getByText('Argent de test').first().waitFor()
        // On a card the figure has its name beside it, as in the head of a column.
        const counts = page.getByText(/^Nombre.: \d+$/)
        await counts.first().waitFor()
        await expectSound(page)
        await press(page, /Jour précédent/)
        await page.waitForURL(/date=\d{4}-\d\d-\d\d$/)
        await press(page, /Jour suivant/)
        await page.getByText('Argent de test').first().waitFor()
        const sheet = page.waitForEvent('download')
        await press(page, 'Enregistrer (CSV)')
        expect((await sheet).suggestedFilename()).toMatch(/\.csv$/)
        await open(page, '/reports/files')
        for (const nth of [0, 1, 2]) {
          const saved = page.waitForEvent('download')
          await page.getByRole('button', { name: 'Enregistrer (CSV)' }).nth(nth).click()
          expect((await saved).suggestedFilename()).toMatch(/\.csv$/)
        }
        // Its days by one press, which saves nothing by itself.
        const journal = page.getByRole('form', { name: 'Journal comptable' })
        const [first, last] = [
          journal.getByLabel('Du', { exact: true }),
          journal.getByLabel('Au', { exact: true }),
        ]
        const before = await first.inputValue()
        await journal.getByRole('button', { name: 'Hier' }).click()
        await expect.poll(() => first.inputValue()).toBe(await last.inputValue())
        await journal.getByRole('button', { name: 'Mois dernier' }).click()
        await expect.poll(() => first.inputValue()).toBe(before)
        await page.getByLabel('Écritures').selectOption('day')
        await page.getByLabel('À lire par').selectOption('sage')
        await page.getByLabel('Code du journal').fill('trop long')
        await journal.getByRole('button', { name: 'Enregistrer (CSV)' }).click()
        await page.getByText('Doit être le code d’un journal').first().waitFor()
        await journal.getByLabel('Pays').selectOption('BJ')
        await page.getByLabel('Code du journal').fill('MM')
        for (const [program, ending] of [
          ['sage', /\.sage\.txt$/],
          ['odoo', /\.odoo\.csv$/],
        ] as const) {
          await page.getByLabel('À lire par').selectOption(program)
          const saved = page.waitForEvent('download')
          await journal.getByRole('button', { name: 'Enregistrer (CSV)' }).click()
          expect((await saved).suggestedFilename()).toMatch(ending)
        }
        await expectSound(page)
        await sayDatesAtTheirFields(page, 'Journal comptable')
        await sayDatesAtTheirFields(page, 'Opérations')
        await sayDatesAtTheirFields(page, 'Remboursements')
        await press(page, 'Modifier les comptes')
        await page.getByLabel('Frais', { exact: true }).fill('6')
        await press(page, /^Enregistrer$/)
        await page.getByText('Doit être un numéro de compte').first().waitFor()
        await expectSound(page)
        await page.getByLabel('Frais', { exact: true }).fill('6318')
        await page.getByLabel('Ce que vos clients ont payé', { exact: true }).fill('')
        await press(page, /^Enregistrer$/)
        await page.getByText('6318').waitFor()
        const { data } = await owner.get('/reports/journal/accounts/')
        expect(data).toMatchObject({ fees: '6318', sales: '706' })
        await press(page, 'Modifier les comptes')
        await page.getByText('Comptes de tiers', { exact: true }).click()
        await page.getByLabel('Tiers : Ce que vos clients ont payé').fill('deux mots')
        await press(page, /^Enregistrer$/)
        await page.getByText('Doit être un code de tiers').first().waitFor()
        await expectSound(page)
        await page.getByLabel('Tiers : Ce que vos clients ont payé').fill('CDIVERS')
        await press(page, /^Enregistrer$/)
        await page.getByText('706 · CDIVERS').waitFor()
        const { third_parties } = (await owner.get('/reports/journal/accounts/')).data
        expect(third_parties).toEqual({ sales: 'CDIVERS' })
        await expectSound(page)
      })
    },
    patience_ms,
  )
})

/** A file is opened by its address: what is wrong with it must be said before. */
async function sayDatesAtTheirFields(page: Page, name: string): Promise<void> {
  const form = page.getByRole('form', { name, exact: true })
  const [from, to] = [
    form.getByLabel('Du', { exact: true }),
    form.getByLabel('Au', { exact: true }),
  ]
  const before = [await from.inputValue(), await to.inputValue()] as const
  for (const [first, last, words] of [
    ['2026-02-02', '2026-02-01', 'Ne doit pas précéder le premier jour.'],
    ['9000-01-01', '9000-01-02', 'Doit être aujourd’hui ou un jour passé.'],
    ['', before[1], 'Indiquez une date.'],
  ] as const) {
    await from.fill(first)
    await to.fill(last)
    await form.getByRole('button', { name: 'Enregistrer (CSV)' }).click()
    await form.getByText(words).first().waitFor()
    expect(page.url()).toMatch(/reports\/files$/)
  }
  await expectSound(page)
  await from.fill(before[0])
  const saved = page.waitForEvent('download')
  await form.getByRole('button', { name: 'Enregistrer (CSV)' }).click()
  expect((await saved).suggestedFilename()).not.toBe('')
}

const screens = [
  ...['/payments', '/payments/new', '/payouts', '/payouts/new', '/payouts/approvals'],
  ...['/payouts/limits', '/balances', '/balances/BJ'],
  ...['/balances/top-up', '/settlements', '/settlements/methods', '/settlements/methods/new'],
  ...['/transfers', '/transfers/new', '/checkouts', '/checkouts/new', '/customers', '/reports'],
  ...['/reports/files', '/prices', '/search', '/search?q=97'],
]

wholeIt.each([
  { language: 'fr', width: 320, dark: true, role: 'OWNER' },
  { language: 'en', width: 1280, dark: false, role: 'VIEWER' },
] as const)(
  'every screen is sound: $language, $width wide, for a $role',
  async ({ role, ...visitor }) => {
    const { app, shop } = fixture
    const member = await app.member({ merchant_id: shop.merchant_id, role })
    await fixture.visit(visitor, async (page) => {
      await open(page, '')
      await signInAs(page, member)
      await walk(page, `${app.url}/dashboard/${shop.merchant_id}/test`, screens)
    })
  },
  patience_ms,
)
