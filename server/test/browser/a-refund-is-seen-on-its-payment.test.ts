// A payment that was given back says so wherever it is shown: who answers “you have paid” to
// somebody whose money went back was told wrong. It stays paid; a second word says the rest.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Json, newPayer, type SignedInCaller } from '../harness.ts'
import { paidPayment, refund, refundEnds } from '../setup/refunds.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { cutTexts } from './measure.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
let whole: Json
let part: Json
const patience_ms = 120_000

async function givenBack(amount?: string): Promise<Json> {
  const payment = await paidPayment(fixture.shop, { customer })
  const body = amount === undefined ? {} : { amount }
  const made = await refund(owner, payment, body)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  await refundEnds(owner, made.data.id, 'SUCCESS')
  return payment
}

const customer = newPayer()

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
  whole = await givenBack()
  part = await givenBack('4000')
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)

async function expectFits(page: Page): Promise<void> {
  await expectSound(page)
  expect(await cutTexts(page)).toEqual([])
}

/** The words of each status of the list, row by row. */
const statesIn = async (page: Page, rows: string): Promise<string[]> => {
  await page.locator(`main ${rows} .statuses`).first().waitFor()
  const texts = await page.locator(`main ${rows} .statuses`).allInnerTexts()
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim())
}

const seen = [
  {
    visitor: { language: 'fr', width: 320 },
    rows: '.cards',
    states: ['Payé Remboursé en partie', 'Payé Remboursé'],
    whole: /Le client a payé, puis a été entièrement remboursé : [\d ]+ FCFA\./,
    part: 'Le client a payé, puis a été remboursé en partie : 4 000 FCFA.',
  },
  {
    visitor: { language: 'en', width: 1280 },
    rows: 'table',
    states: ['Paid Partly refunded', 'Paid Refunded'],
    whole: /The customer paid and was refunded in full: FCFA [\d,]+\./,
    part: 'The customer paid and was refunded in part: FCFA 4,000.',
  },
] as const

it.each(seen)(
  'says so in lists and on its own page: $visitor.language, $visitor.width wide',
  async ({ visitor, rows, states, ...sentences }) => {
    await fixture.visit(visitor, async (page) => {
      await open(page, '/payments')
      await signInAs(page, owner)
      expect(await statesIn(page, rows)).toEqual(states)
      await expectFits(page)
      await open(page, `/customers/${whole.customer}`)
      expect(await statesIn(page, '.cards')).toEqual(states)
      await expectFits(page)
      for (const [payment, sentence] of [
        [whole, sentences.whole],
        [part, sentences.part],
      ] as const) {
        await open(page, `/payments/${payment.id}`)
        await expect
          .poll(async () => (await page.locator('.said').innerText()).replaceAll(/\s+/g, ' '))
          .toMatch(sentence)
        await expectFits(page)
      }
    })
  },
  patience_ms,
)
