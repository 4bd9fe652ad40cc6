// Each kind of page as a payer sees it first: on a telephone, in French; the main steps in English,
// on a desk, and in the dark too.

import { mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { writeMoment } from '../../server/src/platform/write-moment.ts'
import { type Browsing, openBrowser, type Visitor } from '../../server/test/browser/browser.ts'
import { type Kind, kinds } from '../../server/test/browser/kinds.ts'
import { savePicture } from './shrink-png.ts'
import type { OwnDesk } from './start-desk.ts'

type View = Readonly<{ name: string; visitor: Visitor; kinds: readonly Kind[] }>

const main = kinds.filter(({ name }) =>
  ['choose-network', 'waiting', 'failed', 'paid'].includes(name),
)

const views: readonly View[] = [
  { name: 'phone-fr', visitor: { language: 'fr', width: 360 }, kinds },
  { name: 'phone-en', visitor: { language: 'en', width: 360 }, kinds: main },
  { name: 'desktop-fr', visitor: { language: 'fr', width: 1280 }, kinds: main },
  { name: 'desktop-en', visitor: { language: 'en', width: 1280 }, kinds: main },
  { name: 'dark-fr', visitor: { language: 'fr', width: 360, dark: true }, kinds: main },
]

/** The files it has written. */
export async function drawPages(desk: OwnDesk, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const old = (await readdir(folder)).filter((file) => /^checkout-.*\.png$/.test(file))
  await Promise.all(old.map((file) => rm(path.join(folder, file))))
  const browsing = await openBrowser(desk.origins)
  const drawn: string[] = []
  try {
    for (const view of views) {
      for (const kind of view.kinds) {
        const file = path.join(folder, `checkout-${kind.name}-${view.name}.png`)
        await draw({ desk, browsing, file }, view.visitor, kind)
        drawn.push(file)
      }
    }
  } finally {
    await browsing.close()
  }
  return drawn
}

type Drawing = Readonly<{ desk: OwnDesk; browsing: Browsing; file: string }>

function draw({ desk, browsing, file }: Drawing, visitor: Visitor, kind: Kind): Promise<void> {
  return browsing.visit(visitor, async (page) => {
    const step = await kind.reach(page, desk)
    await step()
    await page.locator('h1').waitFor()
    await writeOver(page, visitor.language === 'en' ? 'en' : 'fr')
    await savePicture(page, file, { whole: true })
  })
}

const noon = new Date('2026-11-22T11:00:00Z')

const samplesIn = (locale: 'en' | 'fr') => ({
  reference: 'TXN-20261122-7KQ2M9XHRD',
  date: writeMoment(noon, 'Africa/Porto-Novo', locale),
  statement: '{"reference":"TXN-20261122-7KQ2M9XHRD", …}',
})

/** A reference, a time and a port are others in each run, and would make another picture of it. */
async function writeOver(page: Page, locale: 'en' | 'fr'): Promise<void> {
  await page.evaluate(`
    for (const [id, text] of Object.entries(${JSON.stringify(samplesIn(locale))})) {
      const found = document.getElementById(id)
      if (found) found.textContent = text
    }
    for (const found of document.querySelectorAll('footer p:not(#contact), #wrong-number')) {
      found.textContent = found.textContent
        .replace(/\\d+\\s\\S+ (à|at) /, (_, at) => '24\u00a0nov. ' + at + ' ')
        .replace(/\\d\\d:\\d\\d/, '12:00')
    }
    // What sticks to the foot of a screen would lie over the middle of a picture of the whole page.
    for (const found of document.querySelectorAll('.go')) found.style.position = 'static'
    for (const found of document.querySelectorAll('p')) {
      const text = found.textContent.replace(location.origin, 'https://pay.example.com')
      if (text !== found.textContent) found.textContent = text
    }`)
}
