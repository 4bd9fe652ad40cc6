// Where several operators serve a network, staff say which of them is tried first: by priority, by
// what it costs for the amount, or by how many payments succeed. Every process goes by it at once.

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../src/app/start.ts'
import { judgeRoutes } from '../../src/gateways/judge-routes.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { openPayingShop, payOut } from '../setup/payout-calls.ts'

let app: TestApp
let second: Service
let staff: SignedInCaller
let shop: Shop
beforeAll(async () => {
  app = await startApp()
  second = await app.another()
  staff = await heldToPublished(await app.staff({ role: 'OPERATIONS' }))
  shop = (await openPayingShop(app)).shop
})
afterAll(() => app?.stop())

const patch = (path: string, body: unknown) =>
  staff.call('PATCH', path, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

const routesOf = async (direction: string): Promise<Json[]> =>
  (await staff.get(`/admin/routes/?network=mtn_bj&direction=${direction}`)).data.results

async function networkId(): Promise<string> {
  const { data } = await staff.get('/admin/networks/?country=BJ&page_size=100')
  return data.results.find((one: Json) => one.code === 'mtn_bj').id
}

/** By which operator a payment of so many francs went, in the other process. */
async function takenBy(amount: string): Promise<string> {
  const elsewhere = shopWith(second.public_url, shop.merchant_id, shop.key)
  const paid = await elsewhere.pay({ amount, customer: newPayer('10') })
  expect(paid.status, JSON.stringify(paid.body)).toBe(201)
  const { data } = await elsewhere.get(`/transactions/${paid.data.id}/`)
  return data.attempts[0].gateway_code
}

it('by cost: the cheapest for the amount, in every process from the next call on', async () => {
  expect(await takenBy('10000')).toBe('simulator_a')
  const [a, b] = await routesOf('COLLECT')
  await patch(`/admin/routes/${a.id}/`, { cost: { percent: '2', fixed: '0' } })
  await patch(`/admin/routes/${b.id}/`, { cost: { percent: '1', fixed: '50' } })
  expect(await takenBy('10000')).toBe('simulator_a')
  const changed = await patch(`/admin/networks/${await networkId()}/`, { collect_routing: 'COST' })
  expect([changed.status, changed.data.collect_routing, changed.data.disburse_routing]).toEqual([
    ...[200, 'COST', 'PRIORITY'],
  ])
  // Two per cent of 10 000 are 200, one per cent and 50 are 150; of 2 000 it is 40 and 70.
  expect(await takenBy('10000')).toBe('simulator_b')
  expect(await takenBy('2000')).toBe('simulator_a')
  const [act] = await app.owner<Json[]>`
    select action, before, after from audit_logs where target_kind = 'network' order by id desc`
  expect(act).toMatchObject({
    ...{ action: 'network.changed', before: { collect_routing: 'PRIORITY' } },
    after: { collect_routing: 'COST' },
  })
})

it('by success: the one on which most succeed, once that was looked at', async () => {
  const [a, b] = await routesOf('COLLECT')
  // Without one a route of the sandbox is not looked at: it fails there on purpose.
  await app.owner`update routes set breaker = true where id in (${a.id}, ${b.id})`
  await app.owner`
    insert into route_stats (route_id, minute, good, bad)
    values (${a.id}, date_trunc('minute', now()) - interval '3 minutes', 194, 6),
           (${b.id}, date_trunc('minute', now()) - interval '3 minutes', 170, 30)`
  await patch(`/admin/networks/${await networkId()}/`, { collect_routing: 'SUCCESS' })
  await judgeRoutes(app.owner, Date.now())
  // Dearer, and much better. Of a hundred payments two try the other one.
  await eventually(async () => expect(await takenBy('10000')).toBe('simulator_a'))
  await app.owner`update route_stats set good = 170, bad = 30 where route_id = ${a.id}`
  await app.owner`update route_stats set good = 194, bad = 6 where route_id = ${b.id}`
  await app.owner`update route_health set looked_at = looked_at - interval '6 minutes'`
  await judgeRoutes(app.owner, Date.now())
  await eventually(async () => expect(await takenBy('10000')).toBe('simulator_b'))
})

it('payouts have an order of their own', async () => {
  const [a] = await routesOf('DISBURSE')
  await patch(`/admin/routes/${a.id}/`, { cost: { percent: '9', fixed: '0' } })
  const sentBy = async () => {
    const reply = await payOut(shop, '1000')
    expect(reply.status, JSON.stringify(reply.body)).toBe(201)
    return eventually(async () => {
      const { data } = await shop.get(`/transactions/${reply.data.id}/`)
      const [attempt] = data.attempts
      expect(attempt).toBeDefined()
      return attempt.gateway_code
    })
  }
  expect(await sentBy()).toBe('simulator_a')
  await patch(`/admin/networks/${await networkId()}/`, { disburse_routing: 'COST' })
  expect(await sentBy()).toBe('simulator_b')
})

it('400: another word, by the name of its field', async () => {
  const wrong = await patch(`/admin/networks/${await networkId()}/`, { collect_routing: 'LUCK' })
  expect([wrong.status, Object.keys(wrong.error)]).toEqual([400, ['collect_routing']])
})
