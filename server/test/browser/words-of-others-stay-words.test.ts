// What others have written is shown as they wrote it and is nothing else, on every screen of the
// dashboard: no script of theirs runs, no address of theirs opens, no sign of theirs turns our text.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sized } from '../setup/proof-size.ts'
import { openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { type FullShop, fillPath, fillShop, forms, type Naming, readings } from './full-shop.ts'
import { overflowOf } from './measure.ts'

let fixture: BrowserFixture
let filled: FullShop
const patience_ms = 480_000

const hostile = [
  '"><img src=x onerror=alert(1)>',
  "'-alert(1)-'",
  '<script>alert(1)</script>',
  '<svg/onload=alert(1)>',
  '</title><script>alert(1)</script>',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '{{constructor.constructor("alert(1)")()}}',
  `\${alert(1)}`,
  '%3Cscript%3Ealert(1)%3C/script%3E',
  '&lt;b&gt;&#60;i&#62;',
  '=HYPERLINK("http://evil.example","x")',
  '+cmd|calc!A0',
  '\u202egnp.exe\u202c txt',
  '\u2066\u202e\u2069abc',
  'a\u200b\u200d\ufeffb',
  'مرحبا بالعالم 123',
  'Zalgo\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308',
  '../../../etc/passwd?x=1#y',
  '{amount} {name} %s %d',
]

const written: string[] = []

/** One after the other; where a field takes more, to its end without a space. */
const inTurn: Naming = (length_max) => {
  const text = hostile[written.length % hostile.length] ?? ''
  const isLong = written.length % 3 === 0
  written.push(text)
  return (isLong ? text.padEnd(length_max, 'x') : text).slice(0, length_max)
}

beforeAll(async () => {
  fixture = await startFixture()
  filled = await fillShop(fixture, inTurn)
}, patience_ms)
afterAll(async () => {
  await filled?.close()
  await fixture?.stop()
})

const screens = sized(['', '/payments/{paid}'], [...readings, ...forms])

/** What a text would have become if it were more: markup, an address, a direction. */
const become = `[
  ...document.querySelectorAll('main img[src=x], main svg[onload], main script, b > i'),
  ...[...document.querySelectorAll('a[href], iframe, form[action]')].filter((at) =>
    /^(javascript|data|vbscript):/i.test(at.getAttribute('href') ?? at.getAttribute('src') ?? '')),
  ...[...document.querySelectorAll('*')].filter((at) =>
    [...at.attributes].some(({ name }) => /^on/.test(name))),
].map((at) => at.outerHTML.slice(0, 120))`

/** Signs that turn what follows stand only where their own element keeps them in. */
const turning = `(() => {
  const faults = []
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) {
    const { data, parentElement } = walk.currentNode
    if (!/[\\u202a-\\u202e\\u0600-\\u06ff]/.test(data)) continue
    if (parentElement.closest('bdi, input, textarea, option, title, pre, code')) continue
    const { unicodeBidi, display } = getComputedStyle(parentElement)
    const isOwnLine = ['block', 'table-cell', 'list-item', 'flex'].includes(display)
    if (/isolate/.test(unicodeBidi) || (isOwnLine && parentElement.childNodes.length === 1)) continue
    faults.push(parentElement.outerHTML.slice(0, 160))
  }
  return faults
})()`

async function watch(page: Page): Promise<string[]> {
  const said: string[] = []
  page.on('dialog', (dialog) => {
    said.push(`a dialog: ${dialog.message()}`)
    dialog.dismiss()
  })
  return said
}

it(
  'on every screen',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      const faults = await watch(page)
      const shown = new Set<string>()
      await openFor(page, fixture.app.url, filled.owner.merchant_id, '')
      await signInAs(page, filled.owner)
      for (const path of screens) {
        const at = fillPath(path, filled.ids)
        await openFor(page, fixture.app.url, filled.owner.merchant_id, at)
        await page.waitForLoadState('networkidle')
        await page.evaluate(
          `for (const one of document.querySelectorAll('details')) one.open = true`,
        )
        await page.waitForLoadState('networkidle')
        for (const one of await page.evaluate<string[]>(become)) faults.push(`${path}: ${one}`)
        for (const one of await page.evaluate<string[]>(turning)) faults.push(`${path}: ${one}`)
        if ((await overflowOf(page)) > 0) faults.push(`${path}: wider than the screen`)
        const text = await page.locator('body').innerText()
        for (const one of hostile) if (text.includes(one)) shown.add(one)
      }
      expect(faults).toEqual([])
      expect(written.length).toBeGreaterThan(hostile.length)
      expect(shown.size).toBeGreaterThan(screens.length > 2 ? 12 : 1)
    })
  },
  patience_ms,
)
