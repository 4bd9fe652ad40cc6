// Law 7: whoever takes journals and days of the books, however many at once, takes no connection
// from what moves money. Each is held by a lock until something else of the same merchant's has
// been answered.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually, type Shop, startApp, type TestApp } from '../harness.ts'
import { connectTo } from '../setup/database.ts'
import { daysAgo } from '../setup/report-days.ts'

let app: TestApp
let shop: Shop
beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
})
afterAll(() => app.stop())

/** More than any pool of a process has connections. */
const at_once = 12

const day = daysAgo(0)
const reports = [
  ['days', `/reports/daily/?date=${day}`],
  ['journals', `/reports/journal/?from=${day}&to=${day}`],
] as const

/** How many wait for a lock, by the pool whose connections they have. */
async function waiting(): Promise<Readonly<Record<string, number>>> {
  const rows = await app.owner<{ name: string; count: number }[]>`
    select application_name as name, count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'
     group by 1`
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

it.each(reports)('%s that have to wait keep nothing but their like waiting', async (_, path) => {
  const rival = connectTo(app.database.options, 1)
  try {
    await rival`begin`
    await rival`lock table merchant_time_zones in access exclusive mode`
    const asked = Array.from({ length: at_once }, () => shop.get(path))
    await eventually(async () => {
      const counts = Object.values(await waiting())
      expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(3)
    })
    const other = await shop.get('/merchant-balances/')
    const still = await waiting()
    await rival`rollback`
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(other.status).toBe(200)
    expect(Object.keys(still)).toEqual(['pirogue-read'])
    expect(statuses).toEqual(statuses.map(() => 200))
  } finally {
    await rival.end()
  }
})
