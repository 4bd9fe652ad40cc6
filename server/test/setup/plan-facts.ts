// A small catalogue with prices and routes in memory, for tests of what a payment would cost: one
// country, a few networks, one gateway that collects by default. No database.

import type { Catalogue, Country, Network } from '../../src/catalogue/catalogue.ts'
import type { Gateway, Gateways } from '../../src/gateways/gateway.ts'
import { newHealth } from '../../src/gateways/health.ts'
import type { GatewayRoute } from '../../src/gateways/routing.ts'
import type { SoftpayFacts } from '../../src/planning/plan-softpay.ts'
import type { Rule } from '../../src/pricing/rules.ts'
import type { Tier } from '../../src/pricing/tier.ts'
import type { RateRow } from '../../src/rates/convert.ts'

const moment = new Date('2026-11-21T08:00:00Z')
const times = { created_at: moment, updated_at: moment }

export const senegal: Country = {
  id: 'country-sn',
  iso_code: 'SN',
  name: 'Sénégal',
  default_currency: 'XOF',
  ...times,
}
export const ghana: Country = {
  ...senegal,
  id: 'country-gh',
  iso_code: 'GH',
  name: 'Ghana',
  default_currency: 'GHS',
}

/** A push network of Sénégal that takes payins, apart from the changes. */
export const networkOf = (code: string, changes: Partial<Network> = {}): Network => ({
  id: `network-${code}`,
  country_id: senegal.id,
  country_code: senegal.iso_code,
  code,
  name: code,
  currency: 'XOF',
  flow: 'push',
  otp_kind: 'NONE',
  otp_instructions: '',
  takes_payins: true,
  takes_payouts: true,
  is_active: true,
  collect_routing: 'PRIORITY',
  disburse_routing: 'PRIORITY',
  colour: '',
  rank: null,
  prefixes: [],
  ussd: '',
  mark_sources: {},
  ...times,
  ...changes,
})

/** 3.25 % from 200 to 1 000 000 francs, added on top. */
export const tierOf = (changes: Partial<Tier> = {}): Tier => ({
  min_amount: 20_000n,
  max_amount: 100_000_000n,
  percent_ppm: 32_500n,
  fixed: 0n,
  floor_amount: null,
  cap_amount: null,
  fee_charge_mode: 'ADD_ON',
  ...changes,
})

export const ruleOf = (...tiers: readonly Tier[]): Rule => ({
  id: 'rule-default',
  is_custom: false,
  tiers: tiers.length > 0 ? tiers : [tierOf()],
})

/** A route of 1.5 % in whole francs. */
export const routeOf = (
  gateway_code: string,
  changes: Partial<GatewayRoute> = {},
): GatewayRoute => ({
  id: `route-${gateway_code}`,
  network_id: 'network-free',
  direction: 'COLLECT',
  gateway_id: `gateway-${gateway_code}`,
  gateway_code,
  environment: 'SANDBOX',
  priority: 1,
  is_active: true,
  breaker: true,
  amount_step: 100n,
  cost_percent_ppm: 15_000n,
  cost_fixed: 0n,
  cost_floor: null,
  cost_cap: null,
  ...changes,
})

const collecting = (code: string): Gateway => {
  const notFound = async () => ({ answer: { is: 'not_found' as const }, hash: Buffer.alloc(32) })
  const gateway: Gateway = {
    code,
    facts: {
      create_is_idempotent: true,
      not_found_grace_s: 900,
      call_timeout_ms: 1_000,
      queries_per_second: 10,
      first_ask_after_s: { callbacks_seen: 5, callbacks_silent: 5 },
      callback_address: 'PER_CALL',
    },
    query: notFound,
    readCallback: () => ({ proof: 'UNSIGNED', key: '', answer: { is: 'not_found' } }),
  }
  return Object.assign(gateway, { collect: notFound })
}

export const everyGateway: Gateways = { get: collecting, all: () => [] }

type FactsInput = Readonly<{
  networks?: readonly Network[]
  /** In the order in which they are tried, of every network. */
  routes?: readonly GatewayRoute[]
  rule?: Rule | undefined
  rates?: readonly RateRow[]
  gateways?: Gateways
}>

export function factsOf(input: FactsInput = {}): SoftpayFacts {
  const { networks = [networkOf('free')], routes = [routeOf('first')], rates = [] } = input
  const rule = 'rule' in input ? input.rule : ruleOf()
  const countries = [senegal, ghana]
  const catalogue: Catalogue = {
    countries,
    networks,
    countryByCode: (code) => countries.find(({ iso_code }) => iso_code === code.toUpperCase()),
    networkByCode: (wanted) => networks.find(({ code }) => code === wanted),
  }
  return {
    catalogue,
    rates,
    rules: { of: (_network, direction) => (direction === 'COLLECT' ? rule : undefined) },
    routes: {
      of: (_network, direction, environment) =>
        routes.filter(
          (route) => route.direction === direction && route.environment === environment,
        ),
    },
    gateways: input.gateways ?? everyGateway,
    health: newHealth(),
  }
}
