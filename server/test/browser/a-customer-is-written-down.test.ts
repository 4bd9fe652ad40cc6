// A customer who has not paid yet is written down by whoever may, found again, and changed; what the
// API refuses stands at its field, and one who is there already is not made twice.

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let finance: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  const { merchant_id } = fixture.shop
  finance = await fixture.app.member({ merchant_id, role: 'FINANCE' })
}, patience_ms)
afterAll(() => fixture?.stop())

it(
  'by a member of finance, on a telephone',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, fixture.shop.merchant_id, '/customers')
      await signInAs(page, finance)
      await page.getByRole('link', { name: 'Nouveau client' }).first().click()
      await heading(page, 'Nouveau client')
      await expectSound(page)
      const form = page.getByRole('form', { name: 'Nouveau client' })
      await form.getByLabel('Prénom').fill('Awa')
      await press(page, 'Créer le client')
      await page.getByText('Un téléphone ou un e-mail est obligatoire.').first().waitFor()
      await expectSound(page)
      await form.getByLabel('Pays').selectOption('BJ')
      await form.getByLabel(/^Numéro/).fill('01 97 00 00 21')
      await press(page, 'Créer le client')
      await page.waitForURL(/\/customers\/[0-9a-f-]{36}$/)
      await heading(page, 'Awa')
      const id = page.url().split('/').at(-1)
      expect((await finance.get(`/customers/${id}/`)).data).toMatchObject({
        ...{ first_name: 'Awa', phone: '+2290197000021', country: 'BJ' },
      })
      await expectSound(page)

      await press(page, 'Modifier')
      await page.getByLabel('Nom', { exact: true }).fill('Diop')
      await page.getByLabel('Pays').selectOption('TG')
      await press(page, 'Enregistrer')
      await heading(page, 'Awa Diop')
      expect((await finance.get(`/customers/${id}/`)).data).toMatchObject({
        ...{ last_name: 'Diop', phone: '+2290197000021', country: 'TG' },
      })

      // It was done, its answer is lost, and what was there before is wanted after all.
      await press(page, 'Modifier')
      await page.route(
        `**/customers/${id}/`,
        async (route) => {
          await route.fetch()
          await route.abort()
        },
        { times: 1 },
      )
      const surname = async () => (await finance.get(`/customers/${id}/`)).data.last_name
      await page.getByLabel('Nom', { exact: true }).fill('Diallo')
      await press(page, 'Enregistrer')
      await page.getByText('Le service ne répond pas.').first().waitFor()
      expect(await surname()).toBe('Diallo')
      await page.getByLabel('Nom', { exact: true }).fill('Diop')
      await press(page, 'Enregistrer')
      await expect.poll(surname).toBe('Diop')

      await openFor(page, fixture.app.url, fixture.shop.merchant_id, '/customers/new')
      await form.getByLabel(/^Numéro/).fill('+229 01 97 00 00 21')
      await press(page, 'Créer le client')
      await page.getByRole('alert').waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)
