// A network of the shop's own country that does not answer is seen on Home, in a line that leads to
// all networks, and there; when it works again both are quiet. Another country's is on no Home.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { cutTexts } from './measure.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  const { merchant_id } = fixture.shop
  await fixture.app.owner`update merchants set country = 'BJ' where id = ${merchant_id}`
  owner = await fixture.app.member({ merchant_id })
  await fixture.app.owner`update routes set breaker = true`
}, patience_ms)
afterAll(() => fixture?.stop())

/** For ten minutes no payment by it has been answered. */
const breakDown = (network: string) => fixture.app.owner`
  insert into route_health (route_id, turned_at, broken_since, skip_until)
  select r.id, now(), now() - interval '10 minutes', now() + interval '1 hour'
    from routes r join networks n on n.id = r.network_id
   where n.code = ${network} and r.direction = 'COLLECT'
  on conflict (route_id) do update set broken_since = excluded.broken_since`

const mend = () => fixture.app.owner`update route_health set broken_since = null`

/** Rows of a few seconds ago are served while new ones are read. */
async function isShown(page: Page, text: RegExp, is: boolean): Promise<void> {
  const look = async () => {
    await page.reload()
    // Nothing has happened here yet: that is said beneath.
    await page.locator('main .empty').waitFor()
    return (await page.locator('main').getByText(text).count()) > 0
  }
  await expect.poll(look, { timeout: 30_000, interval: 1_000 }).toBe(is)
}

const sayings = [
  {
    language: 'fr',
    width: 360,
    down: /^Moov Money Bénin ne répond pas\.$/,
    list: 'Réseaux',
    where: /^Bénin · Paiements · depuis /,
    state: 'Fermé',
    others: /ne répond pas/,
    works: 'Fonctionne',
  },
  {
    language: 'en',
    width: 1280,
    down: /^Moov Money Bénin does not answer\.$/,
    list: 'Networks',
    where: /^Benin · Payments · since /,
    state: 'Closed',
    others: /does not answer/,
    works: 'Working',
  },
] as const

it.each(sayings)(
  'a network that is down is seen on Home and among all networks, until it works: $language, $width',
  async ({ language, width, down, where, list, state, others, works }) => {
    await mend()
    await fixture.visit({ language, width }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '')
      await signInAs(page, owner)
      await isShown(page, others, false)
      await breakDown('moov_ci')
      await breakDown('moov_bj')
      await isShown(page, down, true)
      const lines = page.locator('main').getByRole('list', { name: list, exact: true })
      await lines.getByText(where).waitFor()
      await expect.poll(() => lines.getByRole('listitem').count()).toBe(1)
      await expectSound(page)
      expect(await cutTexts(page)).toEqual([])
      await lines.getByRole('link').click()
      await page.waitForURL(/\/test\/networks$/)
      const main = page.locator('main')
      await main.getByText(state, { exact: true }).filter({ visible: true }).first().waitFor()
      await main.getByText(others).filter({ visible: true }).first().waitFor()
      await main.getByText(works, { exact: true }).filter({ visible: true }).first().waitFor()
      await expectSound(page)
      expect(await cutTexts(page)).toEqual([])
      await mend()
      await page.goBack()
      await isShown(page, others, false)
      await page.goForward()
      const gone = async () => {
        await page.reload()
        await main.getByText(works, { exact: true }).first().waitFor({ state: 'attached' })
        return main.getByText(others).count()
      }
      await expect.poll(gone, { timeout: 30_000, interval: 1_000 }).toBe(0)
    })
  },
  patience_ms,
)

it(
  'a shop that was paid twenty times within the hour sees how its own payments do',
  async () => {
    await mend()
    const { shop } = fixture
    const made = await Promise.all(
      Array.from({ length: 20 }, () => shop.pay({ customer: newPayer() })),
    )
    await Promise.all(made.map(({ data }) => shop.becomes(data.id, 'SUCCESS')))
    for (const [language, text] of [
      ['fr', /^Les vôtres, depuis une heure\s: 100\s% de réussite sur 20$/],
      ['en', /^Yours, in the last hour: 100% of 20 succeeded$/],
    ] as const) {
      await fixture.visit({ language, width: 360 }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, '/networks')
        await signInAs(page, owner)
        // What was counted before they were made is kept for a quarter of a minute.
        const look = async () => {
          await page.reload()
          await page.locator('main summary').first().waitFor()
          return page.locator('main').getByText(text).filter({ visible: true }).count()
        }
        await expect.poll(look, { timeout: 30_000, interval: 1_000 }).toBe(1)
        await expectSound(page)
        expect(await cutTexts(page)).toEqual([])
      })
    }
  },
  patience_ms,
)

it(
  'Home, left open, learns of it by a hint',
  async () => {
    await mend()
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      const stream = page.waitForRequest(/\/events\/stream\//, { timeout: 60_000 })
      await openFor(page, fixture.app.url, owner.merchant_id, '')
      await signInAs(page, owner)
      await stream
      const line = page.locator('main').getByText(sayings[1].down)
      await expect.poll(() => line.count(), { timeout: 30_000 }).toBe(0)
      // As long as the streams of a process have not looked yet they know no change.
      await page.waitForTimeout(7_000)
      await breakDown('moov_bj')
      // By the clock a page that is followed asks each five minutes.
      await line.waitFor({ timeout: 40_000 })
      await mend()
      await line.waitFor({ state: 'detached', timeout: 40_000 })
    })
  },
  patience_ms,
)
