// Whoever opens the address sees what is so: in two tabs, after a lost connection, when it is over.
// And however often somebody presses, they pay once.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, payer } from '../harness.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { chooseCountry, fillIn, heading, pay } from './hands.ts'

let fixture: BrowserFixture
let open: BrowserFixture['open']
let visit: BrowserFixture['visit']
const patience_ms = 90_000

beforeAll(async () => {
  fixture = await startFixture()
  open = fixture.open
  visit = fixture.visit
})
afterAll(() => fixture.stop())

const waiting = 'Confirmez sur votre téléphone'
const paid = 'Paiement réussi'
const both: readonly boolean[] = [true, false]
/** With scripts and without; in a small run one story of two is played with them. */
const ways = (story: number) => sized([story % 2 === 0], both)

describe('one payment', () => {
  it.concurrent.each(ways(0))(
    'comes of two tabs that pay at once: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'BJ' })
      await visit({ scripts }, async (page) => {
        const tabs = [page, await page.context().newPage()]
        for (const tab of tabs) {
          await tab.goto(session.checkout_url)
          await fillIn(tab, { network: 'mtn_bj', magic: '04' })
        }
        await Promise.all(tabs.map((tab) => tab.locator('#pay').click()))
        await Promise.all(tabs.map((tab) => heading(tab, waiting)))
        await fixture.resolve(session, 'SUCCESS')
        await Promise.all(tabs.map((tab) => heading(tab, paid)))
      })
      expect(await fixture.transactionsOf(session)).toMatchObject([{ status: 'SUCCESS' }])
    },
    patience_ms,
  )

  wholeIt.concurrent.each(ways(1))(
    'comes of a double click: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'BJ' })
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        await fillIn(page, { network: 'mtn_bj', magic: '04' })
        await page.locator('#pay').dblclick()
        await heading(page, waiting)
      })
      expect(await fixture.transactionsOf(session)).toMatchObject([{ status: 'PENDING' }])
    },
    patience_ms,
  )

  wholeIt.concurrent(
    'is not sent again by going back, or by asking for the page again',
    async () => {
      const session = await open({ country: 'BJ' })
      await visit({}, async (page) => {
        await page.goto(session.checkout_url)
        await pay(page, { network: 'mtn_bj', magic: '04' })
        await heading(page, waiting)
        await page.reload()
        await heading(page, waiting)
        await page.goBack()
        await heading(page, waiting)
      })
      expect(await fixture.transactionsOf(session)).toHaveLength(1)
    },
    patience_ms,
  )
})

describe('a tab that was closed', () => {
  it.concurrent.each(ways(2))(
    'loses nothing: scripts %s',
    async (scripts) => {
      const session = await open({ country: 'BJ' })
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        await pay(page, { network: 'mtn_bj', magic: '04' })
        await heading(page, waiting)
      })
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        await heading(page, waiting)
      })
      await fixture.resolve(session, 'SUCCESS')
      await visit({ scripts }, async (page) => {
        await page.goto(session.checkout_url)
        await heading(page, paid)
      })
    },
    patience_ms,
  )

  wholeIt.concurrent(
    'hears of the end when its connection comes back',
    async () => {
      const session = await open({ country: 'BJ' })
      await visit({}, async (page) => {
        await page.goto(session.checkout_url)
        await pay(page, { network: 'mtn_bj', magic: '04' })
        await heading(page, waiting)
        await page.context().setOffline(true)
        await fixture.resolve(session, 'SUCCESS')
        // What was open before may still bring the news: the page stays until it can be followed.
        await page.waitForTimeout(1500)
        await heading(page, waiting)
        await page.context().setOffline(false)
        await heading(page, paid)
      })
    },
    patience_ms,
  )
})

describe('an end', () => {
  const says = async (address: string, name: string, status: number, page: Page) => {
    const answer = await page.goto(address)
    expect(answer?.status()).toBe(status)
    await heading(page, name)
    expect(await page.locator('form').count()).toBe(0)
  }

  wholeIt.concurrent(
    'is told: expired, cancelled, unknown, and paid',
    async () => {
      const [expired, cancelled, done] = [await open(), await open(), await open({ country: 'BJ' })]
      await fixture.app.owner`
      update checkout_sessions set expires_at = now() - interval '1 second'
       where id = ${expired.id}`
      await fixture.shop.post(`/checkout-sessions/${cancelled.id}/cancel/`)
      const nowhere = `${fixture.app.url}/checkout/nowhere`
      await visit({}, async (page) => {
        await says(expired.checkout_url, 'Le délai de paiement est dépassé', 410, page)
        await says(cancelled.checkout_url, 'Ce paiement a été annulé', 410, page)
        await says(nowhere, 'Cette page n’existe pas', 404, page)
        await page.goto(done.checkout_url)
        await pay(page, { network: 'mtn_bj' })
        await heading(page, paid)
        await says(done.checkout_url, paid, 200, page)
      })
    },
    patience_ms,
  )

  wholeIt.concurrent(
    'that comes while they fill in the form is told when they send it',
    async () => {
      const session = await open({ country: 'BJ' })
      await visit({ scripts: false, language: 'en' }, async (page) => {
        await page.goto(session.checkout_url)
        await fillIn(page, { network: 'mtn_bj' })
        await fixture.shop.post(`/checkout-sessions/${session.id}/cancel/`)
        await page.locator('#pay').click()
        await heading(page, 'This payment was cancelled')
      })
      expect(await fixture.transactionsOf(session)).toEqual([])
    },
    patience_ms,
  )
})

describe('a link', () => {
  const linked = async (changes: Record<string, unknown>): Promise<Json> => {
    const body = { name: 'Cotisation', currency: 'XOF', amount: '5000', ...changes }
    const { status, data, error } = await fixture.shop.post('/payment-links/', body)
    expect(status, JSON.stringify(error)).toBe(201)
    return data
  }
  const introduce = async (page: Page) => {
    await page.locator('#about-you summary').click()
    await page.getByLabel('Prénom').fill('Awa')
    await page.getByLabel('Nom', { exact: true }).fill('Diop')
    await page.getByLabel('Votre adresse e-mail').fill('awa@example.com')
  }
  const choose = async (page: Page) => {
    await chooseCountry(page, 'BJ')
    await pay(page, { network: 'mtn_bj' })
    await heading(page, paid)
  }

  it.concurrent.each(ways(3))(
    'of a fixed amount is paid, and paid again by the next: scripts %s',
    async (scripts) => {
      const link = await linked({})
      for (const width of [320, 1280] as const) {
        await visit({ scripts, width }, async (page) => {
          await page.goto(link.url)
          await heading(page, 'Payer 5 000 FCFA')
          await introduce(page)
          await page.getByRole('button', { name: 'Continuer' }).click()
          await page.waitForURL(`${fixture.app.url}/checkout/*`)
          await choose(page)
        })
      }
      const { data } = await fixture.shop.get(`/payment-links/${link.id}/`)
      expect(data.usage_count).toBe(2)
    },
    patience_ms,
  )

  wholeIt.concurrent.each(ways(4))(
    'of a free amount takes what the payer says, not below its floor: scripts %s',
    async (scripts) => {
      const link = await linked({ amount_type: 'FREE', amount: null, min_amount: '1000' })
      await visit({ scripts }, async (page) => {
        await page.goto(link.url)
        await introduce(page)
        await page.getByLabel('Montant à payer, en FCFA').fill('999')
        await page.getByRole('button', { name: 'Continuer' }).click()
        await page.locator('#errors').getByText('Entrez au moins 1\u00a0000\u00a0FCFA.').waitFor()
        expect(await page.getByLabel('Prénom').inputValue()).toBe('Awa')
        await page.getByLabel('Montant à payer, en FCFA').fill('2 500')
        await page.getByRole('button', { name: 'Continuer' }).click()
        await heading(page, 'Payer 2 500 FCFA')
        await choose(page)
      })
    },
    patience_ms,
  )

  wholeIt.concurrent(
    'that takes no payment says so',
    async () => {
      const nameless = await linked({ amount: null })
      const off = await linked({ is_active: false })
      const once = await linked({ usage_limit: 1 })
      await visit({ language: 'en' }, async (page) => {
        await page.goto(nameless.url)
        await heading(page, 'This link is not ready')
        await page.goto(off.url)
        await heading(page, 'This link is disabled')
      })
      const customer = payer('+2290197000010')
      const opened = await fetch(
        `${fixture.app.url}/api/v1/payment-links/public/${once.slug}/checkout/`,
        {
          method: 'POST',
          body: JSON.stringify({ customer }),
          headers: { 'content-type': 'application/json' },
        },
      )
      const { data }: Json = await opened.json()
      await visit({}, async (page) => {
        await page.goto(data.checkout_url)
        await pay(page, { network: 'mtn_bj' })
        await heading(page, paid)
        await page.goto(once.url)
        await heading(page, 'Ce lien ne peut plus être utilisé')
      })
    },
    patience_ms,
  )
})
