// The lists, filters and searches of a long history, as a browser shows them: each call of a screen
// is answered within its bar. Of ten million rows, without a browser: docs/benchmarks.md.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { countAgain, countDays } from '../../src/reports/series/count-days.ts'
import type { SignedInCaller } from '../harness.ts'
import { crowd } from '../setup/by-the-clock.ts'
import { makePast } from '../setup/past.ts'
import { sized } from '../setup/proof-size.ts'
import { openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { slownessNow } from './pace.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 600_000

/** More than a year, whose last month is the busiest. */
const histories = sized(
  [{ transactions: 3_000, days: 400 }],
  [
    { transactions: 40_000, days: 370, until: new Date(Date.now() - 30 * 86_400_000) },
    { transactions: 60_000, days: 30 },
  ],
)
/** A page of them, each with more in a month than their list reads. */
const links = 25

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  const { merchant_id } = shop
  owner = await app.member({ merchant_id })
  await makePast(app, merchant_id, histories)
  await sellByLinks(merchant_id)
  await app.owner`vacuum analyze`
}, patience_ms)
afterAll(() => fixture?.stop())

/** As if all payments had come by links. */
async function sellByLinks(merchant_id: string): Promise<void> {
  const ids: string[] = []
  for (let nth = 1; nth <= links; nth += 1) {
    const link = { name: `Lien ${nth}`, currency: 'XOF', amount_type: 'FREE' }
    const { status, data, body } = await owner.post('/payment-links/', link)
    expect(status, JSON.stringify(body)).toBe(201)
    ids.push(data.id)
  }
  await fixture.app.owner`
    update transactions t
       set payment_link = (${ids}::uuid[])[1 + abs(hashtext(t.id::text)) % ${links}]
     where merchant_id = ${merchant_id} and transaction_type = 'PAIEMENT'`
  await countAgain(fixture.app.owner, merchant_id)
  const job = countDays({ db: fixture.app.service.db })
  while ((await job.run({ signal: new AbortController().signal })) === 'more');
}

const backed = (of: number) => new Date(Date.now() - of * 86_400_000).toISOString().slice(0, 10)

const screens = sized(
  ['', '/payments', '/links'],
  [
    ...['', '/payments', '/payments?status=FAILED', '/payments?network=mtn_bj', '/payouts'],
    ...[`/payments?from=${backed(360)}&to=${backed(300)}`, '/payments?search=Aminata'],
    ...['/balances/BJ', '/balances/BJ?kind=REFUND', '/customers', '/customers?search=Kofi'],
    ...['/links', '/search?q=Aminata', '/reports', `/reports?date=${backed(200)}`],
    ...['/reports/series', `/reports/series?from=${backed(360)}&step=month`],
    ...['/reports/series?group_by=payment_link', '/reports/series?step=hour'],
  ],
)

/** From the call to its last byte; today at a glance is on Home, which is opened most. */
const bars = { call_ms: 150, overview_ms: 50 } as const
const barOf = (name: string): number =>
  name.includes(' /overview/') ? bars.overview_ms : bars.call_ms
const times = 3
/** To Home, each time that it is opened. */
const returns = 4

type Call = Readonly<{ path: string; took_ms: number }>

/** What the page has asked for since it was opened, in order, by the browser's own clock. */
const callsOf = (page: Page): Promise<Call[]> =>
  page.evaluate(`performance.getEntriesByType('resource')
    .map(({ name, requestStart, responseEnd }) =>
      ({ path: name.split('/api/v1')[1] ?? '', took_ms: responseEnd - requestStart }))
    .filter(({ path }) => path !== '' && !path.startsWith('/events/stream/'))`)

const settled = (page: Page) => comesToRest(page)

/** Opens the screen, and of a long list two pages more. */
async function leaf(page: Page, path: string): Promise<Call[]> {
  await openFor(page, fixture.app.url, owner.merchant_id, path)
  await settled(page)
  const older = page.locator('main').getByRole('button', { name: 'Older ›', exact: true })
  for (let nth = 0; nth < 2 && (await older.count()) > 0; nth += 1) {
    await older.click()
    await settled(page)
  }
  expect(await page.locator('main [role=alert]').count(), path).toBe(0)
  // As Home opens, the page's own files are run beside it on the service's cores, and the service
  // has just begun: it is come back to as well.
  for (let nth = 0; path === '' && nth < returns; nth += 1) {
    await page.locator('nav.menu').getByRole('link', { name: 'Reports', exact: true }).click()
    await settled(page)
    await page.goBack()
    await settled(page)
  }
  return callsOf(page)
}

it(
  'each call of a screen is answered within its bar, and its pages can be leafed through',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      // Its one call lasts as long as the screen, whose network would never be idle.
      await page.route('**/events/stream/**', (route) => route.fulfill({ status: 502 }))
      await openFor(page, fixture.app.url, owner.merchant_id, '/payments')
      await signInAs(page, owner)
      await expect.poll(() => page.locator('main tbody tr').count()).toBe(25)
      // Others only ever add to what a call takes: the best of some counts.
      const best = new Map<string, number>()
      for (let nth = 0; nth < times; nth += 1) {
        for (const screen of screens) {
          for (const { path, took_ms } of await leaf(page, screen)) {
            const name = `${screen || '/'} ${path.replace(/cursor=[^&]+/, 'cursor=…')}`
            best.set(name, Math.min(best.get(name) ?? took_ms, took_ms))
          }
        }
      }
      const sorted = [...best].sort(([, one], [, other]) => other - one)
      const slowest = sorted.slice(0, 5).map(([name, ms]) => `${ms.toFixed(0)} ms ${name}`)
      console.log(`${best.size} calls, the slowest: ${slowest.join('; ')}`)
      const slow = Math.max(crowd(), slownessNow())
      const late = sorted.filter(([name, ms]) => ms > barOf(name) * slow)
      expect(late).toEqual([])
    })
  },
  patience_ms,
)
