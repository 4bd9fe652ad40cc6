// A merchant saves a million payments from the dashboard: the browser begins to save at once, the
// page stays as small as it was and in its place, and a file that was cut short is a failed one and
// not a shorter one. Without the last a bookkeeper closes a month by half of it.

import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Download, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { crowd } from '../setup/by-the-clock.ts'
import { plantManyTransactions } from '../setup/many-transactions.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

const rows = sized(150_000, 1_000_000)
const file_min = 240 * rows
/** The bars of docs/dashboard.md, A10; the first is of a machine that does nothing else. */
const begins_within_ms = sized(5_000, 1_000)
const heap_growth_max = 5 * 2 ** 20
const patience_ms = 300_000

let fixture: BrowserFixture
let owner: SignedInCaller

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await plantManyTransactions(fixture.app.owner, owner.merchant_id, rows)
}, patience_ms)
afterAll(() => fixture.stop())

/** The list of files, where the form of payments is. */
async function openFiles(page: Page): Promise<void> {
  await openFor(page, fixture.app.url, owner.merchant_id, '/reports/files')
  await signInAs(page, owner)
  // Not only the month before, which it begins with.
  const today = new Date().toISOString().slice(0, 10)
  await form(page).getByLabel('Du', { exact: true }).fill('2020-01-01')
  await form(page).getByLabel('Au', { exact: true }).fill(today)
}

const form = (page: Page) => page.getByRole('form', { name: 'Opérations', exact: true })

async function save(page: Page): Promise<Download> {
  const begun = page.waitForEvent('download')
  await form(page).getByRole('button', { name: 'Enregistrer (CSV)' }).click()
  return begun
}

/** Ends what reads the file's rows, as soon as there is one. */
async function cutItsStatement(): Promise<void> {
  const gives_up_at = performance.now() + 60_000
  while (performance.now() < gives_up_at) {
    const ended = await fixture.app.owner`
      select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'pirogue-export' and datname = current_database()
         and query like '%copy (%' and state = 'active'`
    if (ended.length > 0) return
    await sleep(10)
  }
  throw new Error('nobody read a file')
}

/** What its page keeps, once it has thrown away what it need not. */
async function heapOf(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0
}

it(
  'begins within a second, is whole, and leaves the page as small as it was',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFiles(page)
      const devtools = await page.context().newCDPSession(page)
      await devtools.send('Performance.enable')
      const before = await heapOf(devtools)
      const began = performance.now()
      const file = await save(page)
      expect(performance.now() - began).toBeLessThan(begins_within_ms * crowd())
      expect(await file.failure()).toBe(null)
      expect((await stat(await file.path())).size).toBeGreaterThan(file_min)
      expect((await heapOf(devtools)) - before).toBeLessThan(heap_growth_max)
    })
  },
  patience_ms,
)

wholeIt(
  'is a failed download when the file was cut, and not a shorter file',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFiles(page)
      const file = await save(page)
      await cutItsStatement()
      expect(await file.failure()).not.toBe(null)
    })
  },
  patience_ms,
)

it(
  'is refused in words, on the page that asked, when it cannot begin',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFiles(page)
      const at = page.url()
      // It waits for the lock, so that nothing of it has been sent when it is ended.
      await fixture.app.owner.begin(async (tx) => {
        await tx`lock table transactions in access exclusive mode`
        await form(page).getByRole('button', { name: 'Enregistrer (CSV)' }).click()
        await cutItsStatement()
      })
      await form(page).getByText('Le service est momentanément indisponible').waitFor()
      expect(page.url()).toBe(at)
      await expectSound(page)
      // What was typed is there still, and asked for again it is made.
      const file = await save(page)
      expect(await file.failure()).toBe(null)
    })
  },
  patience_ms,
)
