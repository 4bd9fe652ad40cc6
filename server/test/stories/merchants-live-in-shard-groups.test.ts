// The whole way of a payment where each merchant's rows are on a worker of their own and the workers
// have no table of control: made, accepted, confirmed, told by webhook, and proved by the ledger.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { merchantTables } from '../../src/app/distribute/merchant-tables.ts'
import { newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { createTestDatabase } from '../setup/database.ts'
import { type Groups, placeOnGroups } from '../setup/place-on-groups.ts'

let app: TestApp
let groups: Groups
let shops: readonly Shop[]

beforeAll(async () => {
  const database = await createTestDatabase()
  groups = await placeOnGroups(database)
  app = await startApp({ database })
  shops = [await app.shop(), await app.shop(), await app.shop(), await app.shop()]
})
afterAll(async () => {
  await app?.stop()
  await groups?.drop()
})

describe('a payment', () => {
  it('is made, confirmed and booked on its merchant’s worker', async () => {
    const paid = await Promise.all(
      shops.map(async (shop) => {
        const reply = await shop.pay({ customer: newPayer() })
        expect(reply.status, JSON.stringify(reply.body)).toBe(201)
        return shop.becomes(reply.data.id, 'SUCCESS')
      }),
    )
    for (const [at, shop] of shops.entries()) {
      expect(await shop.balance()).toEqual({ available_amount: '5000.00', pending_amount: '0.00' })
      const worker = await groups.workerOf(shop.merchant_id)
      const rows = await worker.owner`select 1 from transactions where id = ${paid[at].id}`
      expect(rows).toHaveLength(1)
    }
  })
})

describe('a phone', () => {
  const counts = () => app.owner<{ window_count: number }[]>`
    select window_count from prompt_windows`

  it('is counted once for a key that is used many times at once, and for all merchants', async () => {
    await app.owner`delete from prompt_windows`
    const customer = newPayer()
    const [shop, other] = shops
    if (shop === undefined || other === undefined) throw new Error('two shops')
    const call = () => shop.pay({ customer }, { 'idempotency-key': 'one-prompt' })
    const replies = await Promise.all([call(), call(), call()])
    expect(replies.filter(({ status }) => status === 201).length).toBeGreaterThan(0)
    expect(await counts()).toEqual([{ window_count: 1 }])
    expect((await other.pay({ customer })).status).toBe(201)
    expect(await counts()).toEqual([{ window_count: 2 }])
  })
})

describe('control', () => {
  it('has no row of a merchant’s own', async () => {
    const counts = await Promise.all(
      merchantTables.map(async (table) => {
        const rows = await app.owner`select 1 from ${app.owner(table)} limit 1`
        return [table, rows.length] as const
      }),
    )
    const written = counts.filter(([, count]) => count > 0).map(([table]) => table)
    // What staff and the command line did to the merchant itself is written at control.
    expect(written.filter((table) => table !== 'audit_logs')).toEqual([])
  })
})
