// Whoever tries the service out fills an empty sandbox with a made-up past that the books prove:
// once, however often it is asked for, and nowhere but in a demo's sandbox.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { type Shop, shopWith, startApp, type TestApp } from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  const checks = await verifyLedger(app.service.db)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  await app.stop()
})

const empty = async (): Promise<Shop> => heldToPublished(await app.shop())
const fill = (by: Shop, body: object = {}) => by.post('/sandbox/examples/', body)
const offer = async (by: Shop) => (await by.get('/sandbox/examples/')).data

const countOf = async ({ merchant_id }: Shop) => {
  const [row] = await app.owner<{ count: number }[]>`
    select count(*)::int as count from transactions where merchant_id = ${merchant_id}`
  return row?.count
}

describe('an empty sandbox', () => {
  it('is filled with a past that adds up, and takes payments after it', async () => {
    const shop = await empty()
    expect(await offer(shop)).toEqual({ possible: true, transactions_max: 2000 })
    const { status, data } = await fill(shop, { transactions: 300, days: 60 })
    expect([status, data.days]).toEqual([201, 60])
    expect(data.transactions).toBeGreaterThan(200)
    expect(await countOf(shop)).toBe(data.transactions)
    expect(await offer(shop)).toEqual({ possible: false, transactions_max: 2000 })
    const paid = await shop.pay()
    await shop.becomes(paid.data.id, 'SUCCESS')
    const unsummed = await app.owner`
      select * from (
        select balance_after, available_change,
               coalesce(lag(balance_after) over (partition by country order by created_at, id), 0)
                 as before
          from ledger_entries
         where merchant_id = ${shop.merchant_id} and entry_no is not null) e
       where balance_after <> before + available_change`
    expect(unsummed).toHaveLength(0)
    const { data: overview } = await shop.get('/overview/')
    expect(overview.balances.length).toBeGreaterThan(3)
  })

  it('of which the hours were looked at while it was empty shows what it is filled with', async () => {
    const shop = await empty()
    const dayOf = (ago: number) =>
      new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    const path = `/stats/transactions/?from=${dayOf(5)}&to=${dayOf(1)}&step=hour`
    const paid = async (): Promise<number> => {
      const totals: { succeeded: number }[] = (await shop.get(path)).data.totals
      return totals.reduce((sum, { succeeded }) => sum + succeeded, 0)
    }
    expect(await paid()).toBe(0)
    expect((await fill(shop, { transactions: 300, days: 7 })).status).toBe(201)
    expect(await paid()).toBeGreaterThan(50)
  })

  it('that is asked to be filled by ten at once is filled once', async () => {
    const shop = await empty()
    const body = { transactions: 60, days: 60 }
    const replies = await Promise.all(Array.from({ length: 10 }, () => fill(shop, body)))
    const made = replies.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    // Whoever waits too long for the balances is answered 503: asked again, it is a 409 as well.
    const others = replies.filter(({ status }) => status !== 201)
    expect(others.filter(({ status }) => ![409, 503].includes(status))).toEqual([])
    const again = await fill(shop, body)
    expect([again.status, again.error.code]).toEqual([409, 'examples_not_possible'])
    expect(await countOf(shop)).toBe(made[0]?.data.transactions)
  })
})

describe('it is refused', () => {
  it('to a sandbox in which something has moved, and makes nothing', async () => {
    const shop = await empty()
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '1000' })
    expect((await offer(shop)).possible).toBe(false)
    const { status, error } = await fill(shop)
    expect([status, error.code]).toEqual([409, 'examples_not_possible'])
    expect(await countOf(shop)).toBe(0)
  })

  it('to a merchant that is approved for LIVE, there 404', async () => {
    const sandbox = await app.shop({ live: true })
    expect((await offer(sandbox)).possible).toBe(false)
    expect((await fill(sandbox)).status).toBe(409)
    const live = await app.shop({ live: true, environment: 'LIVE' })
    expect((await fill(live)).status).toBe(404)
    expect((await live.get('/sandbox/examples/')).status).toBe(404)
  })

  it('where the service is no demo: there is no such address, and nothing is offered', async () => {
    const shop = await app.shop()
    const real = await app.another({ DATABASE_URL: 'postgres://localhost/x' })
    const there = shopWith(real.public_url, shop.merchant_id, shop.key)
    expect((await offer(there)).possible).toBe(false)
    const { status, error } = await fill(there)
    expect([status, error.code]).toEqual([404, 'not_found'])
    expect(await countOf(shop)).toBe(0)
    await real.stop()
  })

  it('to members who may take no payments', async () => {
    const { merchant_id } = await app.shop()
    const viewer = await app.member({ merchant_id, role: 'VIEWER' })
    const { status, error } = await fill(viewer)
    expect([status, error.code]).toEqual([403, 'permission_denied'])
    expect((await offer(viewer)).possible).toBe(true)
  })
})
