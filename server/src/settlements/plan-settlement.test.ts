// What a settlement costs, and that what was promised is what is paid: a price that changes before
// its approval, a route with another step or without money, change nothing of its net.

import { describe, expect, it } from 'vitest'
import {
  everyGateway,
  factsOf,
  ghana,
  networkOf,
  routeOf,
  ruleOf,
  senegal,
  tierOf,
} from '../../test/setup/plan-facts.ts'
import type { Gateway } from '../gateways/gateway.ts'
import type { GatewayRoute } from '../gateways/routing.ts'
import type { Tier } from '../pricing/tier.ts'
import {
  type PriceFacts,
  plansNow,
  priceSettlement,
  type SettlementRequest,
} from './plan-settlement.ts'
import { moved, type Settlement } from './settlement.ts'

const terms = {
  bank_fee_percent_ppm: 15_000n,
  bank_fee_fixed: { XOF: 10_000n },
  auto_below: { SANDBOX: {}, LIVE: {} },
}

const pays = (code: string): Gateway | undefined => {
  const gateway = everyGateway.get(code)
  return gateway && Object.assign(gateway, { pay: gateway.query })
}

const payoutRoute = (code: string, changes: Partial<GatewayRoute> = {}) =>
  routeOf(code, { direction: 'DISBURSE', ...changes })

function priceFacts(routes: readonly GatewayRoute[], tier: Partial<Tier> = {}): PriceFacts {
  const facts = factsOf({ routes, gateways: { get: pays, all: () => [] } })
  const rule = ruleOf(tierOf({ fee_charge_mode: 'DEDUCTED', percent_ppm: 20_000n, ...tier }))
  return { ...facts, terms, rules: { of: () => rule } }
}

const toPhone = { type: 'MOBILE_MONEY', network_code: 'free', msisdn: '+221770000010' } as const
const toBank = { type: 'BANK_ACCOUNT', network_code: null, msisdn: null } as const

const request = (changes: Partial<SettlementRequest> = {}): SettlementRequest => ({
  environment: 'SANDBOX',
  country: senegal,
  method: toPhone,
  requested: 1_000_000n,
  fee_charge_mode: undefined,
  ...changes,
})

const now = new Date('2026-11-21T08:00:00Z')

const settlementOf = (facts: PriceFacts, wanted = request()): Settlement => ({
  ...priceSettlement(facts, wanted),
  merchant_id: 'merchant',
  id: 'settlement',
  environment: 'SANDBOX',
  reference: 'STL-1',
  payout_method: 'method',
  country: 'SN',
  currency: 'XOF',
  status: 'PENDING',
  version: 1,
  settled_attempt: null,
  waits_until: null,
  gateway_reference: '',
  proof_url: '',
  proof_key: '',
  proof_type: '',
  failure_code: '',
  failure_reason: '',
  ip_address: '',
  request_id: '',
  api_key_id: null,
  member_id: null,
  approved_at: null,
  executed_at: null,
  completed_at: null,
  returned_at: null,
  created_at: now,
  updated_at: now,
})

describe('the price', () => {
  it('to a phone is a payout’s on its network, split by the first route’s cost', () => {
    expect(priceSettlement(priceFacts([payoutRoute('first')]), request())).toEqual({
      requested_amount: 1_000_000n,
      fee_charge_mode: 'DEDUCTED',
      client_fee: 20_000n,
      gateway_fee: 15_000n,
      platform_fee: 5_000n,
      debited_amount: 1_000_000n,
      net_amount: 980_000n,
    })
  })

  it('to a bank is the platform’s own, deducted unless another mode is wished', () => {
    const facts = priceFacts([])
    expect(priceSettlement(facts, request({ method: toBank }))).toEqual({
      requested_amount: 1_000_000n,
      fee_charge_mode: 'DEDUCTED',
      client_fee: 25_000n,
      gateway_fee: 0n,
      platform_fee: 25_000n,
      debited_amount: 1_000_000n,
      net_amount: 975_000n,
    })
    const onTop = priceSettlement(facts, request({ method: toBank, fee_charge_mode: 'ADD_ON' }))
    expect(onTop).toMatchObject({ debited_amount: 1_025_000n, net_amount: 1_000_000n })
  })

  it('to a bank is rounded to the currency’s smallest unit', () => {
    const facts = priceFacts([])
    const francs = priceSettlement(facts, request({ method: toBank, requested: 103_300n }))
    expect(francs.client_fee).toBe(11_500n)
    const pesewas = request({ method: toBank, country: ghana, requested: 103_333n })
    // The fixed part names no cedi.
    expect(priceSettlement(facts, pesewas).client_fee).toBe(1_550n)
  })

  it.each([
    ['no tier takes', request({ requested: 100n }), 'requested_amount'],
    ['the bank’s fee eats', request({ method: toBank, requested: 10_100n }), 'requested_amount'],
  ])('of an amount that %s is a 400 on it', (_what, wanted, field) => {
    const price = () => priceSettlement(priceFacts([payoutRoute('first')]), wanted)
    expect(price).toThrow(expect.objectContaining({ fields: { [field]: [expect.anything()] } }))
  })

  it.each([
    ['unknown', toPhone, [], 'invalid_method'],
    ['off', toPhone, [networkOf('free', { is_active: false })], 'invalid_method'],
    [
      'without payouts',
      toPhone,
      [networkOf('free', { takes_payouts: false })],
      'payout_not_enabled',
    ],
    [
      'of another currency',
      toPhone,
      [networkOf('free', { currency: 'USD' })],
      'currency_country_mismatch',
    ],
  ])('of a network that is %s is refused', (_what, method, networks, code) => {
    const facts = { ...priceFacts([payoutRoute('first')]), ...factsOf({ networks }), terms }
    const price = () => priceSettlement(facts, request({ method }))
    expect(price).toThrow(expect.objectContaining({ row: expect.objectContaining({ code }) }))
  })

  it('without any route is refused, and may pass later', () => {
    const price = () => priceSettlement(priceFacts([]), request())
    const row = expect.objectContaining({ code: 'no_route_available', retryable: true })
    expect(price).toThrow(expect.objectContaining({ row }))
  })
})

describe('the routes it may go by now', () => {
  const planned = settlementOf(priceFacts([payoutRoute('first')]))

  it('pay out what was promised, whatever the network costs since', () => {
    const dearer = priceFacts([payoutRoute('first')], { percent_ppm: 90_000n })
    expect(plansNow(dearer, planned, toPhone)).toMatchObject([
      { net_amount: 980_000n, client_fee: 20_000n, debited_amount: 1_000_000n, flow: 'push' },
    ])
  })

  it('share the same fee by their own cost, and what is above it is ours', () => {
    const routes = [payoutRoute('dear', { cost_percent_ppm: 30_000n }), payoutRoute('cheap')]
    expect(
      plansNow(priceFacts(routes), planned, toPhone).map((plan) => [
        plan.gateway_code,
        plan.gateway_fee,
        plan.platform_fee,
        plan.gateway_cost_excess,
      ]),
    ).toEqual([
      ['dear', 20_000n, 0n, 10_000n],
      ['cheap', 15_000n, 5_000n, 0n],
    ])
  })

  it('leave out one that can only pay another sum, and one with nothing left to pay with', () => {
    const routes = [
      payoutRoute('thousands', { amount_step: 100_000n }),
      payoutRoute('empty', { float_empty: true }),
      payoutRoute('able'),
    ]
    const plans = plansNow(priceFacts(routes), planned, toPhone)
    expect(plans.map(({ gateway_code }) => gateway_code)).toEqual(['able'])
  })

  it('are none to a bank, or where its network takes no payouts now', () => {
    const facts = priceFacts([payoutRoute('first')])
    expect(plansNow(facts, planned, toBank)).toEqual([])
    for (const changes of [{ is_active: false }, { takes_payouts: false }, { currency: 'USD' }]) {
      const { catalogue } = factsOf({ networks: [networkOf('free', changes)] })
      expect(plansNow({ ...facts, catalogue }, planned, toPhone)).toEqual([])
    }
  })
})

describe('a move', () => {
  const planned = settlementOf(priceFacts([payoutRoute('first')]))

  it('counts each step, and keeps when each was', () => {
    const later = new Date('2026-11-22T08:00:00Z')
    const approved = moved(planned, ['APPROVED'], now)
    expect(approved).toMatchObject({ version: 2, approved_at: now, executed_at: null })
    expect(moved(approved, ['PROCESSING', 'SUCCESS'], later)).toMatchObject({
      status: 'SUCCESS',
      version: 4,
      approved_at: now,
      executed_at: later,
      completed_at: later,
      updated_at: later,
    })
  })

  it.each([
    ['PENDING', 'PROCESSING'],
    ['PENDING', 'SUCCESS'],
    ['APPROVED', 'CANCELLED'],
    ['APPROVED', 'SUCCESS'],
    ['PROCESSING', 'CANCELLED'],
    ['SUCCESS', 'FAILED'],
    ['FAILED', 'SUCCESS'],
    ['CANCELLED', 'PENDING'],
  ] as const)('from %s to %s is a bug', (from, to) => {
    expect(() => moved({ ...planned, status: from }, [to], now)).toThrow('bug')
  })
})
