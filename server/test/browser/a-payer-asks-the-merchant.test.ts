// Whom a payer asks, on a small phone (360 × 640): at the foot of the page, of a size that a thumb
// meets, and without taking the place of anything that is needed to pay.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading, pay } from './hands.ts'
import { hiddenOf, overflowOf, runAxe, smallTargets, weigh } from './measure.ts'

let fixture: BrowserFixture
const patience_ms = 90_000

beforeAll(async () => {
  fixture = await startFixture()
  const owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  const contact = {
    site_url: 'https://etablissements-kone-et-freres.example/boutique/cotonou/',
    phone: '+229 01 97 00 00 10',
    whatsapp: '+229 01 97 00 00 10',
    email: 'service-apres-vente@etablissements-kone-et-freres.example',
  }
  const change = { body: JSON.stringify({ contact }), headers }
  expect((await owner.call('PATCH', '/merchant/', change)).status).toBe(200)
}, patience_ms)
afterAll(() => fixture?.stop())

const headers = { 'content-type': 'application/json' }

it.concurrent(
  'the form of three networks is whole above it, and as light as it was',
  async () => {
    const session = await fixture.open({ country: 'BJ', description: 'Commande 1042' })
    await fixture.visit({}, async (page) => {
      const { bytes } = await weigh(page, () => page.goto(session.checkout_url))
      expect(bytes).toBeLessThanOrEqual(6_000)
      const whole = ['h1', '#description', '#fee', '#phone', '.place summary', '.tile', '#pay']
      expect(await hiddenOf(page, whole)).toEqual([])
      expect(await page.locator('#contact a').count()).toBe(4)
      const heights = await page
        .locator('#contact a')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
      expect(Math.min(...heights)).toBeGreaterThanOrEqual(44)
      expect(await smallTargets(page)).toEqual([])
      expect(await runAxe(page)).toEqual([])
    })
    await fixture.visit({ width: 320 }, async (page) => {
      await page.goto(session.checkout_url)
      expect(await overflowOf(page)).toBe(0)
    })
  },
  patience_ms,
)

it.concurrent(
  'where the time is over it is on the first screen',
  async () => {
    const session = await fixture.open({ country: 'BJ' })
    await fixture.app.owner`
      update checkout_sessions set expires_at = now() - interval '1 minute' where id = ${session.id}`
    await fixture.visit({ dark: true }, async (page) => {
      await page.goto(session.checkout_url)
      await heading(page, 'Le délai de paiement est dépassé')
      expect(await hiddenOf(page, ['h1', '#reason', '#contact'])).toEqual([])
      expect(await runAxe(page)).toEqual([])
    })
  },
  patience_ms,
)

it.concurrent(
  'it opens beside the page, and what was typed stays',
  async () => {
    const session = await fixture.open({ country: 'BJ' })
    await fixture.visit({}, async (page) => {
      await page.goto(session.checkout_url)
      await page.locator('#phone').fill('01 97 00 00 10')
      const whatsapp = page.locator('#contact a', { hasText: 'WhatsApp' })
      expect(await whatsapp.getAttribute('target')).toBe('_blank')
      expect(await whatsapp.getAttribute('href')).toBe('https://wa.me/2290197000010')
      expect(await page.locator('#phone').inputValue()).toBe('01 97 00 00 10')
      await pay(page, { network: 'mtn_bj' })
      await heading(page, 'Paiement réussi')
      expect(await page.locator('#contact a').count()).toBe(4)
      // On paper too, and nothing else of the foot.
      await page.emulateMedia({ media: 'print' })
      expect(await page.locator('footer p:visible').count()).toBe(1)
      expect(await page.locator('#contact').isVisible()).toBe(true)
    })
  },
  patience_ms,
)
