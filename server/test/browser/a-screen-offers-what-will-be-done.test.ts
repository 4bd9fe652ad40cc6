// What a screen says and offers to whoever can do less just now is so: a suspended shop reads all
// that it may and asks for nothing that is refused; a settlement that cannot be made yet says what
// is missing.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fund } from '../ledger/books.ts'
import { newEmail } from '../setup/membership.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
}, patience_ms)
afterAll(() => fixture?.stop())

const paper = '%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n'
const stopped = /^Le compte est suspendu\s:/

/** With a payment, a paper that was refused beside one that waits, and somebody invited. */
async function suspendedShop() {
  const { app } = fixture
  const { merchant_id, pay } = await app.shop()
  const owner = await app.member({ merchant_id })
  const paid = await pay()
  expect(paid.status).toBe(201)
  const headers = { 'content-type': 'application/pdf' }
  for (const kind of ['IDENTITY', 'TAX']) {
    const path = `/kyc/documents/?kind=${kind}&file_name=${kind.toLowerCase()}.pdf`
    expect((await owner.call('POST', path, { headers, body: paper })).status).toBe(201)
  }
  await app.owner`
    update kyc_documents set status = 'REJECTED', note = 'Illisible', reviewed_at = now()
     where merchant_id = ${merchant_id} and kind = 'IDENTITY'`
  const invited = newEmail()
  const sent = await owner.post('/merchant-invitations/', { email: invited, role: 'FINANCE' })
  expect(sent.status).toBe(201)
  await app.owner`
    update merchants set status = 'SUSPENDED', suspended_reason = 'Papiers',
           suspended_at = now() where id = ${merchant_id}`
  return { owner, merchant_id, invited }
}

/** What was refused of a page's calls, from now on. */
function watchRefused(page: Page): readonly string[] {
  const refused: string[] = []
  page.on('response', (reply) => {
    if (reply.status() === 403) refused.push(reply.url())
  })
  return refused
}

it(
  'a suspended shop reads networks by their names, and chooses among them and their countries',
  async () => {
    const { owner, merchant_id } = await suspendedShop()
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      const refused = watchRefused(page)
      const open = (path: string) => openFor(page, fixture.app.url, merchant_id, path)
      await open('/payments')
      await signInAs(page, owner)
      await page.locator('main').getByText('MTN MoMo Bénin').first().waitFor()
      await page.getByText('Plus de filtres').click()
      const expectChoice = (name: string, choice: string) =>
        expect
          .poll(() => page.locator(`select[name=${name}] option`).allTextContents())
          .toContain(choice)
      await expectChoice('country', 'Bénin')
      await expectChoice('network', 'MTN MoMo Bénin')
      await expectSound(page)
      for (const path of ['/settlements', '/transfers']) {
        await open(path)
        await page.getByText('Filtrer', { exact: true }).click()
        await expectChoice('country', 'Bénin')
      }
      for (const path of ['/networks', '/prices']) {
        await open(path)
        await page.locator('summary', { hasText: 'Bénin' }).click()
        await page.getByText('MTN MoMo Bénin').filter({ visible: true }).first().waitFor()
      }
      expect(await page.locator('main form').count()).toBe(0)
      expect(await page.getByText('Taux de change').count()).toBe(0)
      await expectSound(page)
      await open('/developers/deliveries')
      await expectSound(page)
      expect(refused).toEqual([])
    })
  },
  patience_ms,
)

it(
  'a suspended shop reads its papers and invitations, and why it changes nothing of them',
  async () => {
    const { owner, merchant_id, invited } = await suspendedShop()
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      const refused = watchRefused(page)
      const main = page.locator('main')
      await openFor(page, fixture.app.url, merchant_id, '/settings/verification')
      await signInAs(page, owner)
      await main.getByText('Illisible').waitFor()
      await main.getByText('tax.pdf').waitFor()
      await main.getByText(stopped).waitFor()
      expect(await main.locator('input[type=file]').count()).toBe(0)
      expect(await main.getByRole('button', { name: 'Retirer' }).count()).toBe(0)
      await expectSound(page)
      const saved = page.waitForEvent('download')
      await main.getByRole('button', { name: 'Ouvrir' }).first().click()
      expect((await saved).suggestedFilename()).toBe('identity.pdf')
      await openFor(page, fixture.app.url, merchant_id, '/team')
      await main.getByText(invited).waitFor()
      await main.getByText(stopped).first().waitFor()
      expect(await main.locator('form').count()).toBe(0)
      expect(await main.getByRole('button', { name: 'Renvoyer' }).count()).toBe(0)
      await expectSound(page)
      expect(refused).toEqual([])
    })
  },
  patience_ms,
)

it(
  'a settlement that cannot be made yet says what is missing, and leads to it',
  async () => {
    const { app } = fixture
    const environment = 'LIVE'
    const { merchant_id } = await app.shop({ live: true, environment })
    const other = await app.member({ merchant_id, environment, second_factor: 'FRESH' })
    const owner = await app.member({ merchant_id })
    const finance = await app.member({ merchant_id, role: 'FINANCE' })
    const form = `${app.url}/dashboard/${merchant_id}/live/settlements/new`
    const addMethod = async (country: string) => {
      const body = { bank_name: 'NSIA', account_number: `${country}0010001000`, label: country }
      const type = 'BANK_ACCOUNT'
      const { status } = await other.post('/merchant-payout-methods/', { country, type, ...body })
      expect(status).toBe(201)
    }
    const ages = () => app.owner`
      update payout_methods set usable_from = now() - interval '1 minute'
       where merchant_id = ${merchant_id}`
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      const main = page.locator('main')
      await page.goto(form)
      await signInAs(page, owner)
      await main.getByText('Aucun moyen de versement.').waitFor()
      await main.getByRole('link', { name: 'Nouveau moyen de versement' }).waitFor()
      await expectSound(page)
      await addMethod('BJ')
      await ages()
      await page.reload()
      await main.getByText('Pas encore de solde').waitFor()
      await main.getByRole('link', { name: 'Nouveau paiement' }).waitFor()
      await expectSound(page)
      await fund(app.owner, { merchant_id, environment, country: 'CI', currency: 'XOF' }, 500_000n)
      await page.reload()
      await main.getByText('là où est votre argent (Côte d’Ivoire)').waitFor()
      await main.getByRole('link', { name: 'Nouveau moyen de versement' }).waitFor()
      await expectSound(page)
      await addMethod('CI')
      await page.reload()
      await main.getByText('Par sécurité, un nouveau moyen attend avant de servir.').waitFor()
      await main.getByText(/^Utilisable dans (1 jour|\d+ heures)/).waitFor()
      expect(await main.getByRole('link', { name: 'Nouveau moyen' }).count()).toBe(0)
      await expectSound(page)
      await ages()
      await page.reload()
      await main.locator('input[name=requested_amount]').waitFor()
      // Whoever adds another one is told that it will wait, and for how long where that is known.
      const adding = `${app.url}/dashboard/${merchant_id}/live/settlements/methods/new`
      await page.goto(adding)
      await main.getByText('Par sécurité, un nouveau moyen attend avant de servir.').waitFor()
      for (const [hours, said] of [
        [48, 1],
        [0, 0],
      ] as const) {
        await app.owner`
          update merchants set cooling_off_hours = ${hours} where id = ${merchant_id}`
        await page.reload()
        await main.locator('input[name=label]').waitFor()
        const told = main.getByText(
          /^Par sécurité, un nouveau moyen attend 48.h avant de servir\.$/,
        )
        expect(await told.count()).toBe(said)
        expect(await main.getByText('Par sécurité').count()).toBe(said)
      }
    })
    await app.owner`
      update payout_methods set deleted_at = now() where merchant_id = ${merchant_id}`
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await page.goto(form)
      await signInAs(page, finance)
      // Who may add none is told who may.
      await page.getByText('Aucun moyen de versement.').waitFor()
      await page.getByText('À qui le demander ?').waitFor()
      expect(await page.getByRole('link', { name: 'Nouveau moyen' }).count()).toBe(0)
      await expectSound(page)
    })
  },
  patience_ms,
)
