// Why payments failed, as bars: each chart says of which currency it is where several have the same
// cause, what succeeded afterwards is told in words, and nothing there is said to have succeeded.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

async function fails(changes: Record<string, unknown>): Promise<string> {
  const made = await fixture.shop.pay(changes)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  await fixture.shop.becomes(made.data.id, 'FAILED')
  return made.data.id
}

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await fails({ customer: newPayer('01') })
  const customer = { phone: '+237670000001' }
  await fails({ country: 'CM', network: 'mtn_cm', currency: 'XAF', customer })
  const later = await fails({ customer: newPayer('02') })
  // As its later success leaves it.
  await app.owner`
    update attempts set failure_code = '', failure_message = '' where transaction_id = ${later}`
}, patience_ms)
afterAll(() => fixture?.stop())

const seen = [
  {
    visitor: { language: 'fr', width: 320 },
    some: [/\. Échecs en XOF : 1$/, /\. Échecs en XAF : 1$/],
    first: 'Échec d’abord, réussite ensuite. Échecs : 1',
    note: 'Opérations qui ont échoué ; la journée commence à minuit (UTC).',
    wrong: 'Opérations réussies',
  },
  {
    visitor: { language: 'en', width: 1280 },
    some: [/\. Failures in XOF: 1$/, /\. Failures in XAF: 1$/],
    first: 'Failed first, succeeded afterwards. Failures: 1',
    note: 'Operations that failed; the day begins at midnight (UTC).',
    wrong: 'Operations that succeeded',
  },
] as const

it.each(seen)(
  'each chart is of one cause in one currency: $visitor.language, $visitor.width wide',
  async ({ visitor, some, first, note, wrong }) => {
    const { app, shop } = fixture
    await fixture.visit(visitor, async (page) => {
      await openFor(page, app.url, shop.merchant_id, '/reports/series?group_by=failure_code')
      await signInAs(page, owner)
      await page.locator('main figcaption').first().waitFor()
      const names = (await page.locator('main figcaption').allInnerTexts()).map(plain)
      expect(names).toHaveLength(3)
      expect(names).toContain(first)
      for (const one of some) expect(names.filter((name) => one.test(name))).toHaveLength(1)
      const text = plain(await page.locator('main').innerText())
      expect(text).toContain(note)
      expect(text).not.toContain(wrong)
      await expectSound(page)
    })
  },
  patience_ms,
)

const plain = (text: string): string => text.replaceAll('\u00a0', ' ').trim()
