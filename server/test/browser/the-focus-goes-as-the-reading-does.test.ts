// The focus on every screen of the dashboard and every entrance, by Tab alone, at a desk with all
// that folds unfolded and on a telephone, on screens that are empty, failed and loading too: it
// comes to all that is shown, in the order in which it is read, and nothing holds it but a dialog,
// which gives it back.

import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shareOf, sized, wholeIt } from '../setup/proof-size.ts'
import { openFor, signInAs, until } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { faultsOfFocus } from './focus-order.ts'
import {
  entrances,
  type FullShop,
  fillPath,
  fillShop,
  forms,
  ownPages,
  readings,
} from './full-shop.ts'
import { enter, focused, tabTo } from './keyboard.ts'
import { comesToRest } from './rest.ts'
import { broken } from './sound.ts'

let fixture: BrowserFixture
let filled: FullShop
/** Of a merchant who has nothing yet. */
let empty_id: string
const patience_ms = 1_500_000

beforeAll(async () => {
  fixture = await startFixture()
  filled = await fillShop(fixture)
  empty_id = (await fixture.app.shop()).merchant_id
}, patience_ms)
afterAll(async () => {
  await filled?.close()
  await fixture?.stop()
})

const settles_ms = 5_000
const looks_max = 3

/** Once there is all that a screen has; one that follows what happens never comes to rest. */
async function settle(page: Page): Promise<void> {
  await page.locator('main h1').waitFor()
  await comesToRest(page, settles_ms).catch(() => undefined)
  await page.locator('main .loading:visible').first().waitFor({ state: 'detached' })
}

const unfold = (page: Page) =>
  page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`)

type Walk = Readonly<{
  page: Page
  addresses: readonly string[]
  unfolded: boolean
  /** Until there is all to see of it that will be. */
  settles?: ((page: Page) => Promise<void>) | undefined
}>

async function walk({ page, addresses, unfolded, settles = settle }: Walk): Promise<string[]> {
  const faults: string[] = []
  for (const address of addresses) {
    await page.goto(`${fixture.app.url}/dashboard${address}`)
    await settles(page)
    if (unfolded) await unfold(page)
    for (const fault of await faultsThatStay(page, settles)) faults.push(`${address}: ${fault}`)
  }
  return faults
}

/** What was folded up may ask for more, which may come while the focus goes round. */
async function faultsThatStay(page: Page, settles: typeof settle): Promise<string[]> {
  for (let looks = 1; ; looks += 1) {
    await settles(page)
    const faults = await faultsOfFocus(page)
    if (faults.length === 0 || looks === looks_max) return faults
  }
}

const all = [...readings, ...forms, '/nothing/of/this']
const full_id = () => filled.owner.merchant_id

type Part = Readonly<{ of: number; nth: number }>

/** One's own account stands beside all merchants. */
const screens = (
  few: readonly string[],
  merchant_id: string,
  { of, nth }: Part = { of: 1, nth: 0 },
): string[] => [
  ...sized(few, shareOf(all.filter((_, at) => at % of === nth))).map(
    (path) => `/${merchant_id}/test${fillPath(path, filled.ids)}`,
  ),
  ...sized([], shareOf(ownPages)),
]

type State = Readonly<{
  name: string
  /** Of the small walk. */
  few: readonly string[]
  whose: () => string
  width: 360 | 1280
  /** What becomes of the calls of a screen; those that say who is there are answered. */
  meet?: (route: Route) => Promise<void>
  settles?: ((page: Page) => Promise<void>) | undefined
  /** Which of the screens: where all of them stand in one frame, they share the states. */
  part?: Part
}>

/** A record of the full shop's is none of the empty one's: its screen says so. */
const states: readonly State[] = [
  { name: 'empty', few: ['/payments'], whose: () => empty_id, width: 1280 },
  {
    ...{ name: 'failed', few: ['/team'], whose: full_id, width: 360 },
    part: { of: 2, nth: 0 },
    meet: (route) => route.fulfill(broken),
  },
  {
    ...{ name: 'loading', few: ['/payouts/new'], whose: full_id, width: 360 },
    part: { of: 2, nth: 1 },
    meet: async () => undefined,
    settles: async (page) => {
      await page.locator('main h1').waitFor()
      await page.locator('.room').first().waitFor({ state: 'detached' })
    },
  },
]

const isOfScreen = ({ pathname }: URL): boolean =>
  pathname.startsWith('/api/v1/') && !pathname.endsWith('/auth/me/')

const widths = sized([1280] as const, [1280, 360] as const)

/** Each with what is wrong on it. */
const planted: readonly (readonly [fault: string, main: string])[] = [
  [
    '',
    '<a href="#a">1</a><button>2</button><input type="radio" name="r"><input type="radio" name="r">',
  ],
  ['tabindex', '<a href="#a">1</a><button tabindex="2">2</button>'],
  [
    'drawn above',
    '<p style="display:grid"><a href="#a">1</a><a href="#b" style="order:-1">2</a></p>',
  ],
  [
    'left out',
    '<a href="#a">1</a><button onfocus="this.blur()">2</button><button inert>3</button>',
  ],
  ['does not come round', '<input onkeydown="event.preventDefault()">'],
]

describe('the focus', () => {
  it(
    'is seen where it goes wrong',
    async () => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        for (const [fault, main] of planted) {
          await page.setContent(`<a href="#main">Skip</a><main>${main}</main>`)
          const found = (await faultsOfFocus(page)).join('\n')
          expect(found.includes(fault) && (fault === '') === (found === ''), found).toBe(true)
        }
      })
    },
    patience_ms,
  )

  it.each(widths)(
    'goes through every screen as the reading does, and out of it again: %i wide',
    async (width) => {
      await fixture.visit({ language: width === 360 ? 'fr' : 'en', width }, async (page) => {
        await openFor(page, fixture.app.url, filled.owner.merchant_id, '')
        await signInAs(page, filled.owner)
        const unfolded = width === 1280
        const addresses = screens(['/payments', '/payouts/new'], full_id())
        expect(await walk({ page, addresses, unfolded })).toEqual([])
      })
    },
    patience_ms,
  )

  it.concurrent.each(states)(
    'goes so through the screens that are $name',
    async ({ few, whose, width, meet, settles, part }) => {
      // One for each: a person has three hundred calls a minute.
      const owner = await fixture.app.member({ merchant_id: whose() })
      await fixture.visit({ language: width === 360 ? 'fr' : 'en', width }, async (page) => {
        await openFor(page, fixture.app.url, whose(), '')
        await signInAs(page, owner)
        if (meet !== undefined) await page.route(isOfScreen, meet)
        const addresses = screens(few, whose(), part)
        expect(await walk({ page, addresses, unfolded: true, settles })).toEqual([])
      })
    },
    patience_ms,
  )

  wholeIt.each([1280, 360] as const)(
    'goes so through every entrance: %i wide',
    async (width) => {
      await fixture.visit({ language: width === 360 ? 'fr' : 'en', width }, async (page) => {
        const linked = entrances.map((path) => `${path}#${'k'.repeat(43)}`)
        const faults = await walk({ page, addresses: ['', ...entrances], unfolded: true })
        // Another token at the same address would load nothing.
        await page.goto('about:blank')
        expect([...faults, ...(await walk({ page, addresses: linked, unfolded: true }))]).toEqual(
          [],
        )
      })
    },
    patience_ms,
  )

  wholeIt(
    'goes into the menu that a telephone has opened, which closes where it goes on',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await openFor(page, fixture.app.url, filled.owner.merchant_id, '/team')
        await signInAs(page, filled.owner)
        await settle(page)
        const open = page.locator('nav.menu.open')
        await enter(page, /^BUTTON Menu$/)
        await open.waitFor()
        await page.keyboard.press('Tab')
        await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Accueil')
        await tabTo(page, /^A Journal des actions$/)
        await page.keyboard.press('Escape')
        await open.waitFor({ state: 'detached' })
        await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Menu')
        await page.keyboard.press('Enter')
        await open.waitFor()
        await tabTo(page, /^A Journal des actions$/)
        await page.keyboard.press('Tab')
        await open.waitFor({ state: 'detached' })
        await expect
          .poll(() => page.evaluate('document.activeElement.matches("main *")'))
          .toBe(true)
      })
    },
    patience_ms,
  )

  wholeIt(
    'is held by an open dialog alone, which gives it back where it came from',
    async () => {
      const { owner, ids } = filled
      await fixture.app.member({ merchant_id: owner.merchant_id, role: 'VIEWER' })
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, '')
        await signInAs(page, owner)
        for (const [path, opener] of [
          [`/developers/keys/${ids['key']}`, /^BUTTON Revoke the key$/],
          ['/team', /^BUTTON Change the role$/],
          [`/developers/webhooks/${ids['webhook']}`, /^BUTTON New secret$/],
        ] as const) {
          await openFor(page, fixture.app.url, owner.merchant_id, path)
          await settle(page)
          await enter(page, opener)
          await page.locator('dialog[open]').waitFor()
          await until(page, inDialog)
          for (let pressed = 0; pressed < 12; pressed += 1) {
            await page.keyboard.press('Tab')
            expect(await page.evaluate(inDialog), path).toBe(true)
          }
          await page.keyboard.press('Escape')
          await page.locator('dialog[open]').waitFor({ state: 'detached' })
          await expect.poll(() => focused(page), { message: path }).toMatch(opener)
        }
      })
    },
    patience_ms,
  )
})

/** Past its last place the focus may be the browser's own, which is no place of the page. */
const inDialog = 'document.activeElement.matches("dialog[open] *, dialog[open], body")'
