// What is printed of the dashboard: black on white, whose it is and of when, no menu and no button,
// on as many sheets as it has content for.

import { inflateSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sized } from '../setup/proof-size.ts'
import { openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { type FullShop, fillPath, fillShop } from './full-shop.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let filled: FullShop
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  filled = await fillShop(fixture)
}, patience_ms)
afterAll(async () => {
  await filled?.close()
  await fixture?.stop()
})

const printed: readonly { path: string; pages_max: number }[] = [
  { path: '', pages_max: 2 },
  { path: '/payments', pages_max: 2 },
  { path: '/payments/{paid}', pages_max: 2 },
  { path: '/balances/BJ', pages_max: 2 },
  { path: '/balances/BJ/statement', pages_max: 2 },
  { path: '/settlements', pages_max: 1 },
  { path: '/settlements/{settlement}', pages_max: 1 },
  { path: '/links/{link}', pages_max: 1 },
  { path: '/reports', pages_max: 2 },
  { path: '/prices', pages_max: 4 },
]

/** What a sheet of paper has no use for, and is on it. */
const useless = `[...document.querySelectorAll(
    'nav, button:not(th > button), .button, input, select, .skip, .to-search, .person, search')]
  .filter((at) => at.checkVisibility({ visibilityProperty: true }))
  .filter(({ clientHeight, clientWidth }) => clientHeight > 1 && clientWidth > 1)
  .map((at) => at.outerHTML.slice(0, 120))`

/** Letters that are too light for a printer without colours. */
const faint = `[...document.querySelectorAll('main *')]
  .filter((at) => at.checkVisibility())
  .filter((at) => [...at.childNodes].some((one) => one.nodeType === 3 && one.data.trim() !== ''))
  .filter((at) => {
    const parts = getComputedStyle(at).color.match(/[\\d.]+/g).map(Number)
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] > 120
  })
  .map((at) => at.outerHTML.slice(0, 120))`

/** What the document is made of, unpacked. */
async function printedOn(page: Page): Promise<string> {
  const pdf = await page.pdf({ format: 'A4' })
  const packed = [...pdf.toString('latin1').matchAll(/stream\r?\n([\s\S]*?)endstream/g)]
  const texts = packed.map(([, bytes = '']) => {
    try {
      return inflateSync(Buffer.from(bytes, 'latin1')).toString('latin1')
    } catch {
      return ''
    }
  })
  return [pdf.toString('latin1'), ...texts].join('\n')
}

/** How many sheets it has: its page tree says so. */
const sheetsOf = (document: string): number =>
  [...document.matchAll(/\/Type\s*\/Page(?!s)/g)].length

/** How many pieces of text are drawn on its sheets. */
const textsOf = (document: string): number => [...document.matchAll(/\bT[jJ]\b/g)].length

const without_numbers = '@page { @bottom-right { content: none } }'

/** On each sheet, which one it is and of how many: what is gone where the rule is taken away. */
async function numbersOn(page: Page, document: string): Promise<number> {
  await page.evaluate(`document.adoptedStyleSheets = [new CSSStyleSheet()]
    document.adoptedStyleSheets[0].replaceSync(${JSON.stringify(without_numbers)})`)
  const bare = await printedOn(page)
  await page.evaluate('document.adoptedStyleSheets = []')
  return textsOf(document) - textsOf(bare)
}

it(
  'what is printed says whose it is and of when, and is nothing to press',
  async () => {
    await fixture.visit({ language: 'fr', width: 1280, dark: true }, async (page) => {
      const faults: string[] = []
      const { data } = await filled.owner.get('/merchant/')
      await openFor(page, fixture.app.url, filled.owner.merchant_id, '')
      await signInAs(page, filled.owner)
      for (const { path, pages_max } of sized(printed.slice(2, 3), printed)) {
        const at = fillPath(path, filled.ids)
        await openFor(page, fixture.app.url, filled.owner.merchant_id, at)
        await comesToRest(page)
        await page.emulateMedia({ media: 'print' })
        for (const one of await page.evaluate<string[]>(useless)) faults.push(`${path}: ${one}`)
        for (const one of await page.evaluate<string[]>(faint)) faults.push(`${path}: faint ${one}`)
        const text = await page.locator('body').innerText()
        if (!text.includes(data.name)) faults.push(`${path}: does not say whose it is`)
        if (!text.includes('TEST')) faults.push(`${path}: does not say that it is of the test`)
        if (!/UTC/.test(text)) faults.push(`${path}: does not say by which clocks`)
        const head = await page.locator('.shell > .on-paper').innerText()
        if (!/\b20\d\d\b/.test(head)) faults.push(`${path}: does not say of which year it is`)
        if (path === '/reports') {
          const day = await page.locator('main h2').first().innerText()
          if (!/\b20\d\d$/.test(day)) faults.push(`${path}: a day without its year`)
        }
        const document = await printedOn(page)
        const sheets = sheetsOf(document)
        if (sheets < 1 || sheets > pages_max) faults.push(`${path}: ${sheets} sheets`)
        if ((await numbersOn(page, document)) < sheets) faults.push(`${path}: no page numbers`)
        await page.emulateMedia({ media: 'screen' })
      }
      expect(faults).toEqual([])
    })
  },
  patience_ms,
)

/** A key's, a webhook's, and the new one of a webhook, which stands over its page. */
const secrets: readonly { path: string; make: (page: Page) => Promise<unknown> }[] = [
  {
    path: '/developers/keys/new',
    make: async (page) => {
      await page.locator('main input[name=name]').fill('Site')
      await page.locator('main button[type=submit]').click()
    },
  },
  {
    path: '/developers/webhooks/new',
    make: async (page) => {
      await page.locator('main input[name=url]').fill('https://shop.example.com/hook')
      await page.locator('main button[type=submit]').click()
    },
  },
  {
    path: '/developers/webhooks',
    make: async (page) => {
      await press(page, 'Nouveau secret')
      await page.getByRole('dialog').getByRole('button', { name: 'Nouveau secret' }).click()
    },
  },
]

it.each(sized(secrets.slice(0, 1), secrets))(
  'a secret that is shown is not on paper: $path',
  async ({ path, make }) => {
    await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, filled.owner.merchant_id, path)
      await signInAs(page, filled.owner)
      await make(page)
      const secret = page.locator('.secret')
      await secret.waitFor()
      await press(page, 'Afficher')
      const shown = await secret.innerText()
      expect(shown).toMatch(/^(sk_test_|whsec_)/)
      await page.emulateMedia({ media: 'print' })
      expect(await secret.isVisible()).toBe(false)
      expect(await page.locator('body').innerText()).not.toContain(shown)
      await page.emulateMedia({ media: 'screen' })
      expect(await secret.isVisible()).toBe(true)
    })
  },
  patience_ms,
)
