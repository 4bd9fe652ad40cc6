// A shop where nothing has happened yet is told once, and where to begin; and what people read of
// sums in lists and forms is what they would write themselves.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let newcomer: SignedInCaller
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  newcomer = await app.member({ merchant_id: (await app.shop()).merchant_id })
  owner = await app.member({ merchant_id: shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, who: SignedInCaller, path: string) =>
  openFor(page, fixture.app.url, who.merchant_id, path)
const boxes = (page: Page) => page.locator('main .empty')

describe('where nothing has happened yet', () => {
  it(
    'Home says so in one place, and leads to a first payment',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, newcomer, '')
        await signInAs(page, newcomer)
        await page.getByText(/^Rien pour l’instant\./).waitFor()
        await comesToRest(page)
        await expect.poll(() => boxes(page).count()).toBe(1)
        await expectSound(page)
        await boxes(page).getByRole('link', { name: 'Payer comme le client' }).click()
        await heading(page, 'Simulateur')
      })
    },
    patience_ms,
  )

  it(
    'Home of a demo’s sandbox is filled with examples by one press',
    async () => {
      const empty = await fixture.app.shop()
      const first = await fixture.app.member({ merchant_id: empty.merchant_id })
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, first, '')
        await signInAs(page, first)
        await press(page, 'Fill with 60 days of examples')
        await page.getByRole('heading', { name: 'Balances' }).waitFor()
        expect(await page.getByText(/^Nothing yet\. Try it/).count()).toBe(0)
        await expectSound(page)
      })
      const { data } = await first.get('/transactions/?page_size=1')
      expect(data.results).toHaveLength(1)
    },
    patience_ms,
  )

  wholeIt(
    'a list says what will stand there and how it comes to be',
    async () => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, newcomer, '/payments')
        await signInAs(page, newcomer)
        for (const [path, name, title] of [
          ['/payments', 'New link', 'New link'],
          ['/payouts', 'Top up', 'Top up a balance'],
          ['/transfers', 'New transfer', 'New transfer'],
          ['/settlements', 'New settlement', 'New settlement'],
        ] as const) {
          await open(page, newcomer, path)
          await boxes(page).first().waitFor()
          await expectSound(page)
          await boxes(page).getByRole('link', { name }).click()
          await heading(page, title)
        }
      })
    },
    patience_ms,
  )
})

describe('a sum', () => {
  wholeIt(
    'that comes in has a plus, one that goes out a minus',
    async () => {
      const made = await owner.post('/payouts/initialize/', {
        ...{ amount: '1500', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
        recipient: { msisdn: '+2290197000010' },
      })
      await fixture.shop.becomes(made.data.id, 'SUCCESS')
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, owner, '/balances/BJ')
        await signInAs(page, owner)
        const lines = page.locator('main .cards b')
        await lines.first().waitFor()
        await expect
          .poll(() => lines.allInnerTexts())
          .toEqual(['−1\u00a0500\u00a0FCFA', '+500\u00a0000\u00a0FCFA'])
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'stands in its field as it was typed when one goes back, and chooses no country',
    async () => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, owner, '/payments/new')
        await signInAs(page, owner)
        await page.getByLabel('Customer’s number').fill('+229 01 97 00 00 10')
        await page.locator('main [name=amount]').fill('7500')
        await press(page, 'Continue')
        await page.getByRole('heading', { name: 'Check the payment' }).waitFor()
        await press(page, 'Back')
        await expect.poll(() => page.locator('main [name=amount]').inputValue()).toBe('7500')
        await open(page, owner, '/transfers/new')
        await page.locator('main [name=amount]').fill('7500')
        await expect.poll(() => page.locator('main [name=to_country]').inputValue()).toBe('')
        await press(page, 'Continue')
        await page.getByText('Fill this in.').first().waitFor()
        await page.locator('main [name=to_country]').selectOption('SN')
        await press(page, 'Continue')
        await page.getByRole('heading', { name: 'Check the transfer' }).waitFor()
      })
    },
    patience_ms,
  )

  wholeIt(
    'that is none is said at its field before anything is sent, with room for the sentence',
    async () => {
      const { data: payment } = await fixture.shop.pay({ amount: '5000' })
      await fixture.shop.becomes(payment.id, 'SUCCESS')
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        const sent: string[] = []
        page.on('request', (request) => {
          if (request.method() === 'POST') sent.push(new URL(request.url()).pathname)
        })
        await open(page, owner, `/payments/${payment.id}/refund`)
        await signInAs(page, owner)
        await page.locator('main [name=amount]').fill('deux mille')
        sent.length = 0
        await press(page, 'Continuer')
        await page.getByText('Indiquez un montant, comme 12 500.').first().waitFor()
        await open(page, owner, '/payouts/limits')
        await press(page, 'Fixer une limite')
        await page.locator('main [name=country]').selectOption('BJ')
        await page.locator('main [name=per_day]').fill('beaucoup')
        await press(page, 'Fixer')
        await page.getByText('Indiquez un montant, comme 12 500.').first().waitFor()
        await expectSound(page)
        await open(page, owner, '/links/new')
        await press(page, 'Créer le lien')
        const wrong = page.getByText('Indiquez un montant, comme 12 500.').last()
        await wrong.waitFor()
        // Its title says so too, until the reader is elsewhere.
        await expect.poll(() => page.title()).toMatch(/^Erreur\s: TEST · Nouveau lien/)
        await page.getByRole('link', { name: 'Paiements' }).first().click()
        await expect.poll(() => page.title()).toMatch(/^TEST · Paiements/)
        await page.goBack()
        await press(page, 'Créer le lien')
        await wrong.waitFor()
        expect(sent).toEqual([])
        expect((await wrong.boundingBox())?.width).toBeGreaterThan(300)
      })
    },
    patience_ms,
  )
})

wholeIt(
  'a top-up speaks to the merchant, who pays it',
  async () => {
    const { data, status } = await owner.post('/top-ups/initialize/', {
      ...{ amount: '3000', currency: 'XOF', country: 'BJ', network: 'mtn_bj' },
      phone: '+2290197000010',
    })
    expect(status).toBe(201)
    await fixture.shop.becomes(data.id, 'SUCCESS')
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, owner, `/payments/${data.id}`)
      await signInAs(page, owner)
      await page.getByText('La recharge est arrivée').waitFor()
      expect(await page.locator('main .outcome').innerText()).not.toContain('client')
    })
  },
  patience_ms,
)
