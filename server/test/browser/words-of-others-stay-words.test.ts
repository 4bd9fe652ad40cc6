// What others have written is shown as they wrote it and is nothing else, on every screen of the
// dashboard, on its sheets of paper too: no script of theirs runs, no address of theirs opens, no
// sign of theirs turns our text.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { sized } from '../setup/proof-size.ts'
import { openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import {
  type FullShop,
  fillPath,
  fillShop,
  forms,
  type Naming,
  ownPages,
  readings,
} from './full-shop.ts'
import { overflowOf } from './measure.ts'
import { comesToRest } from './rest.ts'

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

type Written = Readonly<{ path: string; text: string }>
/** Where what was written is to be read, whatever else is there. */
const places: Written[] = []

/** A paper by the name that its sender's machine has for it, which staff refuse in their words. */
async function sendPaper(owner: SignedInCaller, file_name: string): Promise<void> {
  const query = new URLSearchParams({ kind: 'IDENTITY', file_name })
  const { status } = await owner.call('POST', `/kyc/documents/?${query}`, {
    body: new Uint8Array(Buffer.from('%PDF-1.7 Awa Diop, passport 07 AB 12345')),
    headers: { 'content-type': 'application/pdf' },
  })
  expect(status).toBe(201)
  const note = inTurn(500)
  places.push({ path: '/settings/verification', text: note })
  await fixture.app.owner`
    update kyc_documents set status = 'REJECTED', note = ${note}, reviewed_at = now()
     where merchant_id = ${owner.merchant_id}`
}

const patch = async (path: string, body: Record<string, unknown>) => {
  const { status } = await filled.owner.call('PATCH', path, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(status, path).toBeLessThan(300)
}

/** What a shop that is only full has none of: whose acts they are, a bank, what a webhook is for. */
async function fillMore({ owner, ids }: FullShop): Promise<void> {
  const write = (length_max: number, ...paths: string[]) => {
    const text = inTurn(length_max)
    places.push(...paths.map((path) => ({ path, text })))
    return text
  }
  const hook = '/developers/webhooks/{webhook}'
  const methods = '/settlements/methods'
  await patch(`/merchant-webhooks/${ids['webhook']}/`, { description: write(255, hook) })
  const bank = { country: 'BJ', type: 'BANK_ACCOUNT', account_number: 'BJ66BJ0610100100144390' }
  const { status } = await owner.post('/merchant-payout-methods/', {
    ...{ ...bank, label: write(100, methods), bank_name: write(100, methods) },
    account_name: write(150, methods),
  })
  expect(status).toBeLessThan(300)
  await patch(`/payment-links/${ids['link']}/`, {
    custom_fields: [
      { name: 'team', label: inTurn(100), type: 'TEXT', required: true },
      { name: 'size', label: inTurn(100), type: 'SELECT', options: [inTurn(100), inTurn(99)] },
    ],
  })
  await patch('/merchant/', {
    contact: { email: "o'neill+x@example.com", site_url: 'https://example.com/?"><svg/onload=a>' },
  })
  await sendPaper(owner, write(100, '/settings/verification'))
  // It would end what keeps a name in, and turn the sentence around it.
  const last_name = '\u2069\u202enimda'
  await patch('/auth/me/', { first_name: write(100, '/team'), last_name })
}

beforeAll(async () => {
  fixture = await startFixture()
  filled = await fillShop(fixture, inTurn)
  await fillMore(filled)
}, patience_ms)
afterAll(async () => {
  await filled?.close()
  await fixture?.stop()
})

const screens = sized(
  ['', '/payments/{paid}', '/settlements/methods', '/me'],
  [...readings, ...forms, ...ownPages],
)

/** What a text would have become if it were more: markup, an address, a direction. */
const become = `[
  ...document.querySelectorAll('main img[src=x], main svg[onload], main script, b > i'),
  ...[...document.querySelectorAll('a[href], iframe, form[action]')].filter((at) =>
    /^(javascript|data|vbscript):/i.test(at.getAttribute('href') ?? at.getAttribute('src') ?? '')),
  ...[...document.querySelectorAll('*')].filter((at) =>
    [...at.attributes].some(({ name }) => /^on/.test(name))),
].map((at) => at.outerHTML.slice(0, 120))`

/** Signs that turn what follows stand only where their own element, or signs, keep them in. */
const turning = `(() => {
  const faults = []
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) {
    const { parentElement } = walk.currentNode
    // A name within a sentence stands between signs that keep it in.
    const data = walk.currentNode.data.replace(/\\u2068[^\\u2068\\u2069]*\\u2069/g, '')
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

/** What of others has become more than their words, or turns ours. */
async function findMore(page: Page, path: string): Promise<string[]> {
  const found = [
    ...(await page.evaluate<string[]>(become)),
    ...(await page.evaluate<string[]>(turning)),
  ].map((one) => `${path}: ${one}`)
  return (await overflowOf(page)) > 0 ? [...found, `${path}: wider than the screen`] : found
}

/** As wide as a sheet, as it is printed; it is made to its end. */
async function findMoreOnPaper(page: Page, path: string): Promise<string[]> {
  const size = page.viewportSize()
  await page.setViewportSize({ width: 794, height: 1123 })
  await page.emulateMedia({ media: 'print' })
  const found = await findMore(page, `${path}, printed`)
  await page.pdf({ format: 'A4' })
  await page.emulateMedia({ media: 'screen' })
  if (size !== null) await page.setViewportSize(size)
  return found
}

async function openAll(page: Page, path: string): Promise<void> {
  const { url } = fixture.app
  if (ownPages.includes(path)) await page.goto(`${url}/dashboard${path}`)
  else await openFor(page, url, filled.owner.merchant_id, fillPath(path, filled.ids))
  await comesToRest(page)
  await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`)
  await comesToRest(page)
}

const plain = (text: string): string => text.replace(/\s+/g, ' ')

it(
  'on every screen, and on its paper',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      const faults = await watch(page)
      const shown = new Set<string>()
      await openFor(page, fixture.app.url, filled.owner.merchant_id, '')
      await signInAs(page, filled.owner)
      for (const path of screens) {
        await openAll(page, path)
        faults.push(...(await findMore(page, path)))
        const text = await page.locator('body').innerText()
        for (const one of hostile) if (text.includes(one)) shown.add(one)
        for (const one of places.filter((at) => at.path === path)) {
          if (!plain(text).includes(plain(one.text))) faults.push(`${path}: not there: ${one.text}`)
        }
        faults.push(...(await findMoreOnPaper(page, path)))
      }
      expect(faults).toEqual([])
      expect(written.length).toBeGreaterThan(hostile.length)
      expect(shown.size).toBeGreaterThan(screens.length > 4 ? 12 : 1)
    })
  },
  patience_ms,
)

it(
  'on the page of a link, with the fields that it asks for',
  async () => {
    const { data } = await filled.owner.get(`/payment-links/${filled.ids['link']}/`)
    const [team, size] = data.custom_fields
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      const faults = await watch(page)
      await page.goto(data.url)
      await page.locator('main form').first().waitFor()
      const text = plain(await page.locator('body').innerText())
      const labels = [team, size].map(({ label }) => plain(label).trim())
      expect(labels.filter((label) => !text.includes(label))).toEqual([])
      faults.push(...(await findMore(page, 'a link')))
      expect(faults).toEqual([])
    })
  },
  patience_ms,
)

it(
  'of our own team, wherever a shop that is suspended looks',
  async () => {
    const reason = [...hostile].join(' ').slice(0, 500)
    await fixture.app.owner`
      update settlements set failure_reason = ${reason}
       where merchant_id = ${filled.owner.merchant_id}`
    await fixture.app.owner`
      update merchants set status = 'SUSPENDED', suspended_reason = ${reason}, suspended_at = now()
       where id = ${filled.owner.merchant_id}`
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      const faults = await watch(page)
      await openFor(page, fixture.app.url, filled.owner.merchant_id, '')
      await signInAs(page, filled.owner)
      for (const path of ['', '/settlements/{settlement}', '/payments']) {
        await openAll(page, path)
        faults.push(...(await findMore(page, path)))
        expect(plain(await page.locator('header').innerText())).toContain('<svg/onload=alert(1)>')
        faults.push(...(await findMoreOnPaper(page, path)))
      }
      expect(faults).toEqual([])
    })
  },
  patience_ms,
)
