// Which routes a payment may take, and in which order: read from real rows, chosen in memory.

import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import type { Db } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { Direction, Gateway, Gateways } from './gateway.ts'
import { addGateways, addRoutes, type NewRoute } from './gateways.ts'
import { type Health, newHealth } from './health.ts'
import {
  chooseRoutes,
  type GatewayRoute,
  type GatewayRoutes,
  type RouteQuery,
  routesIn,
} from './routing.ts'

let database: TestDatabase
let db: Db
let network_id: string
let version = 1n

beforeAll(async () => {
  database = await createTestDatabase()
  db = database.owner
  const [row] = await db<{ id: string }[]>`select id from networks where code = 'wave_sn'`
  network_id = row?.id ?? ''
  const codes = ['ant', 'bee', 'cat', 'dog']
  await addGateways(
    db,
    codes.map((code) => ({
      id: newId(),
      code,
      adapter: 'one',
      name: code,
      environment: 'LIVE',
      is_active: true,
    })),
  )
})
beforeEach(async () => {
  await db`delete from routes where environment = 'LIVE'`
  await db`update gateways set is_active = true`
})
afterAll(() => database.drop())

/** Routes of the network in LIVE, where the seeds have none. */
const write = (rows: readonly (Partial<NewRoute> & { gateway_code: string })[]) =>
  addRoutes(
    db,
    rows.map((row) => ({
      id: newId(),
      network_code: 'wave_sn',
      direction: 'COLLECT',
      environment: 'LIVE',
      priority: 1,
      is_active: true,
      breaker: true,
      amount_step: 100n,
      cost_percent_ppm: 10_000n,
      cost_fixed: 0n,
      cost_floor: null,
      cost_cap: null,
      ...row,
    })),
  )

const readRoutes = routesInOrder()
/** The routes as a process reads them after a change of the catalogue. */
function routesInOrder() {
  let read: ReturnType<typeof routesIn> | undefined
  return () => {
    read ??= routesIn(db)
    version += 1n
    return read(version)
  }
}

const routeQuery = (more: Partial<RouteQuery> = {}): RouteQuery => ({
  network_id,
  direction: 'COLLECT',
  environment: 'LIVE',
  preferred_gateway: '',
  ...more,
})

const gatewayOf = (code: string, direction: Direction): Gateway => {
  const reply = async () => ({ answer: { is: 'not_found' as const }, hash: Buffer.alloc(32) })
  const gateway: Gateway = {
    code,
    facts: {
      create_is_idempotent: true,
      not_found_grace_s: 900,
      call_timeout_ms: 1,
      queries_per_second: 1,
      first_ask_after_s: { callbacks_seen: 1, callbacks_silent: 1 },
      callback_address: 'PER_CALL',
    },
    query: reply,
    readCallback: () => ({ proof: 'UNSIGNED', key: '', answer: { is: 'not_found' } }),
  }
  return Object.assign(gateway, direction === 'COLLECT' ? { collect: reply } : { pay: reply })
}

/** Every gateway but these collects; those of `pays` only pay. */
function gatewaysWithout(missing: readonly string[] = [], pays: readonly string[] = []): Gateways {
  const get = (code: string) =>
    missing.includes(code)
      ? undefined
      : gatewayOf(code, pays.includes(code) ? 'DISBURSE' : 'COLLECT')
  return { get, all: () => [] }
}

const sound = () => ({ gateways: gatewaysWithout(), health: newHealth() })
const codesOf = (routes: readonly GatewayRoute[]) => routes.map(({ gateway_code }) => gateway_code)
const chosen = (routes: GatewayRoutes, more: Partial<RouteQuery> = {}, facts = sound()) =>
  codesOf(chooseRoutes(routes, facts, routeQuery(more)).routes)

describe('the order', () => {
  it('is by priority, then by what the route costs, then by name', async () => {
    await write([
      { gateway_code: 'ant', priority: 2, cost_percent_ppm: 0n },
      { gateway_code: 'bee', priority: 1, cost_percent_ppm: 20_000n },
      { gateway_code: 'cat', priority: 1, cost_percent_ppm: 10_000n, cost_fixed: 500n },
      { gateway_code: 'dog', priority: 1, cost_percent_ppm: 10_000n, cost_fixed: 100n },
    ])
    expect(chosen(await readRoutes())).toEqual(['dog', 'cat', 'bee', 'ant'])
    await db`update routes set cost_percent_ppm = 0, cost_fixed = 0 where environment = 'LIVE'`
    expect(chosen(await readRoutes())).toEqual(['bee', 'cat', 'dog', 'ant'])
  })

  it('ends with what its operator calls closed, and leaves it where there is no other', async () => {
    await write([
      { gateway_code: 'ant', priority: 1 },
      { gateway_code: 'bee', priority: 2 },
      { gateway_code: 'cat', priority: 3 },
    ])
    const routes = await readRoutes()
    const ids = new Map(routes.of(network_id, 'COLLECT', 'LIVE').map((r) => [r.gateway_code, r.id]))
    let now_ms = Date.now()
    const health = newHealth(() => now_ms)
    const saying = (...codes: string[]) => {
      health.setSaidClosed(codes.map((code) => ids.get(code) ?? ''))
      return chooseRoutes(routes, { ...sound(), health }, routeQuery())
    }
    const first = saying('ant')
    expect(codesOf(first.routes)).toEqual(['bee', 'cat', 'ant'])
    expect(first.skipped).toEqual([{ gateway_code: 'ant', reason: 'operator_closed' }])
    const all = saying('ant', 'bee', 'cat')
    expect([codesOf(all.routes), all.closed, all.broken]).toEqual([
      ...[['ant', 'bee', 'cat'], undefined, undefined],
    ])
    // What was read a minute ago says nothing any more, whoever stopped reading.
    saying('ant')
    now_ms += 60_000
    expect(chosen(routes, {}, { ...sound(), health })).toEqual(['ant', 'bee', 'cat'])
  })

  it('begins with the preferred gateway and keeps the others as they were', async () => {
    await write([
      { gateway_code: 'ant', priority: 1 },
      { gateway_code: 'bee', priority: 2 },
      { gateway_code: 'cat', priority: 3 },
    ])
    const routes = await readRoutes()
    expect(chosen(routes, { preferred_gateway: 'cat' })).toEqual(['cat', 'ant', 'bee'])
    expect(chosen(routes, { preferred_gateway: 'nobody' })).toEqual(['ant', 'bee', 'cat'])
  })
})

describe('left out', () => {
  it('is a route that is switched off, until it is switched on', async () => {
    await write([{ gateway_code: 'ant', is_active: false }, { gateway_code: 'bee' }])
    expect(chosen(await readRoutes())).toEqual(['bee'])
    await db`update routes set is_active = true where environment = 'LIVE'`
    expect(chosen(await readRoutes())).toEqual(['ant', 'bee'])
  })

  it('is every route of a gateway whose kill switch is thrown, preferred or not', async () => {
    await write([{ gateway_code: 'ant' }, { gateway_code: 'bee', priority: 2 }])
    await db`update gateways set is_active = false where code = 'ant'`
    expect(chosen(await readRoutes(), { preferred_gateway: 'ant' })).toEqual(['bee'])
    await db`update gateways set is_active = false where code = 'bee'`
    expect(chosen(await readRoutes())).toEqual([])
  })

  it('is a gateway that this process cannot speak to', async () => {
    await write([{ gateway_code: 'ant' }, { gateway_code: 'bee' }])
    const facts = { ...sound(), gateways: gatewaysWithout(['ant']) }
    expect(chosen(await readRoutes(), { preferred_gateway: 'ant' }, facts)).toEqual(['bee'])
  })

  it('is a gateway that cannot do what is asked', async () => {
    const both = ['COLLECT', 'DISBURSE'] as const
    await write(both.map((direction) => ({ gateway_code: 'ant', direction })))
    const routes = await readRoutes()
    const paying = { ...sound(), gateways: gatewaysWithout([], ['ant']) }
    expect(chosen(routes)).toEqual(['ant'])
    expect(chosen(routes, { direction: 'DISBURSE' })).toEqual([])
    expect(chosen(routes, {}, paying)).toEqual([])
    expect(chosen(routes, { direction: 'DISBURSE' }, paying)).toEqual(['ant'])
  })

  it('is what belongs to another network, direction or environment', async () => {
    await write([
      { gateway_code: 'ant' },
      { gateway_code: 'bee', network_code: 'wizall_sn' },
      { gateway_code: 'cat', direction: 'DISBURSE' },
      { gateway_code: 'dog', environment: 'SANDBOX' },
    ])
    const routes = await readRoutes()
    expect(chosen(routes)).toEqual(['ant'])
    expect(chosen(routes, { environment: 'SANDBOX' })).toContain('dog')
    expect(chosen(routes, { environment: 'SANDBOX' })).not.toContain('ant')
    expect(chosen(routes, { network_id: newId() })).toEqual([])
    await db`delete from routes where gateway_id in (select id from gateways where code = 'dog')`
  })
})

describe('a broken route', () => {
  const broken = (routes: GatewayRoutes, codes: readonly string[]) => {
    const health = newHealth()
    for (const route of routes.of(network_id, 'COLLECT', 'LIVE')) {
      if (!codes.includes(route.gateway_code)) continue
      for (let i = 0; i < 5; i += 1) health.record(route, 10, 'timeout')
    }
    return { gateways: gatewaysWithout(), health }
  }
  const reason = '5 failures in a row, the last: timeout'

  beforeEach(async () => {
    await write([
      { gateway_code: 'ant', priority: 1 },
      { gateway_code: 'bee', priority: 2 },
      { gateway_code: 'cat', priority: 3, breaker: false },
    ])
  })

  it('is left out, and the choice says which and why', async () => {
    const routes = await readRoutes()
    const choice = chooseRoutes(routes, broken(routes, ['ant']), routeQuery())
    expect(codesOf(choice.routes)).toEqual(['bee', 'cat'])
    expect(choice.skipped).toEqual([{ gateway_code: 'ant', reason }])
  })

  it('is left out also when it is the preferred one', async () => {
    const routes = await readRoutes()
    const query = routeQuery({ preferred_gateway: 'ant' })
    const choice = chooseRoutes(routes, broken(routes, ['ant']), query)
    expect(codesOf(choice.routes)).toEqual(['bee', 'cat'])
  })

  it('is tried all the same when its breaker is off', async () => {
    const routes = await readRoutes()
    const choice = chooseRoutes(routes, broken(routes, ['ant', 'bee', 'cat']), routeQuery())
    expect(codesOf(choice.routes)).toEqual(['cat'])
    expect(choice.skipped.map(({ gateway_code }) => gateway_code)).toEqual(['ant', 'bee'])
  })

  it('is tried all the same when every route is broken, in the usual order', async () => {
    await db`update routes set breaker = true where environment = 'LIVE'`
    const routes = await readRoutes()
    const query = routeQuery({ preferred_gateway: 'bee' })
    const choice = chooseRoutes(routes, broken(routes, ['ant', 'bee', 'cat']), query)
    expect(codesOf(choice.routes)).toEqual(['bee', 'ant', 'cat'])
    expect(choice.skipped).toHaveLength(3)
  })
})

describe('an ill route, one that is full, and one that is tried again', () => {
  const at = (health: Health) => ({ gateways: gatewaysWithout(), health })
  const findIn = (routes: GatewayRoutes, code: string, direction: Direction = 'COLLECT') => {
    const route = routes
      .of(network_id, direction, 'LIVE')
      .find(({ gateway_code }) => gateway_code === code)
    if (route === undefined) throw new Error(`no route ${code}`)
    return route
  }

  it('ill: is tried after the others, preferred or not, while there are others', async () => {
    await write([
      { gateway_code: 'ant', priority: 1 },
      { gateway_code: 'bee', priority: 2 },
    ])
    const routes = await readRoutes()
    const ant = findIn(routes, 'ant').id
    const facts = at({ ...newHealth(), isDemoted: ({ id }) => id === ant })
    expect(chosen(routes, {}, facts)).toEqual(['bee', 'ant'])
    const { skipped } = chooseRoutes(routes, facts, routeQuery())
    expect(skipped).toEqual([{ gateway_code: 'ant', reason: 'demoted' }])
    expect(chosen(routes, { preferred_gateway: 'ant' }, facts)).toEqual(['bee', 'ant'])
    await db`
      update routes set is_active = gateway_id in (select id from gateways where code = 'ant')
       where environment = 'LIVE'`
    expect(chosen(await readRoutes(), {}, facts)).toEqual(['ant'])
  })

  it('full: gets nothing more, and payouts wait where all are', async () => {
    const both = ['COLLECT', 'DISBURSE'] as const
    await write(both.map((direction) => ({ gateway_code: 'ant', direction })))
    const routes = await readRoutes()
    const health = newHealth()
    const { gateway_id } = findIn(routes, 'ant')
    health.setExposed(both.map((direction) => ({ gateway_id, direction })))
    const paying = { ...at(health), gateways: gatewaysWithout([], ['ant']) }
    expect(chooseRoutes(routes, at(health), routeQuery())).toMatchObject({
      routes: [],
      skipped: [{ gateway_code: 'ant', reason: 'exposure_limit' }],
    })
    const [payout] = chooseRoutes(routes, paying, routeQuery({ direction: 'DISBURSE' })).routes
    expect(payout).toMatchObject({ gateway_code: 'ant', held_back: 'NO_ROUTE' })
  })

  it('broken: one payment tries it again, a page that shows prices does not', async () => {
    await write([
      { gateway_code: 'ant', priority: 1 },
      { gateway_code: 'bee', priority: 2 },
    ])
    const routes = await readRoutes()
    let now = 0
    const health = newHealth(() => now)
    for (let i = 0; i < 5; i += 1) health.record(findIn(routes, 'ant'), 10, 'timeout')
    expect(chosen(routes, {}, at(health))).toEqual(['bee'])
    now = 30_000
    expect(chosen(routes, { showing: true }, at(health))).toEqual(['bee'])
    expect(chosen(routes, {}, at(health))).toEqual(['ant', 'bee'])
    expect(chosen(routes, {}, at(health))).toEqual(['bee'])
    health.record(findIn(routes, 'ant'), 10, undefined)
    expect(chosen(routes, {}, at(health))).toEqual(['ant', 'bee'])
  })

  it('broken: no payout ever tries it, whatever fails and however time passes', async () => {
    await write([
      { gateway_code: 'ant', direction: 'DISBURSE' },
      { gateway_code: 'bee', direction: 'DISBURSE', priority: 2 },
    ])
    const routes = await readRoutes()
    const query = routeQuery({ direction: 'DISBURSE' })
    const isToTry = (health: Health, code: string) =>
      health.isToTry(findIn(routes, code, 'DISBURSE'))
    const step = fc.record({
      code: fc.constantFrom('ant', 'bee'),
      after_ms: fc.integer({ min: 0, max: 300_000 }),
      // Rarely: a route that works now and then is seldom broken for long.
      works: fc.nat(9).map((one) => one === 0),
    })
    let rested = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
        let now = 0
        const health = newHealth(() => now)
        const facts = { gateways: gatewaysWithout([], ['ant', 'bee']), health }
        for (const { code, after_ms, works } of steps) {
          now += after_ms
          health.record(findIn(routes, code, 'DISBURSE'), 10, works ? undefined : 'timeout')
          rested += ['ant', 'bee'].filter((of) => isToTry(health, of)).length
          for (const route of chooseRoutes(routes, facts, query).routes) {
            const isBroken = health.skipped(route) !== undefined
            expect(route.held_back).toBe(isBroken ? 'NO_ROUTE' : undefined)
          }
        }
      }),
    )
    // A payment would have tried it: these are the moments in which a payout must not.
    expect(rested).toBeGreaterThan(100)
  })

  it('dead: is left with five payments lost to it, and within half a minute', async () => {
    await write([
      { gateway_code: 'ant', priority: 1 },
      { gateway_code: 'bee', priority: 2 },
    ])
    const routes = await readRoutes()
    // A payment every `every_ms`; the operator is silent, and each call is given up after 12 s.
    for (const every_ms of [700, 2_000, 5_000]) {
      let now = 0
      const health = newHealth(() => now)
      const ant = findIn(routes, 'ant')
      for (let i = 0; i < 50; i += 1) health.record(ant, 10, undefined)
      let lost = 0
      const ends: number[] = []
      for (let left = false; !left; now += every_ms) {
        while ((ends[0] ?? Number.POSITIVE_INFINITY) <= now) {
          ends.shift()
          health.record(ant, 12_000, 'timeout')
        }
        left = chosen(routes, {}, at(health))[0] !== 'ant'
        if (left) continue
        health.begin(ant)
        ends.push(now + 12_000)
        lost += 1
      }
      expect(lost, `every ${every_ms} ms`).toBe(5)
      expect(now).toBeLessThanOrEqual(30_000)
    }
  })
})

describe('routesIn', () => {
  it('reads again only when the version moves on', async () => {
    await write([{ gateway_code: 'ant' }])
    const read = routesIn(db)
    expect(chosen(await read(1n))).toEqual(['ant'])
    await write([{ gateway_code: 'bee' }])
    expect(chosen(await read(1n))).toEqual(['ant'])
    expect(chosen(await read(2n))).toEqual(['ant', 'bee'])
  })

  it('carries what the price and the breaker need, sums as bigint', async () => {
    await write([{ gateway_code: 'ant', cost_fixed: 2_500n, cost_cap: 90_000n, breaker: false }])
    const [route] = (await routesIn(db)(1n)).of(network_id, 'COLLECT', 'LIVE')
    expect(route).toMatchObject({
      gateway_code: 'ant',
      network_id,
      breaker: false,
      amount_step: 100n,
      cost_percent_ppm: 10_000n,
      cost_fixed: 2_500n,
      cost_floor: null,
      cost_cap: 90_000n,
    })
  })
})
