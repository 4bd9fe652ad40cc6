// A shop's owner and the dashboard, in a real browser against the whole service: signing in, finding
// a payment, reading what became of it, sharing a link, signing out. Nothing hostile becomes code.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { enrol } from '../setup/authenticator.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import type { Visitor } from './browser.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

const hostile = '"><img src=x onerror=alert(1)>{{7*7}}\u202e=HYPERLINK("x")'

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  const paid = await shop.pay({ description: 'Commande 1042' })
  await shop.becomes(paid.data.payment_id ?? paid.data.id, 'SUCCESS')
  const smuggled = await shop.pay({ description: hostile, merchant_reference: hostile })
  await shop.becomes(smuggled.data.id, 'SUCCESS')
  await shop.post('/payment-links/', { name: hostile, currency: 'XOF', amount: '5000' })
})
afterAll(() => fixture.stop())

const words = {
  fr: {
    sign_in: 'Se connecter',
    home: 'Accueil',
    payments: 'Paiements',
    payment: 'Paiement',
    links: 'Liens',
    invoice: 'Reçu ou facture (PDF)',
    receipt: ['Lien du reçu', 'Ouvrir le reçu', 'Retirer le reçu', 'Retirer pour toujours'],
    withdrawn: /^Reçu retiré/,
    paid: 'Le client a payé. 5 000 FCFA ont été ajoutés à votre solde.',
    search: 'Rechercher',
    show: 'Afficher',
    none: 'Rien ne correspond à ces filtres.',
    remove_all: 'Tout effacer',
    account: 'Mon compte',
    sign_out: 'Se déconnecter',
    wrong: 'incorrect',
    new_link: 'Nouveau lien',
    link_for: 'Pour quoi ?',
    how_much: 'Combien ?',
    make: 'Créer le lien',
    sum: '12 500 FCFA',
  },
  en: {
    sign_in: 'Sign in',
    home: 'Home',
    payments: 'Payments',
    payment: 'Payment',
    links: 'Links',
    invoice: 'Receipt or invoice (PDF)',
    receipt: [
      ...['Link to the receipt', 'Open the receipt'],
      ...['Withdraw the receipt', 'Withdraw it for good'],
    ],
    withdrawn: /^Receipt withdrawn/,
    paid: 'The customer has paid. FCFA 5,000 was added to your balance.',
    search: 'Search',
    show: 'Show',
    none: 'Nothing matches these filters.',
    remove_all: 'Clear all',
    account: 'My account',
    sign_out: 'Sign out',
    wrong: 'wrong',
    new_link: 'New link',
    link_for: 'What for?',
    how_much: 'How much?',
    make: 'Create the link',
    sum: 'FCFA 12,500',
  },
} as const

const places: readonly (Visitor & { language: 'fr' | 'en' })[] = [
  { language: 'fr', width: 360 },
  { language: 'en', width: 1280 },
]

/** What a script that was smuggled in could carry off: nothing that opens anything. */
async function expectNoSecret(page: Page): Promise<void> {
  const kept = await page.evaluate<string>(
    'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, location.href])',
  )
  expect(kept).toMatch(/^\["",/)
  expect(kept).not.toMatch(/sess_|pirogue_member/)
}

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)
const follow = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name }).click()

describe('Home', () => {
  it.each(sized(places.slice(0, 1), places))(
    'says today’s figures as the API does, and leads to what is to do: $language, $width wide',
    async (visitor) => {
      const { app, shop } = fixture
      await fixture.shop.post('/sandbox/balances/', { country: 'BJ', amount: '100000' })
      await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '10000' })
      const asked = await owner.post('/payouts/initialize/', {
        ...{ amount: '20000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
        recipient: { msisdn: '+2290197000010' },
      })
      expect(asked.data.approval).toBe('REQUIRED')
      await app.owner`delete from payout_limits where merchant_id = ${shop.merchant_id}`
      const { data } = await owner.get('/overview/?country=BJ')
      const [{ today }] = data.countries
      const taken = today.taken.replace('.00', '')
      await fixture.visit(visitor, async (page) => {
        await open(page, '/')
        await signInAs(page, owner)
        await heading(page, words[visitor.language].home)
        const shown = page.locator('.glance .big').first()
        await shown.waitFor()
        expect((await shown.innerText()).replace(/\D/g, '')).toBe(taken)
        await expectSound(page)
        await page
          .getByText(/Voir le tableau|Show as table/)
          .first()
          .click()
        await page.getByRole('columnheader', { name: /Semaine d’avant|Week before/ }).waitFor()
        await expectSound(page)
        await page.getByRole('link', { name: /à approuver|to approve/ }).click()
        await page
          .getByText(/20.000/)
          .first()
          .waitFor()
      })
      await owner.post(`/payouts/${asked.data.id}/cancel/`, {})
    },
  )
})

describe('a merchant', () => {
  it.each(sized(places.slice(0, 1), places))(
    'signs in, finds a payment, reads what became of it, and signs out: $language, $width wide',
    async (visitor) => {
      const t = words[visitor.language]
      await fixture.visit(visitor, async (page) => {
        await page.goto(`${fixture.app.url}/dashboard`)
        await heading(page, t.sign_in)
        expect(await page.locator('html').getAttribute('lang')).toBe(visitor.language)
        await expectSound(page)
        await signInAs(page, owner)
        await heading(page, t.home)
        await expectSound(page)
        await follow(page, t.payments)
        await heading(page, t.payments)
        await expectSound(page)
        await page.getByLabel(t.search).fill('nobody at all')
        await page.getByRole('button', { name: t.show }).click()
        await page.getByText(t.none).waitFor()
        expect(new URL(page.url()).searchParams.get('search')).toBe('nobody at all')
        await page.goBack()
        await page.getByText('Commande 1042').first().waitFor()
        await page.reload()
        await page
          .locator('main a')
          .filter({ hasText: /TXN|5.000/ })
          .last()
          .click()
        await heading(page, t.payment)
        await page.getByText(t.paid).waitFor()
        await expectSound(page)
        await expectNoSecret(page)
        const saved = page.waitForEvent('download')
        await page.getByRole('button', { name: t.invoice }).click()
        expect((await saved).suggestedFilename()).toMatch(/^TXN-.*\.pdf$/)
        const [show = '', look = '', withdraw = '', forGood = ''] = t.receipt
        await page.getByRole('button', { name: show }).click()
        // Withdrawn by the first of them, for good.
        if (visitor === places[0]) {
          const address = await page.getByRole('link', { name: look }).getAttribute('href')
          expect(await (await fetch(address ?? '')).text()).toMatch(/5.000/)
          await expectSound(page)
          await page.getByRole('button', { name: withdraw }).click()
          await page.getByRole('button', { name: forGood }).click()
        }
        await page.getByText(t.withdrawn).waitFor()
        await expectSound(page)
        await page.getByText(t.account, { exact: true }).locator('..').click()
        await page.getByRole('button', { name: t.sign_out }).click()
        await heading(page, t.sign_in)
        await page.goBack()
        await heading(page, t.sign_in)
      })
    },
    patience_ms,
  )

  wholeIt(
    'makes a link and gets what to share; words of others stay words',
    async () => {
      const t = words.fr
      await fixture.visit({ language: 'fr', width: 320 }, async (page) => {
        await open(page, '/links')
        await signInAs(page, owner)
        await heading(page, t.links)
        await page.getByText('onerror=alert(1)').first().waitFor()
        await expectSound(page)
        await page.getByRole('link', { name: t.new_link }).click()
        await page.getByLabel(t.link_for).fill(hostile)
        await page.getByRole('button', { name: t.make }).click()
        await page.getByRole('alert').waitFor()
        await expectSound(page)
        await page.getByLabel(t.how_much).fill('12 500')
        await page.getByRole('button', { name: t.make }).click()
        await page.getByText(t.sum).first().waitFor()
        const whatsapp = await page.getByRole('link', { name: 'WhatsApp' }).getAttribute('href')
        const shared = new URL(whatsapp ?? '').searchParams.get('text') ?? ''
        expect(shared).toContain(hostile)
        expect(shared).toContain(`${fixture.app.url}/pay/`)
        await expectSound(page)
        await open(page, '/payments')
        await page.getByText('onerror=alert(1)').first().waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'is asked for the second factor, and for a new session where the old one has ended',
    async () => {
      const { app, shop } = fixture
      const second = await app.member({ merchant_id: shop.merchant_id, role: 'VIEWER' })
      const authenticator = await enrol(app, second)
      await fixture.visit({ language: 'en', width: 1280, dark: true }, async (page) => {
        await open(page, '/links')
        await authenticator.forget()
        await signInAs(page, second, { code: authenticator.code() })
        await heading(page, words.en.links)
        // A viewer makes no links, so nothing offers it.
        expect(await page.getByRole('link', { name: words.en.new_link }).count()).toBe(0)
        await expectSound(page)
        await app.owner`delete from sessions where person_id = ${second.person_id}`
        await follow(page, words.en.payments)
        await page.getByRole('dialog').waitFor()
        await expectSound(page)
        await authenticator.forget()
        await signInAs(page, second, { code: authenticator.code() })
        await page.getByText('Commande 1042').first().waitFor()
        expect(await page.getByRole('dialog').count()).toBe(0)
      })
    },
    patience_ms,
  )

  wholeIt(
    'goes from live to test and back, and is told which it is',
    async () => {
      const { app } = fixture
      const { merchant_id } = await app.shop({ live: true })
      const member = await app.member({ merchant_id })
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await page.goto(`${app.url}/dashboard`)
        await signInAs(page, member)
        await page.waitForURL(/\/live$/)
        const band = page.getByText('TEST : aucun argent ne circule')
        expect(await band.count()).toBe(0)
        await expectSound(page)
        await page.getByRole('link', { name: 'Versements' }).click()
        await page.getByRole('link', { name: 'Test' }).click()
        await page.waitForURL(/\/test\/payouts$/)
        await band.waitFor()
        // The title follows the page in an effect of its own.
        await expect.poll(() => page.title()).toMatch(/^TEST · Versements/)
        await expectSound(page)
        // Somebody else's merchant, or one that there is not: one's own, and nothing is said.
        const other = fixture.shop.merchant_id
        await page.goto(`${app.url}/dashboard/${other}/live/payments`)
        await page.waitForURL(`**/dashboard/${merchant_id}/live`)
      })
    },
    patience_ms,
  )
})
