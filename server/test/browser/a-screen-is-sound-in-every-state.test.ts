// Each screen of the dashboard in each of its states (full, empty, failed, loading), as wide as a
// small telephone, a telephone, a tablet and a desk, light and dark, in both languages: axe finds
// nothing, nothing lies beyond the edge, no text is cut. The entrances have a test of their own.

import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sized } from '../setup/proof-size.ts'
import { openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { type FullShop, fillPath, fillShop, forms, ownPages, readings } from './full-shop.ts'
import { comesToRest } from './rest.ts'
import { allWidths, broken, findUnsound, type Language, layouts } from './sound.ts'

let fixture: BrowserFixture
let filled: FullShop
/** Of a merchant who has nothing yet. */
let empty_id: string
const patience_ms = 1_200_000

beforeAll(async () => {
  fixture = await startFixture()
  filled = await fillShop(fixture)
  empty_id = (await fixture.app.shop()).merchant_id
}, patience_ms)
afterAll(async () => {
  await filled?.close()
  await fixture?.stop()
})

type State = Readonly<{
  name: string
  screens: readonly string[]
  /** Whose screens they are. */
  whose: () => string
  /** What becomes of the calls of a screen; those that say who is there are answered. */
  meet?: (route: Route) => Promise<void>
}>

/** And one that there is not. */
const all = [...readings, ...forms, ...ownPages, '/nothing/of/this']
/** Few: each of four screens in two of the states. */
const some = (...paths: string[]) => sized(paths, all)
const full_id = () => filled.owner.merchant_id

const states: readonly State[] = [
  { name: 'full', screens: some('', '/payouts/new'), whose: full_id },
  // A record of nobody's is not there: its screen says so.
  {
    name: 'empty',
    screens: some('/payments', '/team').map((path) =>
      path.replace(/\{\w+\}/, '01890000-0000-7000-8000-000000000000'),
    ),
    whose: () => empty_id,
  },
  {
    name: 'failed',
    screens: some('', '/team'),
    whose: full_id,
    meet: (route) => route.fulfill(broken),
  },
  // Never answered: the screen is what it is while it waits.
  {
    name: 'loading',
    screens: some('/payments', '/payouts/new'),
    whose: full_id,
    meet: async () => undefined,
  },
]

/** One's own account stands beside all merchants. */
async function open(page: Page, merchant_id: string, path: string): Promise<void> {
  const { url } = fixture.app
  if (!ownPages.includes(path)) {
    return openFor(page, url, merchant_id, fillPath(path, filled.ids))
  }
  await page.goto(`${url}/dashboard${path}`)
  await page.locator('main h1').waitFor()
}

/** In a state of its own, once there is something to see of it. */
async function settle(page: Page, { name }: State): Promise<void> {
  if (name !== 'loading') return comesToRest(page)
  await page.locator('main h1').waitFor()
  // What waits has its room at first, then bones; a form that asks for nothing has neither.
  await page.locator('.room').first().waitFor({ state: 'detached' })
}

const widths = sized(layouts, allWidths)

const cases = sized<readonly Language[]>(['fr'], ['fr', 'en']).flatMap((language) =>
  states.map((state) => ({ language, name: state.name, state })),
)

describe('every screen', () => {
  it.concurrent.each(cases)(
    'is sound: $name, $language',
    async ({ language, state }) => {
      const { screens, whose, meet } = state
      const merchant_id = whose()
      // One for each: a person has three hundred calls a minute.
      const owner = await fixture.app.member({ merchant_id })
      await fixture.visit({ language, width: 1280 }, async (page) => {
        const { url } = fixture.app
        await openFor(page, url, merchant_id, '')
        await signInAs(page, owner)
        if (meet !== undefined) {
          await page.route(
            ({ pathname }) => pathname.startsWith('/api/v1/') && !pathname.endsWith('/auth/me/'),
            meet,
          )
        }
        const faults = new Set<string>()
        for (const path of screens) {
          await open(page, merchant_id, path)
          await settle(page, state)
          for (const fault of await findUnsound(page, { language, widths }))
            faults.add(`${path}: ${fault}`)
        }
        expect([...faults]).toEqual([])
      })
    },
    patience_ms,
  )
})
