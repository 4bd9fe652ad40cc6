// Which of several routes is tried first: by what they cost, by how many payments succeed on them.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Network, routings } from '../catalogue/catalogue.ts'
import type { Health } from '../gateways/health.ts'
import type { GatewayRoute } from '../gateways/routing.ts'
import { type OrderFacts, orderedOn, orderRoutes, orderShown } from './order-routes.ts'

type Known = Readonly<{
  code: string
  percent_ppm?: bigint
  fixed?: bigint
  share?: number
  dialect?: string
  amount_step?: bigint
  flow?: 'redirect'
  otp_kind?: 'PRE'
}>

const routeOf = ({
  code,
  percent_ppm = 10_000n,
  fixed = 0n,
  dialect,
  amount_step = 100n,
  flow,
  otp_kind,
}: Known): GatewayRoute => ({
  id: code,
  network_id: 'network',
  direction: 'COLLECT',
  gateway_id: code,
  gateway_code: code,
  environment: 'SANDBOX',
  priority: 1,
  is_active: true,
  breaker: true,
  amount_step,
  cost_percent_ppm: percent_ppm,
  cost_fixed: fixed,
  cost_floor: null,
  cost_cap: null,
  ...(dialect !== undefined && { dialect }),
  ...(flow !== undefined && { flow }),
  ...(otp_kind !== undefined && { otp_kind }),
})

const factsOf = (known: readonly Known[], changes: Partial<OrderFacts> = {}): OrderFacts => ({
  amount: 1_000_000n,
  currency: 'XOF',
  leastShare: ({ id }) => known.find(({ code }) => code === id)?.share ?? 0.8,
  seed: 0.5,
  ...changes,
})

const ordered = (
  routing: (typeof routings)[number],
  known: readonly Known[],
  changes: Partial<OrderFacts> = {},
) =>
  orderRoutes(routing, known.map(routeOf), factsOf(known, changes)).map(
    ({ gateway_code }) => gateway_code,
  )

describe('by cost', () => {
  const known = [
    { code: 'percent', percent_ppm: 15_000n },
    { code: 'fixed', percent_ppm: 5_000n, fixed: 20_000n },
    { code: 'same', percent_ppm: 15_000n },
  ]

  it('the cheapest for this amount is first, and priorities decide between equals', () => {
    // 1.5 % of 10 000 francs are 150; half a percent and 200 are 250. Of 100 000: 1 500 and 700.
    expect(ordered('COST', known)).toEqual(['percent', 'same', 'fixed'])
    expect(ordered('COST', known, { amount: 10_000_000n })).toEqual(['fixed', 'percent', 'same'])
    expect(ordered('PRIORITY', known)).toEqual(['percent', 'fixed', 'same'])
  })

  it('what a sandbox merchant chose to speak stays before the plain operator', () => {
    const spoken = [{ code: 'chosen', percent_ppm: 50_000n, dialect: 'mtn' }, ...known]
    expect(ordered('COST', spoken)).toEqual(['chosen', 'percent', 'same', 'fixed'])
  })
})

describe('by success', () => {
  it('the best is first; within two points of it the cheapest', () => {
    const known = [
      { code: 'ill', share: 0.6 },
      { code: 'dear', share: 0.95, percent_ppm: 30_000n },
      { code: 'cheap', share: 0.935 },
      { code: 'less', share: 0.9, percent_ppm: 1_000n },
    ]
    expect(ordered('SUCCESS', known)).toEqual(['cheap', 'dear', 'less', 'ill'])
  })

  it('two payments of a hundred try another one first', () => {
    const known = [
      { code: 'best', share: 0.95 },
      { code: 'next', share: 0.8 },
      { code: 'last', share: 0.5 },
    ]
    const first = (seed: number) => ordered('SUCCESS', known, { seed })[0]
    expect([0, 0.0099, 0.01, 0.0199, 0.02, 0.9].map(first)).toEqual([
      ...['next', 'next', 'last', 'last', 'best', 'best'],
    ])
    expect(ordered('SUCCESS', known, { seed: 0.015 })).toEqual(['last', 'best', 'next'])
    expect(ordered('COST', known, { seed: 0 })[0]).toBe('best')
    const other_step = { code: 'other', share: 0.6, amount_step: 500n }
    const on_page = { code: 'page', share: 0.6, flow: 'redirect' as const }
    const by_code = { code: 'code', share: 0.6, otp_kind: 'PRE' as const }
    for (const other of [other_step, on_page, by_code]) {
      expect(ordered('SUCCESS', [...known.slice(0, 1), other], { seed: 0 })[0]).toBe('best')
    }
  })
})

describe('on a network', () => {
  const known = [
    { code: 'ill', share: 0.5 },
    { code: 'well', share: 0.95 },
    { code: 'cheap', share: 0.2, percent_ppm: 100n },
  ]
  const health = { leastShare: factsOf(known).leastShare } as Health
  const networkOf = (collect: Network['collect_routing'], disburse = collect) =>
    ({ currency: 'XOF', collect_routing: collect, disburse_routing: disburse }) as Network
  const first = (found: ReturnType<typeof orderedOn>) =>
    found.order?.(known.map(routeOf))[0]?.gateway_code
  const about = { amount: 1_000_000n, health, showing: true }

  it('each direction has its own rule, and priorities need none', () => {
    const network = networkOf('SUCCESS', 'COST')
    expect(first(orderedOn(network, 'COLLECT', about))).toBe('well')
    expect(first(orderedOn(network, 'DISBURSE', about))).toBe('cheap')
    expect(orderedOn(networkOf('PRIORITY', 'COST'), 'COLLECT', about)).toEqual({})
    expect(orderedOn(networkOf('COST', 'PRIORITY'), 'DISBURSE', about)).toEqual({})
  })

  it('what is shown is never the try of another', () => {
    const shown = orderShown(health)(networkOf('SUCCESS', 'PRIORITY'))
    expect(new Set(Array.from({ length: 500 }, () => first(shown)))).toEqual(new Set(['well']))
  })
})

describe('in any order', () => {
  it('each route is there once, and the first is worse than none that it is compared by', () => {
    const route = fc.record({
      percent_ppm: fc.bigInt(0n, 50_000n),
      fixed: fc.bigInt(0n, 100_000n),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(
        fc.array(route, { maxLength: 8 }),
        fc.constantFrom(...routings),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.bigInt(100n, 100_000_000n),
        (some, routing, seed, amount) => {
          const known = some.map((one, index) => ({ ...one, code: `route-${index}` }))
          const result = ordered(routing, known, { seed, amount })
          expect(result.toSorted()).toEqual(known.map(({ code }) => code).toSorted())
          if (routing === 'PRIORITY') expect(result).toEqual(known.map(({ code }) => code))
          const shares = known.map(({ share }) => share)
          const first = known.find(({ code }) => code === result[0])
          if (routing !== 'SUCCESS' || seed < 0.02 || first === undefined) return
          expect(first.share).toBeGreaterThanOrEqual(Math.max(...shares) - 0.02)
        },
      ),
    )
  })
})
