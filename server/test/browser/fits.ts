// Whether a page fits those who need it otherwise: letters twice as large, lines and words set
// wider (WCAG 1.4.12), a finger instead of a mouse.

import type { Page } from 'playwright-core'
import { cutTexts } from './measure.ts'
import { overflowThatStays } from './sound.ts'

type Style = Readonly<{ how: string; css: string }>

/** Each as a reader's own style. */
export const styles: readonly Style[] = [
  { how: 'letters twice as large', css: ':root { font-size: 200% !important }' },
  {
    how: 'lines, letters and words set wider',
    css: `* {
      line-height: 1.5 !important;
      letter-spacing: 0.12em !important; word-spacing: 0.16em !important
    } p { margin-bottom: 2em !important }`,
  },
]

/** One line for each text that is cut, and for a page that is too wide, with the style. */
export async function findCut(page: Page, { how, css }: Style): Promise<string[]> {
  await restyle(page, css)
  const over_px = await overflowThatStays(page)
  const beyond = over_px > 0 ? [`${how}: ${over_px} px beyond the edge`] : []
  const cut = (await cutTexts(page)).map((one) => `${how}: cut ${one}`)
  await restyle(page, '')
  return [...beyond, ...cut]
}

/** All of it, of a page that is shown; it is left as wide as a telephone. */
export async function findUnfit(page: Page): Promise<string[]> {
  const faults: string[] = []
  await page.setViewportSize({ width: 320, height: 640 })
  for (const style of styles) faults.push(...(await findCut(page, style)))
  await page.setViewportSize({ width: 360, height: 640 })
  return [...faults, ...(await findSmall(page))]
}

/** As a reader's own style: the page's policy concerns what the page brings. */
const restyle = (page: Page, css: string): Promise<unknown> =>
  page.evaluate(`(() => {
    const own = new CSSStyleSheet()
    own.replaceSync(${JSON.stringify(css)})
    document.adoptedStyleSheets = [own]
  })()`)

/**
 * What a finger hits too hardly: a target is 44 px high and 24 wide, in a table 24 high with its
 * middle 30 from the next one's, and none lies over another. A link amid a sentence is as high as
 * its line, which WCAG excepts: the lines of such a text are 24 px apart, so that two of them are.
 * One that is alone in its paragraph, its place in a list or its cell is a target as others are.
 */
export const findSmall = (page: Page): Promise<string[]> => page.evaluate<string[]>(smallOnes)

const smallOnes = `(() => {
  const told = (one, what) => what + ': ' + one.outerHTML.slice(0, 140)
  const isInline = (one) => /^(inline|contents)$/.test(getComputedStyle(one).display)
  const blockOf = (one) => (isInline(one) ? blockOf(one.parentElement) : one)
  const isAmid = (link) => {
    if (!link.matches('a') || !isInline(link)) return false
    const block = blockOf(link)
    const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const { parentElement: around, data } = texts.currentNode
      if (!/[\\p{L}\\p{N}]/u.test(data) || around.closest('a, button, .unseen')) continue
      if (blockOf(around) === block && around.checkVisibility()) return true
    }
    return false
  }
  const all = [...document.querySelectorAll(
    'a[href], button, input:not([type=hidden]), select, textarea, summary')]
    .filter((at) => at.checkVisibility() && !at.matches('.skip, .unseen'))
    .map((at) => {
      const hit = at.closest('label') ?? at
      return { at, isAmid: isAmid(at), box: hit.getBoundingClientRect() }
    })
    .filter(({ box }) => box.width > 1)
  const middle = ({ top, bottom }) => (top + bottom) / 2
  const isBelow = (box, other) => box.left < other.right && other.left < box.right
  const smallness = ({ at, isAmid, box }) => {
    const size = Math.round(box.width) + ' x ' + Math.round(box.height)
    if (isAmid) {
      const lines_px = [at, blockOf(at)].map((one) => parseFloat(getComputedStyle(one).lineHeight))
      return lines_px.some((px) => px >= 24) ? '' : 'amid lines of ' + lines_px.join(' and ')
    }
    if (box.width < 24 || box.height < 24) return size
    if (box.height >= 43.5) return ''
    const table = at.closest('table')
    if (table === null) return size
    const isNear = all.some((one) => one.at !== at && table.contains(one.at)
      && isBelow(box, one.box) && Math.abs(middle(box) - middle(one.box)) < 30)
    return isNear ? size + ' beside another' : ''
  }
  // A wide table shows what lies within its own box.
  const shown = ({ at, box }) => ({
    left: box.left,
    right: Math.min(box.right, at.closest('.scroll')?.getBoundingClientRect().right ?? Infinity),
  })
  const isOver = (one, other) => isBelow(shown(one), shown(other)) && !one.at.contains(other.at)
    && one.box.top <= other.box.top && one.box.bottom - other.box.top > 1.5
  const free = all.filter(({ at, isAmid }) => !isAmid && at.closest('nav.menu') === null)
  return [
    ...all.map((one) => [one.at, smallness(one)]),
    ...free.flatMap((one) => free
      .filter((other) => one !== other && isOver(one, other))
      .map((other) => [one.at, 'over ' + other.at.outerHTML.slice(0, 80)])),
  ].filter(([, what]) => what !== '').map(([at, what]) => told(at, what))
})()`
