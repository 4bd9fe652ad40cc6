// What a shop hands to its customers can be paid: a link that is off, over, used up or without a sum
// says why in place of what shares it, and what is sent by one whose payer chooses is a sentence.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, SignedInCaller } from '../harness.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

const change = (path: string, body: object) =>
  owner.call('PATCH', path, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  const { status } = await change('/merchant/', { branding: { name: 'Chez Awa' } })
  expect(status).toBe(200)
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)

async function make(changes: object = {}): Promise<Json> {
  const body = { name: 'Dons', currency: 'XOF', amount: '2500', ...changes }
  const { status, data } = await owner.post('/payment-links/', body)
  expect(status).toBe(201)
  return data
}

const whatsApp = (page: Page) => page.getByRole('link', { name: 'WhatsApp' })

/** The text that each of its two ways hands on. */
async function sentBy(page: Page): Promise<string> {
  const href = (await whatsApp(page).getAttribute('href')) ?? ''
  const sms = (await page.getByRole('link', { name: 'SMS' }).getAttribute('href')) ?? ''
  const text = new URL(href).searchParams.get('text') ?? ''
  expect(decodeURIComponent(sms.replace('sms:?&body=', ''))).toBe(text)
  return text.replaceAll('\u00a0', ' ')
}

describe('a link', () => {
  it(
    'is sent with a sentence that names its sum as it is, and the shop as customers know it',
    async () => {
      const free = { amount_type: 'FREE', amount: null }
      const each = [
        [await make(), '2 500 FCFA'],
        [await make(free), 'montant de votre choix'],
        [await make({ ...free, min_amount: '500' }), 'à partir de 500 FCFA'],
      ] as const
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/links')
        await signInAs(page, owner)
        for (const [link, sum] of each) {
          await open(page, `/links/${link.id}`)
          const text = `Chez Awa : Dons, ${sum}. Payez ici : ${link.url}`
          await expect.poll(() => sentBy(page)).toBe(text)
        }
      })
    },
    patience_ms,
  )

  it(
    'that nobody can pay by is not handed out, says why, and is shared again once it is on',
    async () => {
      const [off, over, used, bare] = [await make(), await make(), await make(), await make()]
      await change(`/payment-links/${off.id}/`, { is_active: false })
      await change(`/payment-links/${bare.id}/`, { amount: null })
      await fixture.app.owner`
        update payment_links set expires_at = now() - interval '1 minute' where id = ${over.id}`
      await fixture.app.owner`
        update payment_links set usage_limit = 1, usage_count = 1 where id = ${used.id}`
      const each = [
        [over, 'Ce lien a pris fin'],
        [used, 'Ce lien a été payé autant de fois que prévu'],
        [bare, 'Ce lien n’a pas encore de montant'],
        [off, 'Ce lien est désactivé : personne ne peut le payer.'],
      ] as const
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/links')
        await signInAs(page, owner)
        for (const [link, why] of each) {
          await open(page, `/links/${link.id}`)
          await page.getByText(why).waitFor()
          await page.locator('.address a').waitFor()
          expect(await whatsApp(page).count(), why).toBe(0)
          expect(await page.getByText('À montrer ou à imprimer').count(), why).toBe(0)
          expect(await page.getByRole('button', { name: 'Copier l’adresse' }).count(), why).toBe(0)
          await expectSound(page)
        }
        await press(page, 'Réactiver le lien')
        await whatsApp(page).waitFor()
        await page.getByText('À montrer ou à imprimer').waitFor()
        expect(await page.getByText('Ce lien est désactivé').count()).toBe(0)
        await expectSound(page)
      })
    },
    patience_ms,
  )
})
