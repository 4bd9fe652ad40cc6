// The dashboard for those who need it otherwise: letters twice as large, lines and words set wider
// (WCAG 1.4.12), the colours of the system, a finger instead of a mouse, a keyboard. Nothing is cut,
// nothing lies under a bar, and what has the focus is seen.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { type FullShop, fillPath, fillShop, forms, readings } from './full-shop.ts'
import { cutTexts, overflowOf } from './measure.ts'
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

const screens = sized(['', '/payments/{paid}'], [...readings, ...forms])

/** Each screen in turn, once all that it asks for is there. */
async function eachScreen(page: Page, look: (path: string) => Promise<void>): Promise<void> {
  const { url } = fixture.app
  await openFor(page, url, filled.owner.merchant_id, '')
  await signInAs(page, filled.owner)
  for (const path of screens) {
    await openFor(page, url, filled.owner.merchant_id, fillPath(path, filled.ids))
    await comesToRest(page)
    await look(path)
  }
}

/** As a reader's own style: the page's policy concerns what the page brings. */
const restyle = (page: Page, css: string): Promise<unknown> =>
  page.evaluate(`(() => {
    const own = new CSSStyleSheet()
    own.replaceSync(${JSON.stringify(css)})
    document.adoptedStyleSheets = [own]
  })()`)

const larger = ':root { font-size: 200% !important }'
const wider = `* {
  line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important
} p { margin-bottom: 2em !important }`

/** What a finger hits: links in a line of text aside, which WCAG excepts. */
const smallFor = (least_px: number) => `[...document.querySelectorAll(
    'a[href], button, input:not([type=hidden]), select, textarea, summary')]
  .filter((at) => at.checkVisibility() && !at.matches('.skip, .unseen, p a, dd a, li > a.inline'))
  .map((at) => [at.closest('label') ?? at, at])
  .filter(([{ clientWidth }]) => clientWidth > 1)
  .filter(([hit]) => {
    const { height, width } = hit.getBoundingClientRect()
    return height < ${least_px} || width < Math.min(${least_px}, 24)
  })
  .map(([hit]) => hit.outerHTML.slice(0, 140) + ' ' + hit.getBoundingClientRect().height)`

const styles = [
  { how: 'letters twice as large', css: larger },
  { how: 'lines, letters and words set wider', css: wider },
]

describe('a screen', () => {
  it.each(sized(styles.slice(0, 1), styles))(
    'is whole at 320 px with $how',
    async ({ css }) => {
      await fixture.visit({ language: 'fr', width: 320 }, async (page) => {
        const faults: string[] = []
        await eachScreen(page, async (path) => {
          await restyle(page, css)
          const over_px = await overflowOf(page)
          if (over_px > 0) faults.push(`${path}: ${over_px} px beyond the edge`)
          for (const one of await cutTexts(page)) faults.push(`${path}: cut ${one}`)
        })
        expect(faults).toEqual([])
      })
    },
    patience_ms,
  )

  wholeIt(
    'is hit by a finger: 44 px high, and 24 wide',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        const faults = new Set<string>()
        await eachScreen(page, async (path) => {
          for (const one of await page.evaluate<string[]>(smallFor(44)))
            faults.add(`${path}: ${one}`)
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
