// What a shop's people meet in a day leads on: nothing is offered that is then refused, and what they
// read is true and says what they can do.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { enrol } from '../setup/authenticator.ts'
import { inAnotherShop } from '../setup/membership.ts'
import { callPublic, paymentBody, sessionBecomes } from '../setup/payer-calls.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)

/** A payment on a session's page that its payer did not approve. */
async function failedOnPage() {
  const { app, shop } = fixture
  const session = await fixture.open()
  const path = `/checkout/${session.slug}/pay/`
  expect((await callPublic(app, 'POST', path, paymentBody('04'))).status).toBe(201)
  await fixture.resolve(session, 'FAILED', 'NOT_APPROVED')
  const [payment] = await fixture.transactionsOf(session)
  const id = payment?.id ?? ''
  await shop.becomes(id, 'FAILED')
  return { session, id }
}

it(
  'a payment on a page is asked for again while that page is open, and no longer',
  async () => {
    const { app, shop } = fixture
    const { session, id } = await failedOnPage()
    expect((await owner.get(`/transactions/${id}/`)).data.may_retry).toBe(true)
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, `/payments/${id}`)
      await signInAs(page, owner)
      await page.getByRole('button', { name: 'Redemander le paiement' }).waitFor()
      await app.owner`
        update checkout_sessions set expires_at = now() - interval '1 minute',
               due_at = now() - interval '1 minute'
         where id = ${session.id}`
      await page.reload()
      await page.getByText('La page de paiement de ce client est fermée.').waitFor()
      expect(await page.getByText('Redemander le paiement').count()).toBe(0)
      await expectSound(page)
      await page.getByRole('link', { name: 'Nouveau paiement' }).last().waitFor()
      // A list does not know how its page is.
      await open(page, '/payments')
      await page.getByText('Échoué').first().waitFor()
      expect(await page.getByText('Redemander').count()).toBe(0)
    })
    await sessionBecomes(shop, session.id, 'EXPIRED')
    const { data } = await owner.get(`/transactions/${id}/`)
    expect(data.may_retry).toBe(false)
    const refused = await owner.post(`/payments/${id}/retry/`, {})
    expect(refused.status).toBe(410)
  },
  patience_ms,
)

it(
  'Home knows of the papers that were just sent, and of their refusal',
  async () => {
    const { app } = fixture
    const { merchant_id } = await app.shop()
    const other = await app.member({ merchant_id })
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, app.url, merchant_id, '/settings/verification')
      await signInAs(page, other)
      await page
        .locator('input[type=file]')
        .last()
        .setInputFiles({
          name: 'ifu.pdf',
          mimeType: 'application/pdf',
          buffer: Buffer.from('%PDF-1.4\n%%EOF'),
        })
      await page.getByText('ifu.pdf').waitFor()
      await page.getByRole('link', { name: 'Accueil' }).first().click()
      const step = (name: string) => page.locator('.first-step', { hasText: name })
      await step('Vos documents').getByText('Fait').waitFor()
      await step('Examen').getByText('En cours').waitFor()
      await app.owner`update merchants set kyc_status = 'REJECTED' where id = ${merchant_id}`
      await page.goto(`${app.url}/dashboard/${merchant_id}/test/settings/verification`)
      await heading(page, 'Vérification')
      await page.getByRole('link', { name: 'Accueil' }).first().click()
      await step('Examen').getByText('Refusé').waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'one’s own account leads back to the shop and the mode that one came from',
  async () => {
    const { app } = fixture
    const member = await app.member({ merchant_id: (await app.shop({ live: true })).merchant_id })
    const { merchant_id } = await inAnotherShop(app, member)
    await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
      await openFor(page, app.url, merchant_id, '/payments')
      await signInAs(page, member)
      await heading(page, 'Paiements')
      await page.goto(`${app.url}/dashboard/me`)
      await page.getByRole('link', { name: 'Retour' }).click()
      await page.waitForURL(new RegExp(`/${merchant_id}/test$`))
    })
  },
  patience_ms,
)

it(
  'what is available stands at the sum of a payout, and a limit is refused in the shop’s words',
  async () => {
    await owner.post('/merchant-payout-limits/', { country: 'BJ', per_payout: '5000' })
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/payouts/new')
      await signInAs(page, owner)
      await page.locator('input[name=msisdn]').fill('+2290197000010')
      await page.locator('select[name=country]').selectOption('BJ')
      await page.locator('select[name=method]').selectOption('mtn_bj')
      await page.getByText(/Disponible.: 50.000.FCFA/).waitFor()
      await page.locator('input[name=amount]').fill('7000')
      await press(page, 'Continuer')
      const alert = page.getByRole('alert').first()
      await expect.poll(() => alert.innerText()).toContain('que votre équipe a fixée')
      expect(await alert.innerText()).not.toMatch(/(GET|POST) \//)
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'a lost telephone is replaced by recovery codes alone, each named where it is wanted',
  async () => {
    const { app, shop } = fixture
    const member = await app.member({ merchant_id: shop.merchant_id })
    const { recovery_codes } = await enrol(app, member)
    const [first = '', second = ''] = recovery_codes
    const lost = 'Téléphone perdu ? Code de secours'
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await page.goto(`${app.url}/dashboard/me/security`)
      await page.locator('input[name=email]').fill(member.email)
      await page.locator('input[name=password]').fill(member.password)
      await press(page, 'Se connecter')
      await press(page, lost)
      await page.getByText('Plus de code de secours ?').waitFor()
      await page.getByLabel('Code de secours').fill(first)
      await press(page, 'Se connecter')
      await heading(page, 'Sécurité')
      await page.getByText('Retirer le second facteur').first().click()
      await page.getByText('Nouveau téléphone ? Retirez-le avec un code de secours').waitFor()
      const form = page.getByRole('form', { name: 'Retirer le second facteur' })
      expect(await form.locator('input[name=code]').getAttribute('inputmode')).toBe('numeric')
      await form.getByRole('button', { name: lost }).click()
      await expectSound(page)
      await form.locator('input[name=password]').fill(member.password)
      await form.getByLabel('Code de secours').fill(second)
      await form.getByRole('button', { name: 'Retirer le second facteur' }).click()
      await page.getByRole('button', { name: 'Activer le second facteur' }).waitFor()
    })
  },
  patience_ms,
)

it(
  'an owner chooses who pays the fees and where the shop works',
  async () => {
    const { app } = fixture
    const { merchant_id } = await app.shop()
    const other = await app.member({ merchant_id })
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, app.url, merchant_id, '/settings')
      await signInAs(page, other)
      const form = page.getByRole('form', { name: 'Frais et pays' })
      await form.getByLabel('Qui supporte les frais').selectOption('DEDUCTED')
      await form.getByLabel('Bénin').check()
      await form.getByRole('button', { name: 'Enregistrer' }).click()
      await form.getByText('Enregistré.').waitFor()
      await expectSound(page)
    })
    const { data } = await other.get('/merchant/')
    expect(data.fee_charge_mode_locked).toBe('DEDUCTED')
    expect(data.allowed_countries).toEqual(['BJ'])
    const rates = (await other.get('/pricing/my-rates/')).data
    const open = rates.filter(({ payin }: { payin: { available: boolean } }) => payin.available)
    expect(new Set(open.map((one: { country_code: string }) => one.country_code))).toEqual(
      new Set(['BJ']),
    )
  },
  patience_ms,
)

it(
  'a suspended shop is led to the people of the service, where they have said how',
  async () => {
    const { app } = fixture
    const { merchant_id } = await app.shop()
    const other = await app.member({ merchant_id })
    expect((await other.get('/auth/me/')).data.support_contact).toBe(null)
    await app.owner`
      update merchants set status = 'SUSPENDED', suspended_reason = 'Papiers',
             suspended_at = now() where id = ${merchant_id}`
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, app.url, merchant_id, '')
      await signInAs(page, other)
      const band = page.locator('.stop-band')
      await band.getByText('Compte suspendu').waitFor()
      expect(await band.getByRole('link').count()).toBe(0)
      await page.route('**/api/v1/auth/me/', async (route) => {
        const body = await (await route.fetch()).json()
        body.support_contact = 'mailto:aide@pay.example.com'
        // Without the heads of the answer, which say that it is compressed.
        await route.fulfill({ json: body })
      })
      await page.reload()
      const link = band.getByRole('link', { name: 'Contacter le support' })
      expect(await link.getAttribute('href')).toBe('mailto:aide@pay.example.com')
      await expectSound(page)
    })
  },
  patience_ms,
)
