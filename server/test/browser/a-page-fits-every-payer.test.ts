// Each kind of page, measured: what it weighs over the wire, what axe says of it in light and in
// dark, whether it fits 320 pixels and text of twice the size; and a payment by keyboard alone, and
// over the slowest network.

import { randomBytes } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../harness.ts'
import { sized } from '../setup/proof-size.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading, tap } from './hands.ts'
import { type Desk, kinds } from './kinds.ts'
import { overflowOf, runAxe, type Weight, weigh } from './measure.ts'

let fixture: BrowserFixture
let open: BrowserFixture['open']
let visit: BrowserFixture['visit']
const patience_ms = 120_000
const first_bytes_max = 14_000
const later_bytes_max = 8_000

beforeAll(async () => {
  fixture = await startFixture()
  open = fixture.open
  visit = fixture.visit
})
afterAll(() => fixture.stop())

/** The whole style and the longest list: what a first page can be at most. */
async function branded(): Promise<Json> {
  const owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  const named = { branding: { name: 'Établissements Koné & Frères', colour: '#f5c518' } }
  expect((await owner.call('PATCH', '/merchant/', json(named))).status).toBe(200)
  const logo = { body: new Uint8Array(noisyPng(36)), headers: { 'content-type': 'image/png' } }
  expect((await owner.call('PUT', '/merchant/logo/', logo)).status).toBe(200)
  const words = 'Deux sacs de riz parfumé, un bidon d’huile et la livraison à Cotonou. '
  return open({ country: 'SN', description: words.repeat(3), customer_phone: '+221770000010' })
}

const json = (body: unknown) => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})

/** A picture that no compression makes smaller: the heaviest logo that a page carries. */
function noisyPng(side: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length, 0)
    ends.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
  }
  const head = Buffer.from([0, 0, 0, side, 0, 0, 0, side, 8, 2, 0, 0, 0])
  const row = () => Buffer.concat([Buffer.alloc(1), randomBytes(side * 3)])
  const rows = Buffer.concat(Array.from({ length: side }, row))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const desk = (): Desk => ({
  url: fixture.app.url,
  stay: `${fixture.site.url}/stay`,
  open: async (changes) => (await open(changes)).checkout_url,
  async cancelled() {
    const session = await open()
    await fixture.shop.post(`/checkout-sessions/${session.id}/cancel/`)
    return session.checkout_url
  },
  async expired() {
    const session = await open({ country: 'BJ' })
    await fixture.app.owner`
      update checkout_sessions set expires_at = now() - interval '1 second', due_at = null
       where id = ${session.id}`
    return session.checkout_url
  },
  async link(changes) {
    const body = { name: 'Cotisation', currency: 'XOF', ...changes }
    return (await fixture.shop.post('/payment-links/', body)).data.url
  },
})

const isLive = (address: string) => address.endsWith('/live')

/** Only what a form led through and the page itself: nothing beside it. */
function assertLight({ requests, bytes }: Weight): void {
  const pages = requests.filter((address) => !isLive(address))
  expect(pages.length).toBeLessThanOrEqual(2)
  expect(bytes).toBeGreaterThan(1_000)
  expect(bytes).toBeLessThanOrEqual(later_bytes_max)
}

const twice = "document.documentElement.style.fontSize = '200%'"
const sizeOf = (page: Page) =>
  page.evaluate<string>('getComputedStyle(document.querySelector("main p, main label")).fontSize')

const every = <T>(nth: number, all: readonly T[]): T[] => all.filter((_, at) => at % nth === 0)

describe('each kind of page', () => {
  // A small run measures every fifth kind.
  it.concurrent.each(sized(every(5, kinds), kinds))(
    'is light, legible and narrow enough: $name',
    async ({ reach }) => {
      await visit({ width: 320 }, async (page) => {
        const step = await reach(page, desk())
        assertLight(await weigh(page, step))
        await page.locator('h1').waitFor()
        expect(await page.locator('h1').count()).toBe(1)
        expect(await runAxe(page)).toEqual([])
        expect(await overflowOf(page)).toBe(0)
        await page.emulateMedia({ colorScheme: 'dark' })
        expect(await runAxe(page)).toEqual([])
        await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
        expect(await runAxe(page)).toEqual([])
        const before = Number.parseFloat(await sizeOf(page))
        await page.evaluate(twice)
        expect(Number.parseFloat(await sizeOf(page))).toBe(before * 2)
        expect(await overflowOf(page)).toBe(0)
      })
    },
    patience_ms,
  )
})

describe('the first page', () => {
  it.concurrent(
    'is one request, light even with the heaviest logo, and can be paid on',
    async () => {
      const session = await branded()
      await visit({ slow: true, scripts: false }, async (page) => {
        const weight = await weigh(page, () => page.goto(session.checkout_url))
        expect(weight.requests).toEqual([session.checkout_url])
        expect(weight.bytes).toBeLessThanOrEqual(first_bytes_max)
        expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe('data:,')
        await tap(page, 'freemoney_sn')
        await page.locator('#pay').click()
        await heading(page, 'Paiement réussi')
      })
    },
    patience_ms,
  )
})

describe('a keyboard', () => {
  it.concurrent(
    'is enough to pay, and shows where it is',
    async () => {
      const session = await open({ country: 'BJ' })
      await visit({ width: 1280, language: 'en' }, async (page) => {
        const focused = () => page.evaluate<string>('document.activeElement.id')
        const tabTo = async (id: string) => {
          for (let presses = 0; presses < 20 && (await focused()) !== id; presses++) {
            await page.keyboard.press('Tab')
          }
          expect(await focused()).toBe(id)
          // A field that has its country's prefix in it is outlined with it.
          const seen = "(document.activeElement.closest('.tel') ?? document.activeElement)"
          const outline = `getComputedStyle(${seen}).outlineStyle`
          expect(await page.evaluate<string>(outline), id).toBe('solid')
        }
        await page.goto(session.checkout_url)
        await tabTo('language')
        await tabTo('phone')
        await page.keyboard.type('12')
        await page.keyboard.press('Tab')
        await page.keyboard.press('Tab')
        await page.keyboard.press('ArrowDown')
        expect(await page.locator('input[name=network]:checked').count()).toBe(1)
        await tabTo('pay')
        await page.keyboard.press('Enter')
        await page.locator('#errors').waitFor()
        expect(await focused()).toBe('errors')
        await page.keyboard.press('Tab')
        await page.keyboard.press('Enter')
        await tabTo('phone')
        await page.keyboard.press('Control+A')
        await page.keyboard.type('0195000010')
        await tabTo('pay')
        await page.keyboard.press('Enter')
        await heading(page, 'Payment successful')
      })
    },
    patience_ms,
  )
})
