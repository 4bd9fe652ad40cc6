// What must not be done is said where one would do it: an outcome that nobody knows, and what people
// look into, say so in every list; what failed leads on, from there too.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { confirm, confirmed, propose, receive, refused } from '../setup/incidents.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
/** Ids by what became of them. */
let made: Readonly<
  Record<
    | 'unknown'
    | 'otherwise'
    | 'failed'
    | 'reversed'
    | 'lost'
    | 'late'
    | 'unpaid'
    | 'lent'
    | 'booked',
    string
  >
>
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  const payIn = async (magic: string, amount: string) =>
    (await shop.pay({ amount, customer: newPayer(magic) })).data.id as string
  const payOut = async (magic: string, amount: string) => {
    const body = { amount, currency: 'XOF', country: 'BJ', method: 'mtn_bj' }
    const recipient = { msisdn: newPayer(magic).phone }
    return (await owner.post('/payouts/initialize/', { ...body, recipient })).data.id as string
  }
  const others = {
    otherwise: await payIn('01', '4200'),
    failed: await payIn('01', '4300'),
    reversed: await payIn('10', '4400'),
    lent: await payIn('10', '4500'),
    booked: await payIn('01', '4600'),
    late: await payOut('03', '5200'),
    unpaid: await payOut('01', '5300'),
  }
  made = {
    ...others,
    unknown: await neverAsked(payIn('05', '4100')),
    lost: await neverAsked(payOut('05', '5100')),
  }
  for (const one of ['otherwise', 'failed', 'late', 'unpaid', 'booked'] as const) {
    await shop.becomes(made[one], 'FAILED')
  }
  for (const one of ['reversed', 'lent'] as const) await shop.becomes(made[one], 'SUCCESS')
  // What operators say after they have said the contrary.
  await says(made.otherwise, confirmed(399_000n))
  await says(made.late, confirmed(520_000n))
  await says(made.reversed, refused)
  // And what two people have decided since.
  await says(made.lent, refused)
  await decided(made.lent, 'WRITE_OFF')
  await says(made.booked, confirmed(450_000n))
  await decided(made.booked, 'CREDIT_MERCHANT')
}, patience_ms)
afterAll(() => fixture?.stop())

/** Its operator is not asked until the lists have been read. */
async function neverAsked(making: Promise<string>): Promise<string> {
  const id = await making
  await fixture.app.owner`
    update attempts set due_at = now() + interval '1 hour' where transaction_id = ${id}`
  const { data } = await fixture.shop.get(`/transactions/${id}/`)
  expect(data).toMatchObject({ status: 'PENDING', outcome_unknown: true })
  return id
}

async function says(id: string, answer: Parameters<typeof receive>[2]): Promise<void> {
  const { app, shop } = fixture
  const { data } = await shop.get(`/transactions/${id}/`)
  await receive(app, { shop, attempt_id: data.attempts[0].id }, answer)
  const { incident } = (await shop.get(`/transactions/${id}/`)).data
  expect(incident).toMatchObject({ status: 'OPEN' })
}

async function decided(id: string, resolution: string): Promise<void> {
  const { app } = fixture
  const [incident] = await app.owner`select id, amount from incidents where transaction_id = ${id}`
  await propose(await app.staff({ role: 'FINANCE' }), incident, resolution)
  const done = await confirm(await app.staff({ role: 'OPERATIONS' }), incident, resolution)
  expect(done.data).toMatchObject({ status: 'RESOLVED' })
}

async function open(page: Page, path: string, first = false): Promise<void> {
  await openFor(page, fixture.app.url, owner.merchant_id, path)
  if (first) await signInAs(page, owner)
  await comesToRest(page)
}

const sumOf = (sum: string, language: 'en' | 'fr') =>
  language === 'en' ? `FCFA\u00a0${sum}` : `${sum.replace(',', '\u00a0')}\u00a0FCFA`

/** The row, or the card, of that sum. */
const rowOf = (page: Page, sum: string, language: 'en' | 'fr') =>
  page.locator('main tbody tr, main .cards > li').filter({ hasText: sumOf(sum, language) })

const statusOf = (page: Page, sum: string, language: 'en' | 'fr') =>
  rowOf(page, sum, language).locator('.status').innerText()

it(
  'of payments: not to be asked for again, and being looked into; only one that failed leads on',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/payments', true)
      expect(await statusOf(page, '4,100', 'en')).toBe('Outcome unknown')
      await rowOf(page, '4,100', 'en').getByText('Do not ask the customer to pay again').waitFor()
      expect(await statusOf(page, '4,200', 'en')).toBe('Being checked')
      expect(await statusOf(page, '4,300', 'en')).toBe('Failed')
      expect(await statusOf(page, '4,400', 'en')).toBe('Being checked')
      for (const sum of ['4,200', '4,400']) {
        await rowOf(page, sum, 'en').getByText('Wait for their decision before you act').waitFor()
      }
      const again = page.getByRole('link', { name: /^Ask for the payment again/ })
      expect(await again.count()).toBe(1)
      expect(await again.getAttribute('href')).toContain(made.failed)
      await expectSound(page)
      // Where Home leads to, each says what the filter is called.
      await open(page, '/payments?status=UNKNOWN')
      expect(await page.locator('main tbody .status').allInnerTexts()).toEqual(['Outcome unknown'])
      // Its page offers no more than the list.
      await open(page, `/payments/${made.otherwise}`)
      await page.getByText('Wait for their decision before you act.').waitFor()
      expect(await page.locator('.outcome .status').innerText()).toBe('Being checked')
      expect(await page.getByRole('button', { name: 'Ask for the payment again' }).count()).toBe(0)
      await expectSound(page)
      await open(page, `/payments/${made.reversed}`)
      const refund = page.getByRole('button', { name: 'Refund' })
      expect(await refund.getAttribute('aria-disabled')).toBe('true')
      await expectSound(page)
      // What people have decided goes on barring what the API refuses.
      await open(page, `/payments/${made.lent}`)
      expect(await page.locator('.outcome .status').innerText()).toBe('Paid')
      expect(await refund.getAttribute('aria-disabled')).toBe('true')
      await page.getByText('The operator took this payment back').waitFor()
      await open(page, `/payments/${made.lent}/refund`)
      await page.getByText('The operator took this payment back').waitFor()
      await open(page, `/payments/${made.booked}`)
      await page.getByText('Another amount came for this payment and was booked').waitFor()
      expect(await page.getByRole('button', { name: 'Ask for the payment again' }).count()).toBe(0)
      await expectSound(page)
    })
  },
  patience_ms,
)

wholeIt(
  'of payouts, on a telephone: those that failed in a tab of their own, each leading to a new one',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/payouts', true)
      expect(await statusOf(page, '5,100', 'fr')).toBe('Issue inconnue')
      await rowOf(page, '5,100', 'fr').getByText('Ne refaites pas ce versement').waitFor()
      expect(await statusOf(page, '5,200', 'fr')).toBe('En vérification')
      await rowOf(page, '5,200', 'fr').getByText('Attendez sa décision avant d’agir').waitFor()
      await expectSound(page)
      const tabs = page.getByRole('navigation', { name: 'Versements' })
      await tabs.getByRole('link', { name: 'Échoués' }).click()
      await expect.poll(() => page.url()).toMatch(/\/payouts\?status=FAILED$/)
      await comesToRest(page)
      const current = tabs.locator('[aria-current=page]')
      expect(await current.allInnerTexts()).toEqual(['Échoués'])
      expect(await rowOf(page, '5,100', 'fr').count()).toBe(0)
      await expectSound(page)
      const again = page.getByRole('link', { name: /^Verser à nouveau/ })
      expect(await again.count()).toBe(1)
      await again.click()
      await expect.poll(() => page.url()).toContain(`/payouts/new?again=${made.unpaid}`)
      await open(page, `/payouts/${made.late}`)
      await page.getByText('Attendez sa décision avant d’agir').waitFor()
      expect(await page.getByRole('link', { name: 'Verser à nouveau' }).count()).toBe(0)
      await open(page, `/payouts/${made.unpaid}`)
      await page.getByRole('link', { name: 'Verser à nouveau' }).waitFor()
    })
  },
  patience_ms,
)

wholeIt(
  'of Home, of a customer and of what a search finds',
  async () => {
    const { data } = await owner.get(`/transactions/${made.unknown}/`)
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await open(page, '', true)
      await rowOf(page, '4,100', 'en').getByText('Outcome unknown').waitFor()
      await rowOf(page, '4,100', 'en').getByText('Do not ask the customer to pay again').waitFor()
      await open(page, `/customers/${data.customer}`)
      expect(await statusOf(page, '4,100', 'en')).toBe('Outcome unknown')
      await rowOf(page, '4,100', 'en').getByText('Do not ask the customer to pay again').waitFor()
      await expectSound(page)
      await open(page, '/search?q=229')
      expect(await statusOf(page, '5,100', 'en')).toBe('Outcome unknown')
      await rowOf(page, '5,100', 'en').getByText('Do not make this payout again').waitFor()
      expect(await statusOf(page, '5,200', 'en')).toBe('Being checked')
      await rowOf(page, '5,200', 'en').getByText('Wait for their decision before you act').waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)
