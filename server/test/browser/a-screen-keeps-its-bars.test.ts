// What each screen of the dashboard costs and says: how many calls it makes, what they weigh, what
// moves under the reader while it loads, and that every sum, count and percentage on it is one that
// the API said.

import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Page, Request, Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fr } from '../../../dashboard/test/all-words.ts'
import { currencies } from '../../src/money/currency.ts'
import { writeDecimal } from '../../src/pages/write-values.ts'
import { type Json, newPayer } from '../harness.ts'
import { shareOf, sized, wholeIt } from '../setup/proof-size.ts'
import { openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { type FullShop, fillPath, fillShop, forms, readings } from './full-shop.ts'
import { numbersOn, piecesWithDigits, tellOthers } from './other-numbers.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let filled: FullShop
const patience_ms = 1_200_000

const bars = { calls: 4, shift: 0.02, home_bytes: 6_000, payments_bytes: 14_000 } as const

beforeAll(async () => {
  fixture = await startFixture()
  filled = await fillShop(fixture)
}, patience_ms)
afterAll(async () => {
  await filled?.close()
  await fixture?.stop()
})

/** Before any script of the page: what moved without the reader having done anything. */
const observe = `
  globalThis.shift = 0
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) shift += value
  }).observe({ type: 'layout-shift', buffered: true })`

/** The screen's answers are all late, and on a phone in turns much later: in whichever order. */
async function comeLate(page: Page, width: number): Promise<void> {
  let nth = 0
  await page.route('**/api/v1/**', async (route) => {
    nth += 1
    await sleep(width === 360 && nth % 2 === 0 ? 900 : 400)
    await route.continue().catch(() => undefined)
  })
}

type Answer = Readonly<{ path: string; status: number; body: Json; bytes: number }>

/** What the API said since it was last asked. */
function listen(page: Page): () => Promise<Answer[]> {
  let heard: Promise<Answer | undefined>[] = []
  page.on('response', (response) => {
    if (!new URL(response.url()).pathname.startsWith('/api/v1/')) return
    // At once: with the page that it was for, an answer's body goes.
    heard.push(read(response).catch(() => undefined))
  })
  return async () => {
    const answers = heard
    heard = []
    return (await Promise.all(answers)).filter((answer) => answer !== undefined)
  }
}

/** A stream of hints is open for as long as the screen is: it is a call without an end. */
const isStream = (url: string): boolean => /\/events\/stream\/(\?|$)/.test(url)

async function read(response: Response): Promise<Answer> {
  const { pathname, search } = new URL(response.url())
  const body = isStream(response.url()) ? Buffer.alloc(0) : await response.body()
  const json = JSON.parse(body.toString() || 'null')
  const status = response.status()
  return { path: pathname + search, status, body: json, bytes: gzipSync(body).length }
}

/** Every decimal that stands in an answer, anywhere in it. */
function decimalsIn(value: Json): string[] {
  if (typeof value === 'string') return /^-?\d+\.\d\d$/.test(value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(decimalsIn)
}

const names = [...new Set(currencies.map((code) => writeDecimal('1.00', code, 'fr').slice(1)))]
const sum = new RegExp(`\\d{1,3}(?:\\u00a0\\d{3})*(?:,\\d\\d)?(?:${names.join('|')})(?![A-Z])`, 'g')

/** Each sum as it is read, without its sign: what goes out may be shown with a minus. */
const sumsOn = async (page: Page): Promise<string[]> =>
  [...(await page.locator('main').innerText()).matchAll(sum)].map(([text]) => text)

const writtenOf = (answers: readonly Answer[]): Set<string> =>
  new Set(
    answers
      .flatMap(({ body }) => decimalsIn(body))
      .flatMap((decimal) =>
        currencies.map((code) => writeDecimal(decimal.replace('-', ''), code, 'fr')),
      ),
  )

/** What the sandbox's screen asks for by itself. */
const test_sum = '1\u00a0000\u00a0FCFA'

/** A person's own, which is read once for all screens. */
const isOwn = ({ path }: Answer): boolean => path === '/api/v1/auth/me/'

/** Over these the tabs say how many payouts wait. */
const withTabs = ['/payouts', '/payouts/approvals', '/payouts/limits']

/** The menu asks three seconds after a screen has opened, and keeps it for a minute. */
const isMenus = ({ path }: Answer, screen: string): boolean =>
  path === '/api/v1/payouts/counts/' && !withTabs.includes(screen)

/** Whoever approves reads on which network: names are asked for once an hour for all screens. */
const isName = ({ path }: Answer, screen: string): boolean =>
  path.startsWith('/api/v1/networks/') && screen === '/payouts/approvals'

const screens = sized(['', '/payments', '/payments/{paid}'], shareOf([...readings, ...forms]))

describe('each screen', () => {
  it.concurrent.each(sized([360] as const, [360, 1280] as const))(
    'opens with four calls, none of them refused, moves nothing, and shows no sum but those that it was told, %i wide',
    async (width) => {
      const { merchant_id } = filled.owner
      // One for each: a person has three hundred calls a minute.
      const owner = await fixture.app.member({ merchant_id })
      await fixture.visit({ language: 'fr', width }, async (page) => {
        await page.addInitScript(observe)
        const said = listen(page)
        await openFor(page, fixture.app.url, merchant_id, '')
        await comesToRest(page)
        // Nobody has signed in here: there is nobody to ask about.
        expect(await said()).toEqual([])
        await signInAs(page, owner)
        // At once, everything would be there before the first paint, and nothing could move.
        await comeLate(page, width)
        const faults: string[] = []
        const most = { calls: 0, shift: 0, sums: 0 }
        for (const path of screens) {
          await comesToRest(page)
          await said()
          const at = fillPath(path, filled.ids)
          await openFor(page, fixture.app.url, merchant_id, at)
          await comesToRest(page)
          const answers = await said()
          for (const { path: to, status } of answers) {
            if (status >= 400) faults.push(`${path}: ${to} is refused with ${status}`)
          }
          const asked = answers.filter(
            (one) => !isOwn(one) && !isMenus(one, path) && !isName(one, path),
          )
          most.calls = Math.max(most.calls, asked.length)
          if (asked.length > bars.calls) {
            faults.push(`${path}: ${asked.length} calls: ${asked.map((one) => one.path)}`)
          }
          const shift = await page.evaluate<number>('shift')
          most.shift = Math.max(most.shift, shift)
          if (shift > bars.shift) faults.push(`${path}: moved by ${shift}`)
          const written = writtenOf(answers)
          const sums = await sumsOn(page)
          most.sums += sums.length
          for (const text of sums) {
            const isOurs = path === '/developers/sandbox' && text === test_sum
            if (!written.has(text) && !isOurs) faults.push(`${path}: ${text} is in no answer`)
          }
        }
        console.log(
          `${screens.length} screens: at most ${most.calls} calls, moved by ` +
            `${most.shift.toFixed(4)} at most, ${most.sums} sums`,
        )
        expect(faults).toEqual([])
        expect(most.sums).toBeGreaterThan(screens.length)
      })
    },
    patience_ms,
  )
})

describe('each screen, told other numbers', () => {
  it.concurrent.each(sized([1280] as const, [360, 1280] as const))(
    'shows no count and no percentage but those that it was told, %i wide',
    async (width) => {
      const { merchant_id } = filled.owner
      const owner = await fixture.app.member({ merchant_id })
      const own = piecesWithDigits(Object.values(fr).map(typeset))
      await fixture.visit({ language: 'fr', width }, async (page) => {
        const isTold = await tellOthers(page)
        await openFor(page, fixture.app.url, merchant_id, '')
        await signInAs(page, owner)
        const faults: string[] = []
        let shown = 0
        for (const path of screens) {
          await openFor(page, fixture.app.url, merchant_id, fillPath(path, filled.ids))
          await comesToRest(page)
          const numbers = await numbersOn(page, own)
          shown += numbers.filter(isTold).length
          // What a search was asked for it says back.
          const typed = [...new URL(path, fixture.app.url).searchParams.values()]
          for (const number of numbers.filter((one) => !isTold(one) && !typed.includes(one))) {
            faults.push(`${path}: ${number} is in no answer`)
          }
        }
        // One that a screen worked out would be seen, and what it says by itself is none.
        const plant = '12 paiements, soit 34 %, dit 52693333-0241-4163-8277-215501837405'
        await page.locator('main').evaluate((main, text) => main.append(text), plant)
        const planted = (await numbersOn(page, own)).filter((one) => !isTold(one))
        expect(planted).toEqual(['12', '34'])
        console.log(`${screens.length} screens: ${shown} counts and percentages`)
        expect(faults).toEqual([])
        expect(shown).toBeGreaterThan(screens.length)
      })
    },
    patience_ms,
  )
})

/** As the words are when they are built (`vite.config.ts`). */
const typeset = (text: string): string => text.replace(/(«) | ([:;?!%»])/g, '$1\u00a0$2')

/** How many calls are under way: the page's clock runs faster than they do. */
function countPending(page: Page): () => number {
  const pending = new Set<Request>()
  const end = (request: Request) => void pending.delete(request)
  page.on('request', (request) => {
    if (!isStream(request.url())) pending.add(request)
  })
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  return () => pending.size
}

/**
 * There is no stream of hints. In the page itself: where calls are held up on their way, each is
 * reported late, and one that was made while the page was shown counts as made while it was not.
 */
async function refuseStreams(page: Page): Promise<void> {
  await page.addInitScript(`
    const call = window.fetch
    window.fetch = (input, options) =>
      String(input.url ?? input).includes('/events/stream/')
        ? Promise.resolve(new Response(null, { status: 502 }))
        : call(input, options)`)
}

/** What is waited for is asked for more often at first, for as long as somebody may stand there. */
const eager = { soon: 3, asks: 45 } as const

describe('an idle screen', () => {
  wholeIt.each(['with hints', 'without'])(
    'asks twice a minute at most while it is looked at, and not at all while it is not: %s',
    async (hints) => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await page.clock.install()
        if (hints === 'without') {
          await refuseStreams(page)
        }
        const owner = await fixture.app.member({ merchant_id: filled.owner.merchant_id })
        await openFor(page, fixture.app.url, owner.merchant_id, '')
        await signInAs(page, owner)
        const said = listen(page)
        const pending = countPending(page)
        // A stream lives by the server's clock, one call in ten minutes; by the page's, which runs
        // ahead here, each is silent for too long.
        const asked = async () => (await said()).filter(({ path }) => !isStream(path)).length
        const wait = async (so_many: number) => {
          for (let half_minute = 0; half_minute < 2 * so_many; half_minute += 1) {
            await page.clock.runFor(30_000)
            await expect.poll(pending).toBe(0)
          }
          return asked()
        }
        for (const at of shareOf([...idle, ...open])) {
          const path = fillPath(at, filled.ids)
          await openFor(page, fixture.app.url, owner.merchant_id, path)
          await comesToRest(page)
          // The menu's counts are asked for once, a little later.
          await page.clock.runFor(5_000)
          await expect.poll(pending).toBe(0)
          await asked()
          if (open.includes(at)) {
            expect(await wait(eager.soon), `${at}, first`).toBeLessThanOrEqual(eager.asks)
          }
          expect(await wait(minutes), at).toBeLessThanOrEqual(2 * minutes)
          await page.evaluate(`
            Object.defineProperty(document, 'visibilityState', { value: 'hidden', writable: true })
            document.dispatchEvent(new Event('visibilitychange'))`)
          expect(await wait(minutes), at).toBe(0)
        }
      })
    },
    patience_ms,
  )
})

const minutes = 5
const idle = [
  ...['', '/payments', '/payouts/approvals', '/balances', '/links', '/team'],
  ...['/settlements', '/checkouts', '/developers/deliveries', '/networks', '/customers'],
  ...['/links/{link}', '/customers/{customer}', '/developers/webhooks/{webhook}'],
  ...['/payments/{paid}', '/payouts/{payout}', '/transfers/{transfer}'],
]
/** Whose end is waited for. */
const open = [
  ...['/payments/{waiting}', '/payouts/{waits}', '/settlements/{settlement}'],
  '/checkouts/{checkout}',
]

describe('on a slow network', () => {
  wholeIt(
    'Home and fifty payments are light',
    async () => {
      const { shop } = fixture
      await Promise.all(Array.from({ length: 50 }, () => shop.pay({ customer: newPayer() })))
      const list = await filled.owner.get('/transactions/?page_size=50')
      expect(list.data.results).toHaveLength(50)
      const list_bytes = gzipSync(JSON.stringify(list.body)).length
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        const said = listen(page)
        await openFor(page, fixture.app.url, filled.owner.merchant_id, '')
        await signInAs(page, filled.owner)
        await comesToRest(page)
        await said()
        await page.reload()
        await page.locator('main .balance .big').first().waitFor()
        await comesToRest(page)
        const answers = await said()
        const home_bytes = answers.reduce((all, { bytes }) => all + bytes, 0)
        console.log(`Home: ${home_bytes} bytes of answers, gz; fifty payments: ${list_bytes}`)
        expect(answers.length).toBeGreaterThan(1)
        expect(home_bytes).toBeLessThanOrEqual(bars.home_bytes)
        expect(list_bytes).toBeLessThanOrEqual(bars.payments_bytes)
      })
    },
    patience_ms,
  )
})
