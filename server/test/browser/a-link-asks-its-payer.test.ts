// A link asks its payer what the shop wants to know and leads them on to the shop's own site: made
// and changed in the dashboard, each refusal at its field; the answers stand with the payment.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { chooseCountry, heading, pay } from './hands.ts'
import { enter, tabTo, typeInto } from './keyboard.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)
const read = async (id: string): Promise<Json> => (await owner.get(`/payment-links/${id}/`)).data
const save = (page: Page) => page.locator('.confirm button[type=submit]').click()
const idIn = (page: Page): string => /links\/([^/?]+)/.exec(page.url())?.[1] ?? ''
const fact = (page: Page, name: string) => page.locator('dl > div').filter({ hasText: name })
const question = (page: Page, nth: number) =>
  page.locator('fieldset.question').filter({ hasText: new RegExp(`^Question ${nth}`) })

async function make(custom_fields: readonly object[]): Promise<Json> {
  const body = { name: 'Stage', currency: 'XOF', amount: '2500', custom_fields }
  const { status, data } = await owner.post('/payment-links/', body)
  expect(status).toBe(201)
  return data
}

const size = {
  ...{ name: 'quelle_taille', label: 'Quelle taille ?', type: 'SELECT', required: true },
  options: ['S', 'M', 'Très grand'],
}
const child = {
  ...{ name: 'enfant', label: 'Prénom de l’enfant', type: 'TEXT', required: false },
  options: [],
}

/** What the shop types; each field that the service or the form refuses is wrong at first. */
async function fillLink(page: Page, thanks: string): Promise<void> {
  await page.getByLabel('Pour quoi ?').fill('Tombola')
  await page.getByLabel('Combien ?').fill('2 500')
  await page.getByText('Plus d’options').click()
  await page.getByLabel('Exiger un numéro de téléphone').check()
  await press(page, 'Ajouter une question')
  const [first, second] = [question(page, 1), question(page, 2)]
  await expectFocus(page, 'custom_fields.0.label')
  await page.keyboard.type('Quelle taille ?')
  await first.getByLabel('Type de réponse').selectOption({ label: 'Un choix parmi plusieurs' })
  await first.getByLabel('Le client doit répondre').check()
  await press(page, 'Ajouter une question')
  await second.getByLabel('Que voulez-vous demander ?').fill('Prénom de l’enfant')
  await second.getByLabel('Nom du champ dans vos données').fill('2 noms')
  await page.getByLabel('Où envoyer le client après le paiement').fill('boutique.example')
  await page.getByLabel('Afficher la page de confirmation').uncheck()
  await press(page, 'Créer le lien')
  await first.getByText('Indiquez au moins un choix.').waitFor()
  await first.getByLabel('Choix, un par ligne').fill(' S\nM\n\nM\nTrès grand ')
  await press(page, 'Créer le lien')
  await second.getByText('Doit commencer par une lettre').waitFor()
  await page.getByText('Doit être une adresse http ou https absolue.').first().waitFor()
  // Three ways from above the form: two refusals, and none of what the form has a field for.
  await expect.poll(() => page.locator('[role=alert] li').count()).toBe(2)
  expect(await first.locator('.wrong').count()).toBe(0)
  await expectSound(page)
  await second.getByLabel('Nom du champ dans vos données').fill('enfant')
  await page.getByLabel('Où envoyer le client après le paiement').fill(thanks)
  await press(page, 'Créer le lien')
}

const expectFocus = (page: Page, name: string): Promise<void> =>
  expect.poll(() => page.evaluate<string>('document.activeElement.getAttribute("name")')).toBe(name)

/** The customer answers, on a telephone of their own, and ends on the shop's site. */
const payLink = (address: string, answer: string): Promise<void> =>
  fixture.visit({ language: 'fr', width: 360 }, async (page) => {
    await page.goto(address)
    await heading(page, 'Payer 2 500 FCFA')
    await page.locator('#phone').fill('+229 01 97 00 00 10')
    await page.getByLabel('Quelle taille ?').selectOption('Très grand')
    await page.getByLabel('Prénom de l’enfant').fill(answer)
    await page.getByRole('button', { name: 'Continuer' }).click()
    await page.waitForURL(`${fixture.app.url}/checkout/*`)
    await chooseCountry(page, 'BJ')
    await pay(page, { network: 'mtn_bj' })
    await page.waitForURL(`${fixture.site.url}/**`)
  })

describe('a link', () => {
  it(
    'asks what its shop wants to know, and its payer goes on to the shop; the answers are shown',
    async () => {
      const thanks = `${fixture.site.url}/merci`
      const answer = 'Afi <b>"Mensah"</b>'
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/links/new')
        await signInAs(page, owner)
        await fillLink(page, thanks)
        await heading(page, 'Tombola')
        const link = await read(idIn(page))
        expect(link).toMatchObject({
          ...{ custom_fields: [size, child], require_phone: true },
          ...{ redirect_url: thanks, show_confirmation_page: false },
        })
        await fact(page, 'Quelle taille ?').getByText('S / M / Très grand · obligatoire').waitFor()
        await fact(page, 'Prénom de l’enfant').getByText('Texte · réponse facultative').waitFor()
        await fact(page, 'Où envoyer le client').getByText(thanks).waitFor()
        await fact(page, 'Page de confirmation').getByText('non affichée').waitFor()
        await fact(page, 'Numéro de téléphone').getByText('obligatoire').waitFor()
        await expectSound(page)
        await payLink(link.url, answer)
        await page.reload()
        await page.locator('main .cards a').first().click()
        await page.getByText('Le client a payé.').waitFor()
        await fact(page, 'quelle_taille').getByText('Très grand').waitFor()
        await fact(page, 'enfant').getByText(answer).waitFor()
        await page.getByRole('heading', { name: 'Réponses du client' }).waitFor()
        await expectSound(page)
        const { data } = await owner.get('/checkout-sessions/?status=PAID')
        await open(page, `/checkouts/${data.results[0].id}`)
        await fact(page, 'enfant').getByText(answer).waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'loses a question, and keeps the others and whatever is not shown as they were',
    async () => {
      const third = { ...child, name: 'tuteur', label: 'Tuteur' }
      const link = await make([size, child, third])
      await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
        await open(page, `/links/${link.id}`)
        await signInAs(page, owner)
        await press(page, 'Modifier le lien')
        await expect.poll(() => page.locator('fieldset.question').count()).toBe(3)
        // The same name twice is refused where it stands the second time.
        await question(page, 3).getByLabel('Nom du champ dans vos données').fill('enfant')
        await save(page)
        await question(page, 3).getByText('Deux champs ont le même nom.').waitFor()
        await press(page, 'Retirer la question 1')
        await question(page, 2).getByText('Deux champs ont le même nom.').waitFor()
        expect(await question(page, 1).locator('.wrong').count()).toBe(0)
        await press(page, 'Retirer la question 1')
        await expect
          .poll(() => question(page, 1).getByLabel('Que voulez-vous demander ?').inputValue())
          .toBe('Tuteur')
        await expectSound(page)
        const sent = page.waitForRequest((request) => request.method() === 'PATCH')
        await save(page)
        expect((await sent).postDataJSON()).toEqual({
          custom_fields: [{ ...third, name: 'enfant' }],
        })
        await fact(page, 'Tuteur').getByText('Texte · réponse facultative').waitFor()
      })
    },
    patience_ms,
  )

  wholeIt(
    'is given a question by keys alone, and at most ten of them',
    async () => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, '/links/new')
        await signInAs(page, owner)
        await page.reload()
        await typeInto(page, /^INPUT What for/, 'Course')
        await typeInto(page, /^INPUT How much/, '900')
        await enter(page, /^SUMMARY More options/)
        await enter(page, /^BUTTON Add a question/)
        await expectFocus(page, 'custom_fields.0.label')
        await page.keyboard.type('Your level')
        await tabTo(page, /^SELECT Kind of answer/)
        await page.keyboard.type('One of')
        await typeInto(page, /^TEXTAREA Choices/, 'Beginner\nAdvanced')
        for (let nth = 2; nth <= 10; nth += 1) {
          await enter(page, /^BUTTON Add a question/)
          await expectFocus(page, `custom_fields.${nth - 1}.label`)
          await page.keyboard.type('Your level')
        }
        await page.getByText('A link can ask ten questions at most.').waitFor()
        await enter(page, /^BUTTON Add a question/)
        await expectSound(page)
        await expect.poll(() => page.locator('fieldset.question').count()).toBe(10)
        await press(page, 'Remove question 10')
        await enter(page, /^BUTTON Create the link/)
        await heading(page, 'Course')
        const { custom_fields } = await read(idIn(page))
        const names = custom_fields.map(({ name }: Json) => name)
        expect(names.slice(0, 3)).toEqual(['your_level', 'your_level_2', 'your_level_3'])
        expect(custom_fields[0]).toMatchObject({
          ...{ type: 'SELECT', options: ['Beginner', 'Advanced'], required: false },
        })
        expect(names).toHaveLength(9)
      })
    },
    patience_ms,
  )
})
