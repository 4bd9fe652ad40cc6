// The good end of what a merchant moved, on the screen that is left open: a transfer that staff
// approve, and a settlement that reaches a telephone.

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Json, SignedInCaller } from '../harness.ts'
import { plantPhone } from '../setup/settling.ts'
import { approve, transfer } from '../setup/transfers.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
let finance: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  finance = await app.staff({ role: 'FINANCE' })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '100000' })
}, patience_ms)
afterAll(() => fixture?.stop())

async function made(path: string, body: object): Promise<Json> {
  const { status, body: answer, data } = await owner.post(path, body)
  expect(status, JSON.stringify(answer)).toBe(201)
  return data
}

it(
  'a transfer, once it is approved',
  async () => {
    const { id } = await made('/wallet-transfers/', transfer())
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, `/transfers/${id}`)
      await signInAs(page, owner)
      await page.getByText('Notre équipe doit approuver ce transfert.').waitFor()
      await expectSound(page)
      expect((await approve(finance, id)).status).toBe(200)
      await page.reload()
      await page.getByText('Le transfert est fait.').waitFor()
      await page.locator('.outcome').getByText('Transféré').waitFor()
      const { data } = await owner.get(`/wallet-transfers/${id}/`)
      const facts = await page.locator('main dl').allInnerTexts()
      expect(facts.join()).toContain('Terminé')
      expect([data.status, data.completed_at !== null]).toEqual(['SUCCESS', true])
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'a settlement to a telephone, without anybody loading the page anew',
  async () => {
    const { app, shop } = fixture
    const payout_method = await plantPhone(app, shop.merchant_id)
    const { id } = await made('/settlements/', {
      ...{ country: 'BJ', requested_amount: '10000', payout_method },
    })
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, app.url, owner.merchant_id, `/settlements/${id}`)
      await signInAs(page, owner)
      await page.getByText('À venir').first().waitFor()
      const approved = await finance.post(`/admin/settlements/${id}/approve/`, {})
      expect(approved.status, JSON.stringify(approved.body)).toBe(200)
      await page.locator('.outcome').getByText('Réglé').waitFor({ timeout: 60_000 })
      await page.getByText('Arrivé').first().waitFor()
      expect((await owner.get(`/settlements/${id}/`)).data.status).toBe('SUCCESS')
      await expectSound(page)
    })
  },
  patience_ms,
)
