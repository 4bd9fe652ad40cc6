// The dashboard for those who need it otherwise: letters twice as large, lines and words set wider
// (WCAG 1.4.12), the colours of the system, a finger instead of a mouse, a keyboard. Nothing is cut,
// nothing lies under a bar, and what has the focus is seen.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shareOf, sized, wholeIt } from '../setup/proof-size.ts'
import { openFor, signInAs } from './dashboard-hands.ts'
import { findCut, findSmall, styles } from './fits.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { type FullShop, fillPath, fillShop, forms, ownPages, readings } from './full-shop.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let filled: FullShop
const patience_ms = 300_000

beforeAll(async () => {
  fixture = await startFixture()
  filled = await fillShop(fixture)
}, patience_ms)
afterAll(async () => {
  await filled?.close()
  await fixture?.stop()
})

const screens = sized(['', '/payments/{paid}'], shareOf([...readings, ...forms, ...ownPages]))

/** Each screen in turn, once all that it asks for is there. */
async function eachScreen(page: Page, look: (path: string) => Promise<void>): Promise<void> {
  const { url } = fixture.app
  await openFor(page, url, filled.owner.merchant_id, '')
  await signInAs(page, filled.owner)
  for (const path of screens) {
    // One's own account stands beside all merchants.
    if (ownPages.includes(path)) await page.goto(`${url}/dashboard${path}`)
    else await openFor(page, url, filled.owner.merchant_id, fillPath(path, filled.ids))
    await page.locator('main h1').waitFor()
    await comesToRest(page)
    await look(path)
  }
}

describe('a screen', () => {
  it.each(sized(styles.slice(0, 1), styles))(
    'is whole at 320 px with $how',
    async (style) => {
      await fixture.visit({ language: 'fr', width: 320 }, async (page) => {
        const faults: string[] = []
        await eachScreen(page, async (path) => {
          for (const one of await findCut(page, style)) faults.push(`${path}: ${one}`)
        })
        expect(faults).toEqual([])
      })
    },
    patience_ms,
  )

  wholeIt(
    'is hit by a finger, on a telephone and on a tablet, with all that folds unfolded',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        const faults = new Set<string>()
        await eachScreen(page, async (path) => {
          await unfold(page)
          for (const width of [360, 1024]) {
            await page.setViewportSize({ width, height: 800 })
            await comesToRest(page)
            for (const one of await findSmall(page)) faults.add(`${path}, ${width}: ${one}`)
          }
          await page.setViewportSize({ width: 360, height: 640 })
        })
        expect([...faults]).toEqual([])
      })
    },
    patience_ms,
  )

  wholeIt(
    'in the colours of the system has edges on its buttons, and statuses beside words',
    async () => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await page.emulateMedia({ forcedColors: 'active' })
        const faults: string[] = []
        await eachScreen(page, async (path) => {
          const bare = await page.evaluate<string[]>(`[...document.querySelectorAll(
              'main button, main .button, .status, main input:not([type=radio], [type=checkbox]), main select')]
            .filter((at) => at.checkVisibility() && at.type !== 'hidden')
            .filter((at) => {
              const { borderTopStyle, borderTopWidth } = getComputedStyle(at)
              return borderTopStyle === 'none' || parseFloat(borderTopWidth) === 0
            })
            .map((at) => at.outerHTML.slice(0, 120))`)
          for (const one of bare) faults.push(`${path}: ${one}`)
        })
        expect(faults).toEqual([])
      })
    },
    patience_ms,
  )
})

/** Each place of the bar at a telephone's foot that something else lies over, while the menu is open. */
const coveredOnes = `[...document.querySelectorAll('.menu-foot a, .menu-foot button')]
  .filter((at) => {
    const { left, top, width, height } = at.getBoundingClientRect()
    const points = [[0.5, 0.5], [0.2, 0.2], [0.8, 0.8]]
    return !points.every(([x, y]) =>
      at.contains(document.elementFromPoint(left + x * width, top + y * height)))
  })
  .map((at) => at.innerText)`

const telephones = [
  { width: 360, height: 640 },
  { width: 360, height: 800 },
  { width: 390, height: 844 },
  { width: 412, height: 915 },
]

describe('the menu of a telephone', () => {
  it(
    'leaves the bar at its foot free while it is open, whose button closes it again',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        const { url } = fixture.app
        await openFor(page, url, filled.owner.merchant_id, '/payments')
        await signInAs(page, filled.owner)
        const button = page.locator('.menu-foot button')
        const open = page.locator('nav.menu.open')
        for (const size of telephones) {
          await page.setViewportSize(size)
          await button.click()
          await open.waitFor()
          await comesToRest(page)
          for (const end of [0, 9_999]) {
            await page.evaluate(`document.querySelector('nav.menu').scrollTo(0, ${end})`)
            const covered = await page.evaluate<string[]>(coveredOnes)
            expect(covered, `${size.width} x ${size.height}, from ${end}`).toEqual([])
          }
          const { x, y, width, height } = (await button.boundingBox()) ?? { ...size, x: 0, y: 0 }
          await page.mouse.click(x + width / 2, y + height / 2)
          await open.waitFor({ state: 'detached' })
          expect(page.url()).toMatch(/\/payments$/)
        }
      })
    },
    patience_ms,
  )
})

const unfold = (page: Page) =>
  page.evaluate(`for (const one of document.querySelectorAll('main details')) one.open = true`)

const tabs_max = 150

/** What has the focus: how it shows it, and whether a bar lies over it. */
const focusFault = `(() => {
  const at = document.activeElement
  if (at === null || at === document.body) return 'end'
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(at)
  const isRinged = (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || boxShadow !== 'none'
  const { left, top, width, height } = at.getBoundingClientRect()
  const points = [[0.5, 0.5], [0.1, 0.2], [0.9, 0.8]]
  const isSeen = points.some(([x, y]) => {
    const hit = document.elementFromPoint(left + x * width, top + y * height)
    return hit !== null && (at.contains(hit) || hit.contains(at) && !hit.matches('.menu, header'))
  })
  // The browser rings the parts of a date, the last of which is a button of its own.
  const isDate = at.matches('[type=date], [type=datetime-local]')
  if ((isRinged || isDate) && isSeen) return ''
  return (isRinged ? 'hidden ' : 'no ring ') + at.outerHTML.slice(0, 120)
})()`

describe('a keyboard', () => {
  wholeIt.each([{ width: 360 }, { width: 1280 }] as const)(
    'shows where it is on every screen, and under no bar: $width wide',
    async ({ width }) => {
      await fixture.visit({ language: 'fr', width }, async (page) => {
        const faults: string[] = []
        let passed = 0
        await eachScreen(page, async (path) => {
          for (let pressed = 0; pressed < tabs_max; pressed += 1) {
            await page.keyboard.press('Tab')
            const fault = await page.evaluate<string>(focusFault)
            if (fault === 'end') break
            if (fault !== '') faults.push(`${path}: ${fault}`)
            passed += 1
          }
        })
        expect([...new Set(faults)]).toEqual([])
        expect(passed).toBeGreaterThan(10 * screens.length)
      })
    },
    patience_ms,
  )
})
