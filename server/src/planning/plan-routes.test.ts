// What a payment would cost on each route: the figures that are frozen, what is refused, and which
// routes are passed over with their reason. Pure tables, whole francs written as hundredths.

import { describe, expect, it } from 'vitest'
import {
  everyGateway,
  factsOf,
  networkOf,
  routeOf,
  ruleOf,
  tierOf,
} from '../../test/setup/plan-facts.ts'
import { newHealth } from '../gateways/health.ts'
import { Invalid, Refusal } from '../platform/errors.ts'
import { isUuid } from '../platform/ids.ts'
import { type PlanRequest, planRoutes, type RouteFacts } from './plan-routes.ts'

const planRequest = (changes: Partial<PlanRequest> = {}): PlanRequest => ({
  direction: 'COLLECT',
  fee: 'TIER',
  environment: 'SANDBOX',
  network: networkOf('free'),
  requested: 1_000_000n,
  operation_msisdn: '+221770000000',
  fee_charge_mode: undefined,
  preferred_gateway: '',
  ...changes,
})

/** The code of a refusal, or the sentences about the amount. */
function refused(facts: RouteFacts, request = planRequest()): string | readonly string[] {
  try {
    planRoutes(facts, request)
  } catch (error) {
    if (error instanceof Refusal) return error.row.code
    if (error instanceof Invalid) return Object.values(error.fields['amount']?.[0] ?? {})
    throw error
  }
  return 'planned'
}

describe('the figures of an attempt', () => {
  const figures = (facts: RouteFacts, request: Partial<PlanRequest> = {}) => {
    const [plan] = planRoutes(facts, planRequest(request))
    if (plan === undefined) return undefined
    const { client_fee, gateway_fee, platform_fee, gateway_cost_excess } = plan
    const { debited_amount, net_amount, fee_charge_mode } = plan
    const fees = { client_fee, gateway_fee, platform_fee, gateway_cost_excess }
    return { ...fees, debited_amount, net_amount, fee_charge_mode }
  }
  const fees = {
    client_fee: 32_500n,
    gateway_fee: 15_000n,
    platform_fee: 17_500n,
    gateway_cost_excess: 0n,
  }

  it('are those of money 3: 10 000 with a fee of 325 on top', () => {
    expect(figures(factsOf())).toEqual({
      ...fees,
      debited_amount: 1_032_500n,
      net_amount: 1_000_000n,
      fee_charge_mode: 'ADD_ON',
    })
  })

  it('or in it, when the caller or the tier says so', () => {
    const deducted = {
      ...fees,
      debited_amount: 1_000_000n,
      net_amount: 967_500n,
      fee_charge_mode: 'DEDUCTED',
    }
    expect(figures(factsOf(), { fee_charge_mode: 'DEDUCTED' })).toEqual(deducted)
    const tier = tierOf({ fee_charge_mode: 'DEDUCTED' })
    expect(figures(factsOf({ rule: ruleOf(tier) }))).toEqual(deducted)
  })

  it('keep what the route costs above the fee apart: it is ours', () => {
    const route = routeOf('dear', { cost_percent_ppm: 50_000n })
    expect(figures(factsOf({ routes: [route] }))).toMatchObject({
      client_fee: 32_500n,
      gateway_fee: 32_500n,
      platform_fee: 0n,
      gateway_cost_excess: 17_500n,
    })
  })

  it('raise the fee to what the operator’s step needs', () => {
    const route = routeOf('steps', { amount_step: 100_000n })
    expect(figures(factsOf({ routes: [route] }))).toMatchObject({
      client_fee: 100_000n,
      gateway_fee: 15_000n,
      platform_fee: 85_000n,
      debited_amount: 1_100_000n,
      net_amount: 1_000_000n,
    })
  })

  it('are taken from the tier that holds the amount, its bounds included', () => {
    const tiers = [
      tierOf({ max_amount: 49_900n, percent_ppm: 0n, fixed: 1_000n }),
      tierOf({ min_amount: 50_000n, percent_ppm: 0n, fixed: 2_000n }),
    ]
    const facts = factsOf({ rule: ruleOf(...tiers) })
    const feeOn = (requested: bigint) => figures(facts, { requested })?.client_fee
    expect([20_000n, 49_900n, 50_000n, 100_000_000n].map(feeOn)).toEqual([
      1_000n,
      1_000n,
      2_000n,
      2_000n,
    ])
  })
})

describe('what an attempt is planned with', () => {
  it('is the network, the route and the price as they stand, under an id and a key of its own', () => {
    const network = networkOf('free', { flow: 'redirect', otp_kind: 'POST' })
    const route = routeOf('first', { breaker: false })
    const plans = planRoutes(
      factsOf({ routes: [route, routeOf('second')] }),
      planRequest({ network }),
    )
    const [first, second] = plans
    expect(first).toMatchObject({
      direction: 'COLLECT',
      route_id: 'route-first',
      gateway_id: 'gateway-first',
      gateway_code: 'first',
      network_id: 'network-free',
      network_code: 'free',
      country_code: 'SN',
      operation_msisdn: '+221770000000',
      pricing_rule: 'rule-default',
      merchant_pricing_rule: null,
      requested_amount: 1_000_000n,
      currency: 'XOF',
      otp_kind: 'POST',
      flow: 'redirect',
      breaker: false,
      skipped_routes: [],
    })
    expect(first).not.toHaveProperty('is')
    expect(isUuid(first?.id ?? '') && isUuid(first?.our_key ?? '')).toBe(true)
    expect(new Set(plans.flatMap(({ id, our_key }) => [id, our_key])).size).toBe(4)
    expect((second?.id ?? '') > (first?.id ?? '')).toBe(true)
  })

  it('names the merchant’s own rule as such', () => {
    const rule = { ...ruleOf(), id: 'rule-own', is_custom: true }
    const [plan] = planRoutes(factsOf({ rule }), planRequest())
    expect(plan).toMatchObject({ pricing_rule: null, merchant_pricing_rule: 'rule-own' })
  })
})

describe('the routes', () => {
  const two = [routeOf('first'), routeOf('second')]
  const codes = (facts: RouteFacts, request: Partial<PlanRequest> = {}) =>
    planRoutes(facts, planRequest(request)).map(({ gateway_code }) => gateway_code)

  it('are planned in their order, the preferred one first', () => {
    expect(codes(factsOf({ routes: two }))).toEqual(['first', 'second'])
    expect(codes(factsOf({ routes: two }), { preferred_gateway: 'second' })).toEqual([
      'second',
      'first',
    ])
  })

  it('have payers confirm each in its own way', () => {
    const own = { flow: 'redirect', otp_kind: 'NONE', prompt_lifetime_s: 600 } as const
    const routes = [routeOf('first'), routeOf('second', own)]
    const network = networkOf('free', { otp_kind: 'PRE' })
    const request = planRequest({ network, has_code: true })
    expect(planRoutes(factsOf({ routes }), request)).toMatchObject([
      { flow: 'push', otp_kind: 'PRE', prompt_lifetime_s: null },
      own,
    ])
  })

  it('that want a code come after another only for a payer who has made one', () => {
    const code = { otp_kind: 'PRE' } as const
    const sent = { otp_kind: 'POST' } as const
    const routes = [routeOf('first'), routeOf('second', code), routeOf('third', sent)]
    expect(codes(factsOf({ routes }))).toEqual(['first', 'third'])
    expect(codes(factsOf({ routes }), { has_code: true })).toEqual(['first', 'second', 'third'])
    const [plan] = planRoutes(factsOf({ routes }), planRequest())
    expect(plan.skipped_routes).toEqual([{ gateway_code: 'second', reason: 'needs_code' }])
    // The first asks for it, and is refused without: it is not passed over.
    expect(codes(factsOf({ routes: routes.slice(1) }))).toEqual(['second', 'third'])
  })

  it('that are broken and want a code are tried again by a payer who has made one', () => {
    const routes = [routeOf('first', { otp_kind: 'PRE' }), routeOf('second')]
    let now_ms = 0
    const health = newHealth(() => now_ms)
    const facts = { ...factsOf({ routes }), health }
    for (let i = 0; i < 5; i += 1) health.record(routes[0] ?? routeOf('none'), 1, 'timeout')
    now_ms += 60_000
    // They were shown that no code is wanted: they are not refused for one, and nothing is tried.
    expect(codes(facts, { showing: true })).toEqual(['second'])
    expect(codes(facts)).toEqual(['second'])
    expect(codes(facts, { has_code: true })).toEqual(['first', 'second'])
  })

  it('that are broken are tried again by a payment for which they ask what was shown', () => {
    const steps = routeOf('steps', { amount_step: 500n })
    let now_ms = 0
    const health = newHealth(() => now_ms)
    const facts = { ...factsOf({ routes: [steps, routeOf('francs')] }), health }
    const breaks = (...some: (typeof steps)[]) => {
      for (const route of some) for (let i = 0; i < 5; i += 1) health.record(route, 1, 'timeout')
    }
    const sums = (requested: bigint, showing = false) =>
      planRoutes(facts, planRequest({ requested, showing })).map(
        ({ gateway_code, debited_amount }) => [gateway_code, debited_amount],
      )
    breaks(steps)
    now_ms += 60_000
    // 1 010 and a fee of 33: a multiple of five would be 1 045.
    expect(sums(101_000n, true)).toEqual([['francs', 104_300n]])
    expect(sums(101_000n)).toEqual(sums(101_000n, true))
    // 2 000 and a fee of 65: both ask for the same.
    expect(sums(200_000n)).toEqual([
      ['steps', 206_500n],
      ['francs', 206_500n],
    ])
    // Where nothing works, what is broken was shown.
    breaks(routeOf('francs'))
    now_ms += 600_000
    expect(sums(101_000n, true)).toEqual([['steps', 104_500n]])
    expect(sums(101_000n)).toEqual(sums(101_000n, true))
  })

  it('that are broken are passed over, and each attempt after says so', () => {
    const facts = factsOf({ routes: two })
    for (let i = 0; i < 5; i += 1) facts.health.record(two[0] ?? routeOf('none'), 1, 'timeout')
    const [plan, ...others] = planRoutes(facts, planRequest())
    expect(others).toEqual([])
    expect(plan).toMatchObject({
      gateway_code: 'second',
      skipped_routes: [{ gateway_code: 'first', reason: '5 failures in a row, the last: timeout' }],
    })
  })

  it('that would change what payer or merchant was told are left out of a payin', () => {
    const routes = [
      routeOf('francs'),
      routeOf('steps', { amount_step: 100_000n }),
      routeOf('dearer', { cost_percent_ppm: 90_000n }),
    ]
    const [first, ...others] = planRoutes(factsOf({ routes }), planRequest())
    expect(others.map(({ gateway_code }) => gateway_code)).toEqual(['dearer'])
    expect(first?.skipped_routes).toEqual([{ gateway_code: 'steps', reason: 'other_amounts' }])
    const facts = factsOf({ routes: [...routes].reverse() })
    expect(codes(facts, { fee_charge_mode: 'DEDUCTED' })).toEqual(['dearer', 'steps', 'francs'])
  })

  it('whose step does not fit the amount are passed over for one whose does', () => {
    const routes = [routeOf('steps', { amount_step: 100_000n }), routeOf('francs')]
    const request = { requested: 1_050_000n, fee_charge_mode: 'DEDUCTED' } as const
    const [plan, ...others] = planRoutes(factsOf({ routes }), planRequest(request))
    expect(others).toEqual([])
    expect(plan).toMatchObject({
      gateway_code: 'francs',
      skipped_routes: [{ gateway_code: 'steps', reason: 'not_a_step' }],
    })
  })
})

describe('what is refused', () => {
  it('a network without a price, or without a route that could be tried', () => {
    expect(refused(factsOf({ rule: undefined }))).toBe('no_route_available')
    expect(refused(factsOf({ routes: [] }))).toBe('no_route_available')
    const deaf = { ...everyGateway, get: () => undefined }
    expect(refused(factsOf({ gateways: deaf }))).toBe('no_route_available')
    expect(refused(factsOf(), planRequest({ environment: 'LIVE' }))).toBe('no_route_available')
  })

  it('what goes out without offering another network, on which its recipient is not', () => {
    const textOf = (direction: PlanRequest['direction']) => {
      try {
        planRoutes(factsOf({ routes: [] }), planRequest({ direction }))
      } catch (error) {
        return error instanceof Refusal && [error.row.code, error.row.message.en]
      }
    }
    expect(textOf('COLLECT')).toEqual([
      'no_route_available',
      'No operator can take this payment right now. Try again or use another network.',
    ])
    expect(textOf('DISBURSE')).toEqual([
      'no_route_available',
      'No operator can send this money right now. Try again later.',
    ])
  })

  it('an amount below the least or above the most, with the bound in both languages', () => {
    expect(refused(factsOf(), planRequest({ requested: 19_900n }))).toEqual([
      'The minimum on this network is 200 XOF.',
      'Le montant minimum sur ce réseau est de 200 XOF.',
    ])
    expect(refused(factsOf(), planRequest({ requested: 100_000_100n }))).toEqual([
      'The maximum on this network is 1000000 XOF.',
      'Le montant maximum sur ce réseau est de 1000000 XOF.',
    ])
    expect(refused(factsOf(), planRequest({ requested: 20_000n }))).toBe('planned')
    expect(refused(factsOf(), planRequest({ requested: 100_000_000n }))).toBe('planned')
  })

  it('an amount between two tiers, with both bounds of the gap', () => {
    const rule = ruleOf(tierOf({ max_amount: 49_900n }), tierOf({ min_amount: 100_000n }))
    expect(refused(factsOf({ rule }), planRequest({ requested: 70_000n }))).toEqual([
      'This network accepts at most 499 XOF or at least 1000 XOF.',
      'Ce réseau accepte au plus 499 XOF ou au moins 1000 XOF.',
    ])
    expect(refused(factsOf({ rule }), planRequest({ requested: 100n }))).toContain(
      'The minimum on this network is 200 XOF.',
    )
  })

  it('an amount outside the tiers before a network without routes', () => {
    const facts = factsOf({ routes: [] })
    expect(refused(facts, planRequest({ requested: 1n }))).toContain(
      'The minimum on this network is 200 XOF.',
    )
  })

  it('an amount with cents says its bound with them', () => {
    const cedis = networkOf('mtn_gh', { currency: 'GHS' })
    const facts = factsOf({ rule: ruleOf(tierOf({ min_amount: 150n })) })
    expect(refused(facts, planRequest({ network: cedis, requested: 149n }))).toContain(
      'The minimum on this network is 1.50 GHS.',
    )
  })

  it('an amount that its fee would take whole', () => {
    const facts = factsOf({ rule: ruleOf(tierOf({ percent_ppm: 0n, fixed: 1_000_000n })) })
    expect(refused(facts, planRequest({ fee_charge_mode: 'DEDUCTED' }))).toEqual([
      'The fee would take the whole amount.',
      'Les frais absorberaient tout le montant.',
    ])
    expect(refused(facts, planRequest({ fee_charge_mode: 'ADD_ON' }))).toBe('planned')
  })

  it('a payout that is more than may be with any account at once, and says so', () => {
    const payout = planRequest({ direction: 'DISBURSE' })
    const pay = async () => ({ answer: { is: 'not_found' as const }, hash: Buffer.alloc(32) })
    const paying = (code: string) => {
      const gateway = everyGateway.get(code)
      return gateway === undefined ? undefined : Object.assign(gateway, { pay })
    }
    const facts = (...limits: (bigint | null)[]): RouteFacts => {
      const routes = limits.map((exposure_limit, at) =>
        routeOf(`number ${at}`, { direction: 'DISBURSE', exposure_limit }),
      )
      const gateways = { ...everyGateway, get: paying }
      return { ...factsOf({ routes, gateways }), rules: { of: () => ruleOf() } }
    }
    expect(refused(facts(999_999n, 1n), payout)).toEqual([
      'No operator takes so much at once here. Pay it out in smaller sums.',
      'Aucun opérateur n’accepte autant à la fois ici. Versez-le en plusieurs sommes.',
    ])
    expect(refused(facts(999_999n, 1_000_000n), payout)).toBe('planned')
    expect(refused(facts(null), payout)).toBe('planned')
  })

  it('one payment that is more than each account takes at once, to the franc', () => {
    const facts = (...limits: (bigint | null)[]): RouteFacts => {
      const routes = limits.map((payment_limit, at) => routeOf(`number ${at}`, { payment_limit }))
      return factsOf({ routes })
    }
    const request = planRequest({ requested: 1_000_000n, fee_charge_mode: 'DEDUCTED' })
    expect(refused(facts(999_999n, 1n), request)).toEqual([
      'No operator takes so much at once here. Use a smaller amount or another network.',
      'Aucun opérateur n’accepte autant à la fois ici. ' +
        'Choisissez un montant plus petit ou un autre réseau.',
    ])
    expect(refused(facts(1_000_000n), request)).toBe('planned')
    const [plan] = planRoutes(facts(999_999n, null), request)
    expect([plan.gateway_code, plan.skipped_routes]).toEqual([
      'number 1',
      [{ gateway_code: 'number 0', reason: 'payment_limit' }],
    ])
  })

  it('what its operator does not take, on either side, as it is sent', () => {
    const facts = (...told: [bigint | null, bigint | null][]): RouteFacts => {
      const routes = told.map(([published_least, published_most], at) =>
        routeOf(`number ${at}`, { published_least, published_most }),
      )
      return factsOf({ routes })
    }
    const request = planRequest({ requested: 1_000_000n, fee_charge_mode: 'DEDUCTED' })
    expect(refused(facts([1_000_001n, null]), request)).toEqual([
      'No operator takes so little here. Use a larger amount or another network.',
      'Aucun opérateur n’accepte une si petite somme ici. ' +
        'Choisissez un montant plus grand ou un autre réseau.',
    ])
    expect(refused(facts([null, 999_999n]), request)).toEqual([
      'No operator takes so much at once here. Use a smaller amount or another network.',
      'Aucun opérateur n’accepte autant à la fois ici. ' +
        'Choisissez un montant plus petit ou un autre réseau.',
    ])
    const added = planRequest({ requested: 1_000_000n, fee_charge_mode: 'ADD_ON' })
    expect(refused(facts([null, 1_000_000n]), added)).not.toBe('planned')
    expect(refused(facts([1_000_000n, 1_000_000n]), request)).toBe('planned')
    const [plan] = planRoutes(facts([null, 999_999n], [null, null]), request)
    expect([plan.gateway_code, plan.skipped_routes]).toEqual([
      'number 1',
      [{ gateway_code: 'number 0', reason: 'operator_limit' }],
    ])
  })

  it('an amount that is within what its operator takes, and above what staff set', () => {
    const routes = [routeOf('one', { payment_limit: 999_999n, published_most: 9_000_000n })]
    const request = planRequest({ requested: 1_000_000n, fee_charge_mode: 'DEDUCTED' })
    expect(refused(factsOf({ routes }), request)).not.toBe('planned')
  })

  it('an amount that no route’s step fits', () => {
    const facts = factsOf({ routes: [routeOf('steps', { amount_step: 500n })] })
    const request = planRequest({ requested: 1_000_100n, fee_charge_mode: 'DEDUCTED' })
    expect(refused(facts, request)).toEqual([
      'The amount must be a multiple of 5 XOF on this network.',
      'Le montant doit être un multiple de 5 XOF sur ce réseau.',
    ])
  })
})
