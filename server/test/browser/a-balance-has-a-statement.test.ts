// A balance for a month as one is given it by a bank: what it began with, each movement, what it ended
// with, all from the server; a month that has more than fit says so and offers the file.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeDecimal } from '../../src/pages/write-values.ts'
import type { Json, SignedInCaller } from '../harness.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
let other: SignedInCaller
const patience_ms = 120_000
const page_max = 200

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  for (const amount of ['5000', '700', '90']) await fund(amount)
  // The first before the month, the second in it, the third after it.
  await fixture.app.owner`
    update ledger_entries e
       set created_at = (date_trunc('month', now() at time zone 'UTC') at time zone 'UTC')
                        + (case e.entry_no when 1 then interval '-40 days'
                                           when 2 then interval '-3 days'
                                           else interval '1 second' end)
     where e.merchant_id = ${owner.merchant_id} and e.entry_no is not null`
}, patience_ms)
afterAll(() => fixture?.stop())

const fund = (amount: string) => owner.post('/sandbox/balances/', { country: 'BJ', amount })
const money = (decimal: string) => writeDecimal(decimal, 'XOF', 'fr')

/** `2026-10`, so many months before this one. */
function monthOf(before: number): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - before, 1))
    .toISOString()
    .slice(0, 7)
}

it(
  'a month with what it began and ended with, on a telephone, and the months beside it',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/balances/BJ')
      await signInAs(page, owner)
      await page.getByRole('link', { name: 'Relevé d’un mois, à imprimer' }).click()
      await heading(page, /^Relevé/)
      const facts = () => page.locator('main dl').innerText()
      await expect.poll(facts).toContain(money('5700.00'))
      expect(await facts()).toContain(money('5000.00'))
      const cards = page.locator('main .cards > li')
      await expect.poll(() => cards.count()).toBe(1)
      await expect.poll(() => cards.innerText()).toContain(`+${money('700.00')}`)
      await expectSound(page)

      await press(page, 'Mois suivant')
      await page.getByText('Ce mois n’est pas terminé').waitFor()
      await expect.poll(facts).toContain(money('5790.00'))
      expect(new URL(page.url()).searchParams.get('month')).toBe(monthOf(0))
      await press(page, 'Mois précédent')
      await press(page, 'Mois précédent')
      await expect.poll(() => new URL(page.url()).searchParams.get('month')).toBe(monthOf(2))
    })
  },
  patience_ms,
)

it(
  'a month ends with what the balance held, whichever movement began first',
  async () => {
    const { app } = fixture
    other = await app.member()
    for (const amount of ['5000', '700', '90']) {
      await other.post('/sandbox/balances/', { country: 'BJ', amount })
    }
    // The third had waited for the second, which began after it.
    await app.owner`
      update ledger_entries e
         set created_at = (date_trunc('month', now() at time zone 'UTC') at time zone 'UTC')
                          + (case e.entry_no when 1 then interval '-40 days'
                                             when 2 then interval '-3 days'
                                             else interval '-3 days -10 milliseconds' end)
       where e.merchant_id = ${other.merchant_id} and e.entry_no is not null`
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, app.url, other.merchant_id, '/balances/BJ/statement')
      await signInAs(page, other)
      await heading(page, /^Relevé/)
      const facts = () => page.locator('main dl').first().innerText()
      await expect.poll(facts).toContain(money('5790.00'))
      expect(await facts()).toContain(money('5000.00'))
      expect(await page.locator('main .cards > li').count()).toBe(2)
      await press(page, 'Mois suivant')
      await page.getByText('Ce mois n’est pas terminé').waitFor()
      await expect.poll(facts).not.toContain(money('5700.00'))
      expect((await facts()).split(money('5790.00'))).toHaveLength(3)
    })
  },
  patience_ms,
)

const entries = '**/merchant-ledger-entries/?*'

it(
  'a month of several pages is read on when asked, and printed whole',
  async () => {
    await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
      await page.clock.install()
      // Real pages, of one movement each.
      await page.route(entries, (route) => {
        const url = route.request().url().replace(`page_size=${page_max}`, 'page_size=1')
        return route.continue({ url })
      })
      const path = `/balances/BJ/statement?month=${monthOf(1)}`
      await openFor(page, fixture.app.url, other.merchant_id, path)
      await signInAs(page, other)
      await page
        .getByText('Mouvements lus pour l’instant : 1. Ce mois en compte davantage.')
        .waitFor()
      const rows = page.locator('main tbody tr')
      expect([await rows.count(), await page.getByText('Imprimer').count()]).toEqual([0, 0])
      await expectSound(page)
      await press(page, 'Tout afficher')
      await expect.poll(() => rows.count()).toBe(2)
      // The oldest first.
      expect(await rows.first().innerText()).toContain(money('90.00'))
      expect(await rows.last().innerText()).toContain(money('700.00'))
      await page.getByRole('button', { name: 'Imprimer' }).waitFor()
      // What moves meanwhile takes nothing from what is read, and is said.
      const { app } = fixture
      await other.post('/sandbox/balances/', { country: 'BJ', amount: '40' })
      await app.owner`
        update ledger_entries
           set created_at = (date_trunc('month', now() at time zone 'UTC') at time zone 'UTC')
                              - interval '1 day'
         where merchant_id = ${other.merchant_id} and amount = 4000`
      await page.clock.fastForward('01:00')
      await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
      await page.getByText('Il y a eu des mouvements depuis.').waitFor()
      expect(await rows.count()).toBe(2)
      await press(page, 'Tout afficher')
      await expect.poll(() => rows.count()).toBe(3)
    })
  },
  patience_ms,
)

it(
  'a month of more than a page can show says so, prints none of it, and offers the file',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      let asked = 0
      // As the API answers it where there is always a next page, each a full one.
      await page.route(entries, async (route) => {
        const url = route.request().url()
        const answer = await route.fetch({ url: url.replace(/&cursor=\d+/, '') })
        const { results, ...body }: Json = await answer.json()
        if (!url.includes(`page_size=${page_max}`)) {
          return route.fulfill({ response: answer, json: { results, ...body } })
        }
        asked += 1
        const full = Array.from({ length: page_max }, (_, at) => ({
          ...results[0],
          id: `${asked} ${at}`,
        }))
        const next = `${fixture.app.url}/api/v1/merchant-ledger-entries/?cursor=${asked}`
        return route.fulfill({ response: answer, json: { ...body, results: full, next } })
      })
      await openFor(page, fixture.app.url, owner.merchant_id, '/balances/BJ/statement')
      await signInAs(page, owner)
      await page.getByText('Movements read so far: 200. This month has more.').waitFor()
      await press(page, 'Show all of them')
      await page.getByText('Movements read: 5000. This month has more').waitFor()
      expect(asked).toBe(5_000 / page_max)
      expect(await page.locator('main tbody tr').count()).toBe(0)
      expect(await page.getByRole('button', { name: 'Print' }).count()).toBe(0)
      expect(await page.getByRole('button', { name: 'Show all of them' }).count()).toBe(0)
      await page.getByText('Save the list', { exact: true }).click()
      await page.getByText(/^The file has only: Benin · /).waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)
