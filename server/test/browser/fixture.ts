// What the journeys in a browser have in common: the whole service, one shop, the shop's own site
// to which payers return, one browser; and a payer's hands on the pages.

import type { Page } from 'playwright-core'
import { type Json, type Shop, startApp, type TestApp } from '../harness.ts'
import { openSession } from '../setup/payer-calls.ts'
import { type Browsing, borrowBrowser, type Visitor } from './browser.ts'
import { type Site, startSite } from './site.ts'

export type BrowserFixture = Readonly<{
  app: TestApp
  shop: Shop
  site: Site
  /** A session of 5 000 XOF that leads back to nowhere, unless told otherwise. */
  open(changes?: Record<string, unknown>): Promise<Json>
  visit<T>(visitor: Visitor, look: (page: Page) => Promise<T>): Promise<T>
  /** The session's transactions, oldest first. */
  transactionsOf(session: Json): Promise<{ id: string; status: string; network_code: string }[]>
  /** The payer decides, on their phone. */
  resolve(session: Json, outcome: 'SUCCESS' | 'FAILED', failure_code?: string): Promise<void>
  stop(): Promise<void>
}>

export async function startFixture(): Promise<BrowserFixture> {
  const app = await startApp()
  const shop = await app.shop()
  const site = await startSite()
  const browsing: Browsing = await borrowBrowser([app.url, app.simulator.url, site.url])
  const transactionsOf = (session: Json) =>
    app.owner<{ id: string; status: string; network_code: string }[]>`
      select id, status, network_code from transactions
       where checkout_session = ${session.id} order by id`
  return {
    app,
    shop,
    site,
    open: (changes = {}) => openSession(shop, { return_url: '', ...changes }),
    visit: browsing.visit,
    transactionsOf,
    async resolve(session, outcome, failure_code) {
      const last = (await transactionsOf(session)).at(-1)
      const body = { outcome, ...(failure_code === undefined ? {} : { failure_code }) }
      const reply = await shop.post(`/sandbox/transactions/${last?.id}/resolve/`, body)
      if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
    },
    async stop() {
      await browsing.close()
      await site.stop()
      await app.stop()
    },
  }
}
