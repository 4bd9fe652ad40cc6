// What an address narrows a list by is said only where the list is narrowed by it: a value that
// there is not has no chip, is not asked for, stands in no sentence about a file, and goes from the
// address.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { sized } from '../setup/proof-size.ts'
import { plantMethod } from '../setup/settling.ts'
import { openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  const paid = await shop.pay({ customer: newPayer() })
  await shop.becomes(paid.data.id, 'SUCCESS')
  const method = await plantMethod(app, shop.merchant_id)
  const out = { recipient: { msisdn: '+2290197000010' }, method: 'mtn_bj', country: 'BJ' }
  const made = [
    await owner.post(`/payments/${paid.data.id}/refunds/`, { amount: '1000' }),
    await owner.post('/payouts/initialize/', { ...out, amount: '2000', currency: 'XOF' }),
    await owner.post('/settlements/', {
      ...{ country: 'BJ', requested_amount: '10000', payout_method: method },
    }),
    await owner.post('/wallet-transfers/', {
      ...{ from_country: 'BJ', to_country: 'CI', from_amount: '1000' },
    }),
    await owner.post('/payment-links/', { name: 'Rice', currency: 'XOF', amount: '500' }),
  ]
  expect(made.map(({ status }) => status >= 300)).not.toContain(true)
}, patience_ms)
afterAll(() => fixture?.stop())

const whole = 'No filter is on: the file has the whole list.'

/** A list, what its address asks for of which nothing can be, and what its file would have. */
const lists: readonly (readonly [address: string, file: string | undefined])[] = [
  ['/payments?status=PAID&via=ZZ&from=2026-02-30&type=FOO&least=many&customer=ZZ', whole],
  ['/settlements?status=BOGUS&to=ZZ', whole],
  ['/audit?action=zz&actor_kind=ZZ&target_kind=ZZ&actor=ZZ', whole],
  ['/payments?status=HELD&reason=NOPE&country=ZZ&network=zz&currency=ZZZ', whole],
  ['/payouts?status=BOGUS&type=RECHARGE&size=7', whole],
  ['/payments/refunds?status=BOGUS', whole],
  ['/transfers?status=BOGUS&country=ZZ&order=ZZ', whole],
  ['/links?is_active=x', whole],
  ['/checkouts?status=BOGUS&payment_link=ZZ', undefined],
  ['/balances/BJ?kind=ZZ&direction=ZZ', 'The file has only: Benin'],
  ['/reports/series?step=zz&from=abc&group_by=zz&transaction_type=ZZ', undefined],
  ['/developers/deliveries?status=ZZ&answer=9xx&webhook=ZZ&event_type=ZZ', undefined],
  ['/developers/events?since=ZZ&event_type=ZZ', undefined],
]

const chips = (page: Page) =>
  page.locator('main').getByRole('button', { name: /^Remove the filter/ })

/** What the calls of the API ask for; not the address itself, which is a page's. */
function watchCalls(page: Page): { readonly asked: string[] } {
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/api/')) asked.push(search)
  })
  return { asked }
}

it.each(sized(lists.slice(0, 3), lists))(
  'a value that there is not narrows nothing, and nothing says that it does: %s',
  async (address, file) => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/settlements')
      await signInAs(page, owner)
      const { asked } = watchCalls(page)
      const entries = await page.evaluate<number>('history.length')
      await openFor(page, fixture.app.url, owner.merchant_id, address)
      await expect.poll(() => new URL(page.url()).search).toBe('')
      // Mended, not gone away from.
      expect(await page.evaluate<number>('history.length')).toBe(entries + 1)
      if (file !== undefined) {
        await page.getByText('Save the list', { exact: true }).click()
        await page.getByText(file, { exact: true }).waitFor()
      }
      expect(await chips(page).count()).toBe(0)
      const ruled = /=(PAID|BOGUS|NOPE|FOO|9xx|abc|many|2026-02-30)/
      expect(asked.filter((query) => ruled.test(query))).toEqual([])
    })
  },
  patience_ms,
)

it(
  'a reason of what has succeeded is no filter; the others stay, in the file as on the screen',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      const path = '/payments?status=SUCCESS&reason=NOT_APPROVED'
      await openFor(page, fixture.app.url, owner.merchant_id, path)
      await signInAs(page, owner)
      await page.locator('main tbody tr').first().waitFor()
      expect(new URL(page.url()).search).toBe('?status=SUCCESS')
      expect(await chips(page).count()).toBe(1)
      await page.getByText('Save the list', { exact: true }).click()
      await page.getByText(/^The file has only: Succe\w+$/).waitFor()
    })
  },
  patience_ms,
)

it(
  'a country and a network are ruled out once the list of networks is there, not before',
  async () => {
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      const route = '**/networks/**'
      await page.route(route, () => undefined)
      const path = '/payments?country=CI&network=zz'
      await openFor(page, fixture.app.url, owner.merchant_id, path)
      await signInAs(page, owner)
      await page.getByText('Nothing matches these filters.').waitFor()
      await expect.poll(() => chips(page).count()).toBe(2)
      await page.unroute(route)
      await page.reload()
      await expect.poll(() => new URL(page.url()).search).toBe('?country=CI')
      await expect.poll(() => chips(page).count()).toBe(1)
    })
  },
  patience_ms,
)
