// Each screen of the dashboard in each of its states (full, empty, failed, loading), as wide as a
// small telephone, a telephone, a tablet and a desk, light and dark, in both languages: axe finds
// nothing, nothing lies beyond the edge, no text is cut. What axe finds depends on what is there and
// how it is laid out, so it looks once at each layout; dark and at a desk in one language, as no word
// has a colour, and what a desk shows besides is a telephone's menu.

import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sized } from '../setup/proof-size.ts'
import { openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { type FullShop, fillPath, fillShop, forms, readings } from './full-shop.ts'
import { colourRules, cutTexts, overflowOf, runAxe } from './measure.ts'

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

type Language = 'fr' | 'en'
type State = Readonly<{
  name: string
  screens: readonly string[]
  /** Whose screens they are. */
  whose: () => string
  /** What becomes of the calls of a screen; those that say who is there are answered. */
  meet?: (route: Route) => Promise<void>
}>

const all = [...readings, ...forms]
/** Few: each of four screens in two of the states. */
const some = (...paths: string[]) => sized(paths, all)
const full_id = () => filled.owner.merchant_id

const broken = {
  status: 500,
  contentType: 'application/json',
  headers: { 'x-request-id': 'req-0123456789abcdef0123456789abcdef' },
  body: JSON.stringify({
    code: 'internal_error',
    message: 'Une erreur est survenue. Réessayez plus tard.',
    retryable: false,
  }),
}

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

const widths = sized([320, 1280], [320, 360, 768, 1280])
/** One of those of a telephone and a tablet, which are laid out alike (60rem), and a desk's. */
const layouts: readonly number[] = [320, 1280]

/** In each width, layout and theme: one line for each finding. */
async function look(page: Page, language: Language): Promise<string[]> {
  const faults: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: width < 600 ? 640 : 800 })
    const over_px = await overflowOf(page)
    if (over_px > 0) faults.push(`${width}: ${over_px} px beyond the edge`)
    for (const one of await cutTexts(page)) faults.push(`${width}: cut ${one}`)
    const is_looked_at = language === 'fr' ? layouts.includes(width) : width === layouts[0]
    if (!is_looked_at) continue
    for (const one of await runAxe(page)) faults.push(`${width}: ${one}`)
    if (language !== 'fr') continue
    // The same page but for its colours.
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const one of await runAxe(page, colourRules)) faults.push(`${width}, dark: ${one}`)
    await page.emulateMedia({ colorScheme: 'light' })
  }
  return faults
}

/** In a state of its own, once there is something to see of it. */
async function settle(page: Page, { name }: State): Promise<void> {
  if (name !== 'loading') return page.waitForLoadState('networkidle')
  await page.locator('main h1').waitFor()
  // What waits has its room at first, then bones; a form that asks for nothing has neither.
  await page.locator('.room').first().waitFor({ state: 'detached' })
}

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
            ({ pathname }) => pathname.startsWith('/api/v1/') && !pathname.includes('/auth/'),
            meet,
          )
        }
        const faults = new Set<string>()
        for (const path of screens) {
          await openFor(page, url, merchant_id, fillPath(path, filled.ids))
          await settle(page, state)
          for (const fault of await look(page, language)) faults.add(`${path}: ${fault}`)
        }
        expect([...faults]).toEqual([])
      })
    },
    patience_ms,
  )
})
