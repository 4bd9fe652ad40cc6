// The routes of what was priced before. The price is frozen when a payout or settlement is made,
// and later only routes are taken that cost the merchant the same and pay out the same net, to the
// franc. Pure.

import { randomUUID } from 'node:crypto'
import type { AttemptPlan } from '../attempts/attempt.ts'
import type { Catalogue, Network } from '../catalogue/catalogue.ts'
import { chooseRoutes, type GatewayRoute, type SkippedRoute } from '../gateways/routing.ts'
import type { FeeChargeMode } from '../money/fee-charge-mode.ts'
import type { Environment } from '../platform/http/route.ts'
import { newId } from '../platform/ids.ts'
import { routeCost } from '../pricing/charge.ts'
import { type SplitAnswer, splitAmount } from '../pricing/split-amount.ts'
import { isAboveMost, isNeverTaken, type RouteFacts } from './plan-routes.ts'

export type SendFacts = Pick<RouteFacts, 'routes' | 'gateways' | 'health'> &
  Readonly<{ catalogue: Catalogue }>

/** What was promised when it was made; amounts in hundredths of `currency`. */
export type PromisedPrice = Readonly<{
  environment: Environment
  network_code: string | null
  operation_msisdn: string
  currency: string
  requested_amount: bigint
  fee_charge_mode: FeeChargeMode
  client_fee: bigint
  debited_amount: bigint
  net_amount: bigint
  pricing_rule: string | null
  merchant_pricing_rule: string | null
  preferred_gateway: string
}>

/**
 * Empty while the network is off or takes no payouts, and where no route pays that net, or none of
 * those that do may take so much.
 */
export const plansAsPromised = (facts: SendFacts, promised: PromisedPrice): AttemptPlan[] =>
  plansFor(facts, promised, { limited: true })

/** Routes are there that pay that net, and each of their accounts has a limit below it by now. */
export const isAboveEveryLimit = (facts: SendFacts, promised: PromisedPrice): boolean =>
  plansAsPromised(facts, promised).length === 0 &&
  plansFor(facts, promised, { limited: false }).length > 0

/** More than its account may be sent, in one payment or at all. */
const isLimited = (route: GatewayRoute, split: Extract<SplitAnswer, { is: 'split' }>): boolean =>
  isAboveMost({ direction: 'DISBURSE' }, route, split) ||
  isNeverTaken({ direction: 'DISBURSE' }, route, split.net_amount)

type Limited = Readonly<{ limited: boolean }>

function plansFor(facts: SendFacts, promised: PromisedPrice, { limited }: Limited): AttemptPlan[] {
  const network = facts.catalogue.networkByCode(promised.network_code ?? '')
  if (!network?.is_active || !network.takes_payouts) return []
  if (network.currency !== promised.currency) return []
  const choice = chooseRoutes(facts.routes, facts, {
    network_id: network.id,
    direction: 'DISBURSE',
    environment: promised.environment,
    preferred_gateway: promised.preferred_gateway,
  })
  return choice.routes.flatMap(
    (route) => planOn({ promised, network, limited }, route, choice.skipped) ?? [],
  )
}

type PromisedOnNetwork = Limited & Readonly<{ promised: PromisedPrice; network: Network }>

function planOn(
  { promised, network, limited }: PromisedOnNetwork,
  route: GatewayRoute,
  skipped_routes: readonly SkippedRoute[],
): AttemptPlan | undefined {
  const { requested_amount, client_fee, fee_charge_mode, currency } = promised
  const cost = {
    percent_ppm: route.cost_percent_ppm,
    fixed: route.cost_fixed,
    floor: route.cost_floor,
    cap: route.cost_cap,
  }
  const split = splitAmount({
    requested: requested_amount,
    client_fee,
    route_cost: routeCost(cost, requested_amount, currency),
    mode: fee_charge_mode,
    direction: 'DISBURSE',
    currency,
    amount_step: route.amount_step,
  })
  if (split.is !== 'split' || split.net_amount !== promised.net_amount) return undefined
  if (split.debited_amount !== promised.debited_amount) return undefined
  if (limited && isLimited(route, split)) return undefined
  const { is: _split, ...figures } = split
  return {
    ...figures,
    id: newId(),
    our_key: randomUUID(),
    direction: 'DISBURSE',
    route_id: route.id,
    gateway_id: route.gateway_id,
    gateway_code: route.gateway_code,
    network_id: network.id,
    network_code: network.code,
    country_code: network.country_code,
    operation_msisdn: promised.operation_msisdn,
    pricing_rule: promised.pricing_rule,
    merchant_pricing_rule: promised.merchant_pricing_rule,
    requested_amount,
    fee_charge_mode,
    currency,
    // The receiver of a payout gives no code and opens no page.
    otp_kind: 'NONE',
    flow: 'push',
    breaker: route.breaker,
    skipped_routes,
    held_back: route.held_back,
    exposure_limit: route.exposure_limit ?? null,
  }
}
