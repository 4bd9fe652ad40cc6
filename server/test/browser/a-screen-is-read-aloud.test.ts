// What a screen reader makes of the dashboard: roles, names and their order, whole, as golden texts
// in `read-aloud/`. Whoever changes what is read changes the text, and reads it.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { type FullShop, fillPath, fillShop } from './full-shop.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let filled: FullShop
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  filled = await fillShop(fixture)
}, patience_ms)
afterAll(async () => {
  await filled?.close()
  await fixture?.stop()
})

/** Without what differs by the hour and the run. */
const steady = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replace(/\b[A-Z]{3}-\d{8}-[A-Z0-9]+/g, 'REFERENCE')
    .replace(/https?:\/\/[^\s"]+/g, 'ADDRESS')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'MOMENT')
    .replace(/(- slider ".*"): "\d+"/g, '$1: POINT')
    .replace(/\bSIM[0-9A-F]{10,}\b/g, 'REFERENCE')
    .replace(/\b\d{1,2}:\d\d(:\d\d)?\b/g, 'TIME')
    .replace(/\b\d{1,2} [A-Z][a-z]+( \d{4})?(,| at) TIME/g, 'TIME')
    .replace(/\b\d{1,2} [A-Z][a-z]+ \d{4}\b/g, 'DAY')
    .replace(/\b\d{4}-\d\d-\d\d\b/g, 'DAY')
    .replace(/\b[A-Z][a-z]+day (\d{1,2} [A-Z][a-z]+|DAY)/g, 'DAY')
    .replace(/Test Person|[0-9a-f-]+@test\.example/g, 'PERSON')
    .replace(/^\s*- \/url: .*\n/gm, '')

/** Steps that others take in their own time, now before and now after what they are about. */
const theirs = /^(\s+)- listitem:\n\1 .*(?:notified us|Your server was notified).*\n(?:\1 .*\n)*/gm
const whoSaidIt = /· The operator (?:notified us of it|said so when .*)/g

const dayBefore = (days: number): string =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

type Screen = Readonly<{ name: string; path: string; act?: (page: Page) => Promise<void> }>

const screens: readonly Screen[] = [
  { name: 'home', path: '' },
  { name: 'list', path: '/payments?status=SUCCESS' },
  { name: 'detail', path: '/payments/{failed}' },
  { name: 'limits', path: '/payouts/limits' },
  {
    ...{ name: 'chart', path: `/reports/series?from=${dayBefore(2)}&to=${dayBefore(0)}` },
    // A point of it is chosen, and the table that says the same is unfolded.
    act: async (page) => {
      await page.locator('main figure summary').click()
      await page.getByRole('slider').press('End')
    },
  },
  {
    ...{ name: 'form-with-faults', path: '/checkouts/new' },
    act: async (page) => {
      await press(page, 'Create the checkout')
      await page.getByRole('alert').waitFor()
    },
  },
]

it.each(sized(screens.slice(1, 3), screens))(
  'the $name',
  async ({ name, path, act }) => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, filled.owner.merchant_id, fillPath(path, filled.ids))
      await signInAs(page, filled.owner)
      await comesToRest(page)
      // Below a list and a record it comes once they are read.
      if (name === 'list' || name === 'detail') await page.locator('details.calls').waitFor()
      if (name === 'list') await page.getByText('Updated as it happens').waitFor()
      // What waits is counted last, a while after the menu is there.
      await page.locator('.menu-all .badge').first().waitFor()
      await act?.(page)
      const read = steady(await page.locator('body').ariaSnapshot())
        .replace(theirs, '')
        .replace(whoSaidIt, '· WHY')
      await expect(read).toMatchFileSnapshot(`./read-aloud/${name}.yml`)
    })
  },
  patience_ms,
)

wholeIt.each(['/reports/files', '/settlements/methods/new'])(
  'the countries of %s are read by their names',
  async (path) => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, filled.owner.merchant_id, path)
      await signInAs(page, filled.owner)
      const names = page.locator('select[name=country] option:not([value=""])')
      await names.nth(10).waitFor({ state: 'attached' })
      const read = await names.allInnerTexts()
      expect(read).toEqual([...read].sort((one, other) => one.localeCompare(other, 'fr')))
    })
  },
  patience_ms,
)
