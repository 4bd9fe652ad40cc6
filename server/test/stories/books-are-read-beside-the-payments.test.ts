// Law 7: whoever asks for journals, days and figures, or searches, however many at once, takes no
// connection from what moves money, and keeps nobody's lists waiting but their own. Each is held by
// a lock until something else has been answered.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually, type Shop, startApp, type TestApp } from '../harness.ts'
import { connectTo } from '../setup/database.ts'
import { daysAgo } from '../setup/report-days.ts'

let app: TestApp
let shop: Shop
let other: Shop
beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
  other = await app.shop({ environment: 'LIVE', live: true })
})
afterAll(() => app.stop())

/** More than any pool of a process has connections. */
const at_once = 12

const day = daysAgo(0)
const reports = [
  ['days', `/reports/daily/?date=${day}`, 'merchant_time_zones'],
  ['journals', `/reports/journal/?from=${day}&to=${day}`, 'merchant_time_zones'],
  ['glances', '/overview/', 'merchant_time_zones'],
  ['figures', `/stats/transactions/?from=${day}&to=${day}`, 'merchant_time_zones'],
  ['searches', '/search/?q=nobody', 'transaction_search'],
] as const

/** How many wait for a lock, by the pool whose connections they have. */
async function waiting(): Promise<Readonly<Record<string, number>>> {
  const rows = await app.owner<{ name: string; count: number }[]>`
    select application_name as name, count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'
     group by 1`
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

it.each(reports)('%s that have to wait keep nothing of others waiting', async (_, path, table) => {
  const rival = connectTo(app.database.options, 1)
  try {
    await rival`begin`
    await rival`lock table ${rival(table)} in access exclusive mode`
    const asked = Array.from({ length: at_once }, () => shop.get(path))
    await eventually(async () => expect(await waiting()).not.toEqual({}))
    // The others of them have come by now.
    await new Promise((ok) => setTimeout(ok, 300))
    const balances = await shop.get('/merchant-balances/00000000-0000-4000-8000-000000000000/')
    const list = await other.get('/transactions/')
    const still = await waiting()
    await rival`rollback`
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect([balances.status, list.status]).toEqual([404, 200])
    expect(Object.keys(still)).toEqual(['pirogue-read'])
    expect(statuses).toEqual(statuses.map(() => 200))
  } finally {
    await rival.end()
  }
})
