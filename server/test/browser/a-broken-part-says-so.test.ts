// A part of a screen that breaks says so in its place, with the id of its report, and leaves the
// others; what nobody caught is reported too, ten times a minute at most, and a report that fails
// reports nothing.

import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { metricsOn } from '../../src/app/metrics.ts'
import { eventually, type SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
})
afterAll(() => fixture.stop())

async function counted(kind: string): Promise<number> {
  const text = await metricsOn(fixture.app.service.db)()
  return Number(new RegExp(`client_errors_total{kind="${kind}"} (\\d+)`).exec(text)?.[1])
}

const reportsOf = (page: Page): Request[] => {
  const seen: Request[] = []
  page.on('request', (one) => {
    if (one.url().endsWith('/client-errors/')) seen.push(one)
  })
  return seen
}

const enter = async (page: Page, path: string) => {
  await openFor(page, fixture.app.url, owner.merchant_id, path)
  await signInAs(page, owner)
}

/** An answer that no version of the service gives: what draws it breaks. */
const tear = (page: Page, calls: string) =>
  page.route(calls, (route) => route.fulfill({ json: { results: [{}] } }))

describe('a part that breaks', () => {
  wholeIt(
    'says so in its place, under the id of its report, and is drawn again on request',
    async () => {
      const { shop } = fixture
      const paid = await shop.pay({ customer: { phone: '+2290197000010' } })
      await shop.becomes(paid.data.id, 'SUCCESS')
      const { customer } = (await shop.get(`/transactions/${paid.data.id}/`)).data
      const before = await counted('PART')
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        const sent = reportsOf(page)
        const of = `**/customers/${customer}/transactions/**`
        await tear(page, of)
        await enter(page, `/customers/${customer}`)
        await page.getByRole('button', { name: 'Erase' }).waitFor()
        await page.getByText('Something went wrong. Try again.').waitFor()
        await expectSound(page)
        await eventually(async () => expect(await counted('PART')).toBe(before + 1))
        const [report] = sent
        const id = await report?.headerValue('x-request-id')
        await page.getByText(`Request number: ${id}`).waitFor()
        expect(report?.postDataJSON()).toMatchObject({
          kind: 'PART',
          build: expect.stringMatching(/^index-[\w-]+\.js$/),
          path: '/:merchant/test/customers/:id',
        })
        expect((await report?.response())?.status()).toBe(204)
        await page.unroute(of)
        await press(page, 'Try again')
        await page.getByRole('link', { name: 'Show in payments' }).waitFor()
        await page.getByText('Something went wrong').waitFor({ state: 'hidden' })
      })
    },
    patience_ms,
  )
})

describe('what nobody caught', () => {
  wholeIt(
    'is reported ten times a minute at most, also where no report arrives',
    async () => {
      const before = await counted('REJECTION')
      await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
        const sent = reportsOf(page)
        await enter(page, '/customers')
        await heading(page, 'Clients')
        // By promises: the browser's own report of an error would end the visit.
        const fail = (times: number) =>
          page.evaluate(`
            addEventListener('unhandledrejection', (event) => event.preventDefault())
            for (let n = 0; n < ${times}; n += 1) {
              const reason = new Error('planted for +229 01 97 00 00 10')
              const of = { promise: Promise.resolve(), reason }
              dispatchEvent(new PromiseRejectionEvent('unhandledrejection', of))
            }`)
        // A remark of the browser's own, with nothing that was thrown.
        await page.evaluate(`
          const message = 'ResizeObserver loop completed with undelivered notifications.'
          dispatchEvent(new ErrorEvent('error', { message }))`)
        await fail(3)
        await eventually(async () => expect(await counted('REJECTION')).toBe(before + 3))
        expect(sent).toHaveLength(3)
        await page.route('**/client-errors/', (route) => route.abort())
        await fail(20)
        await expect.poll(() => sent.length).toBe(10)
        await page.waitForTimeout(500)
        expect(sent).toHaveLength(10)
        expect(await counted('REJECTION')).toBe(before + 3)
        await heading(page, 'Clients')
      })
    },
    patience_ms,
  )
})
