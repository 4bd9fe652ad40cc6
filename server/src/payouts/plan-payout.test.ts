// The routes of a payout: all of them pay out the same net, the first and those that follow it, when
// it is made and when it has waited. A route that would pay another net is left out.

import { describe, expect, it } from 'vitest'
import {
  everyGateway,
  factsOf,
  networkOf,
  routeOf,
  ruleOf,
  tierOf,
} from '../../test/setup/plan-facts.ts'
import { isAboveEveryLimit, planPromised, plansAsPromised } from '../planning/plan-promised.ts'
import { planRoutes } from '../planning/plan-routes.ts'
import type { Caller } from '../platform/http/route.ts'
import { planPayout } from './plan-payout.ts'

const network = networkOf('free')
const disburse = { direction: 'DISBURSE', amount_step: 100n } as const
/** Pays out in steps of 500 francs, so that what is left after the fee is rounded otherwise. */
const coarse = routeOf('coarse', { ...disburse, amount_step: 50_000n, priority: 1 })
const first = routeOf('first', { ...disburse, priority: 0 })
const third = routeOf('third', { ...disburse, priority: 2 })

const nothing = async () => ({ answer: { is: 'not_found' as const }, hash: Buffer.alloc(32) })
const gateways = {
  ...everyGateway,
  get(code: string) {
    const gateway = everyGateway.get(code)
    return gateway && Object.assign(gateway, { pay: nothing })
  },
}
const facts = {
  ...factsOf({ networks: [network], routes: [first, coarse, third], gateways }),
  rules: { of: () => ruleOf(tierOf({ fee_charge_mode: 'DEDUCTED' })) },
}
// What the plan reads of a caller, who is one of many fields.
const caller = {
  environment: 'SANDBOX',
  allowed_countries: null,
  fee_charge_mode_locked: null,
} as Caller

const codes = (plans: readonly { gateway_code: string }[]) =>
  plans.map(({ gateway_code }) => gateway_code)

const planned = () =>
  planPayout(facts, caller, {
    amount: '10100',
    currency: 'XOF',
    country: 'SN',
    method: 'free',
    recipient: { msisdn: '+221770000000' },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
  })

describe('the routes of a payout', () => {
  it('would pay two nets if all were taken', () => {
    const nets = [first, coarse].map((route) => {
      const [plan] = planRoutes(
        { ...facts, routes: { of: () => [route] } },
        {
          direction: 'DISBURSE',
          fee: 'TIER',
          environment: 'SANDBOX',
          network,
          requested: 1_010_000n,
          operation_msisdn: '+221770000000',
          fee_charge_mode: undefined,
          preferred_gateway: '',
        },
      )
      return plan.net_amount
    })
    expect(new Set(nets).size).toBe(2)
  })

  it('leave out, at its first sending, one that would pay another net than the first', () => {
    const { plans } = planned()
    expect(codes(plans)).toEqual(['first', 'third'])
    expect(new Set(plans.map(({ net_amount }) => net_amount)).size).toBe(1)
  })

  it('leave out, when it has waited, one that would pay another net than was promised', () => {
    const [promised] = planned().plans
    const price = { ...promised, environment: 'SANDBOX' as const, preferred_gateway: '' }
    expect(codes(plansAsPromised(facts, price))).toEqual(['first', 'third'])
    const alone = { ...facts, routes: { of: () => [coarse] } }
    expect(plansAsPromised(alone, price)).toEqual([])
  })

  it('say of each that is left out why', () => {
    const why = (gateway_code: string, reason: string) => ({ gateway_code, reason })
    const { passed_over, plans } = planned()
    expect(passed_over).toEqual([why('coarse', 'other_amounts')])
    const [promised] = plans
    const price = { ...promised, environment: 'SANDBOX' as const, preferred_gateway: '' }
    const of = (...routes: (typeof first)[]) =>
      planPromised({ ...facts, routes: { of: () => routes } }, price).passed_over
    expect(of(first, coarse, third)).toEqual([why('coarse', 'other_amounts')])
    const less = promised.net_amount - 1n
    const capped = { ...first, payment_limit: less }
    const full = { ...third, exposure_limit: less }
    expect(of(capped, full)).toEqual([
      why('first', 'payment_limit'),
      why('third', 'exposure_limit'),
    ])
    expect(of({ ...first, float_empty: true })).toEqual([why('first', 'float_empty')])
  })

  it('leave out, when it has waited, one whose account takes less of one payout by now', () => {
    const [promised] = planned().plans
    const price = { ...promised, environment: 'SANDBOX' as const, preferred_gateway: '' }
    const taking = (payment_limit: bigint) =>
      codes(
        plansAsPromised(
          { ...facts, routes: { of: () => [{ ...first, payment_limit }, third] } },
          price,
        ),
      )
    expect(taking(promised.net_amount - 1n)).toEqual(['third'])
    expect(taking(promised.net_amount)).toEqual(['first', 'third'])
  })

  it('leave out, when it has waited, one whose operator does not take it by now', () => {
    const [promised] = planned().plans
    const { net_amount } = promised
    const price = { ...promised, environment: 'SANDBOX' as const, preferred_gateway: '' }
    const taking = (published_least: bigint | null, published_most: bigint | null) => {
      const by = { ...facts, routes: { of: () => [{ ...first, published_least, published_most }] } }
      return [codes(plansAsPromised(by, price)), isAboveEveryLimit(by, price)]
    }
    expect(taking(net_amount, net_amount)).toEqual([['first'], false])
    expect(taking(null, net_amount - 1n)).toEqual([[], true])
    expect(taking(net_amount + 1n, null)).toEqual([[], true])
  })

  it('leave out, when it has waited, one whose account may have less at once by now', () => {
    const [promised] = planned().plans
    const price = { ...promised, environment: 'SANDBOX' as const, preferred_gateway: '' }
    const { net_amount } = promised
    const within = (...limits: (bigint | null)[]) => {
      const routes = [first, third].map((route, at) => ({
        ...route,
        exposure_limit: limits[at] ?? null,
      }))
      const by = { ...facts, routes: { of: () => routes } }
      return [codes(plansAsPromised(by, price)), isAboveEveryLimit(by, price)]
    }
    expect(within(net_amount - 1n, net_amount)).toEqual([['third'], false])
    expect(within(net_amount - 1n, net_amount - 1n)).toEqual([[], true])
    // What no route pays as it was promised is not for want of a limit.
    const alone = { ...facts, routes: { of: () => [coarse] } }
    expect(isAboveEveryLimit(alone, price)).toBe(false)
  })
})
