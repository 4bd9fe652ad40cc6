// A developer reads on the page of a payment or payout what a program would be answered, and
// whoever has to prove an outcome the hash of what it rests on; a limit shows how far its day is.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
let payment: string
let payout: string
const patience_ms = 120_000
const payer = newPayer('10')

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  payment = (await shop.pay({ customer: payer, amount: '4200' })).data.id
  await shop.becomes(payment, 'SUCCESS')
  const limit = { country: 'BJ', per_day: '100000' }
  expect((await owner.post('/merchant-payout-limits/', limit)).status).toBe(201)
  const made = await owner.post('/payouts/initialize/', {
    ...{ amount: '25000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: payer.phone },
  })
  payout = made.data.id
  await shop.becomes(payout, 'SUCCESS')
}, patience_ms)
afterAll(() => fixture?.stop())

async function open(page: Page, path: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await openFor(page, fixture.app.url, owner.merchant_id, path)
  await signInAs(page, owner)
}

const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')
const unfold = (page: Page, name: string) => page.locator('main summary', { hasText: name }).click()
const answers = 'main .answers'

describe('the answer of the API', () => {
  it.each(['payments', 'payouts'] as const)(
    'stands on the page of one of %s as it came, and its copy is the same',
    async (kind) => {
      const id = kind === 'payments' ? payment : payout
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, `/${kind}/${id}`)
        await unfold(page, 'Answer of the API')
        const text = await page.locator(`${answers} pre`).innerText()
        const { data } = await owner.get(`/transactions/${id}/`)
        expect(JSON.parse(text)).toEqual(data)
        await page.locator(answers).getByRole('button', { name: 'Copy', exact: true }).click()
        await page.getByText('Copied').first().waitFor()
        expect(JSON.parse(await copied(page))).toEqual(data)
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'hides a payer’s number where numbers are hidden',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/payments/${payment}`)
        await page.evaluate(`localStorage.setItem('pirogue-numbers', 'hidden')`)
        await page.reload()
        await unfold(page, 'Réponse de l’API')
        const text = await page.locator(`${answers} pre`).innerText()
        expect(text).toContain('"operation_msisdn"')
        expect(text).not.toContain(payer.phone)
        await expectSound(page)
      })
    },
    patience_ms,
  )
})

it(
  'what an outcome rests on has its hash beside it, as the API has it',
  async () => {
    const { data } = await owner.get(`/transactions/${payment}/evidence/`)
    const hashes = data.evidence.flatMap(({ hash }: { hash: string | null }) => hash ?? [])
    expect(hashes.length).toBeGreaterThan(0)
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, `/payments/${payment}`)
      await unfold(page, 'Sur quoi repose')
      await page.locator(`${answers} code`).first().waitFor()
      await expect.poll(() => page.locator(`${answers} code`).allInnerTexts()).toEqual(hashes)
      await press(page, 'Copier l’empreinte')
      await expect.poll(() => copied(page)).toBe(hashes[0])
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'a limit of a day shows as a bar how much of it is used, in the API’s own figures and in words',
  async () => {
    const { data } = await owner.get('/merchant-payout-limits/')
    const [{ used_today, per_day }] = data.results
    expect([used_today, per_day]).toEqual(['25000.00', '100000.00'])
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await open(page, '/payouts/limits')
      const bar = page.getByRole('meter', { name: 'Counted today (UTC)' })
      await bar.waitFor()
      const drawn = await page.evaluate(
        '(({ value, max }) => [value, max])(document.querySelector("meter"))',
      )
      expect(drawn).toEqual([Number(used_today), Number(per_day)])
      const text = await bar.getAttribute('aria-valuetext')
      expect(text?.replaceAll(/\s/g, ' ')).toBe('FCFA 25,000 of FCFA 100,000')
      expect((await bar.boundingBox())?.width).toBeGreaterThan(120)
      await page.getByText('never asked for').waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'a link that the API made without an amount is not shown as one of any amount',
  async () => {
    const link = { name: 'A bag of rice', country: 'BJ', currency: 'XOF' }
    expect((await owner.post('/payment-links/', link)).status).toBe(201)
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await open(page, '/links')
      await page.getByText('No amount yet').filter({ visible: true }).waitFor()
      expect(await page.getByText('Any amount').count()).toBe(0)
    })
  },
  patience_ms,
)
