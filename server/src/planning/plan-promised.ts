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
import { orderedOn } from './order-routes.ts'
import { isAboveMost, isNeverTaken, type RouteFacts, sideNotTaken } from './plan-routes.ts'

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
export const plansAsPromised = (
  facts: SendFacts,
  promised: PromisedPrice,
): readonly AttemptPlan[] => planPromised(facts, promised).plans

/** With each route that was passed over, put last or left out, and why. */
export const planPromised = (facts: SendFacts, promised: PromisedPrice): Promised =>
  plansFor(facts, promised, { limited: true })

/**
 * Routes are there that pay that net, and of each the account or its operator has a limit by now
 * that it lies outside of.
 */
export const isAboveEveryLimit = (facts: SendFacts, promised: PromisedPrice): boolean =>
  plansAsPromised(facts, promised).length === 0 &&
  plansFor(facts, promised, { limited: false }).plans.length > 0

/** Not what its account may be sent: too much in one payment or at all, or not what it takes. */
function limitOn(
  route: GatewayRoute,
  split: Extract<SplitAnswer, { is: 'split' }>,
): 'payment_limit' | 'operator_limit' | 'exposure_limit' | undefined {
  if (isAboveMost({ direction: 'DISBURSE' }, route, split)) return 'payment_limit'
  if (sideNotTaken({ direction: 'DISBURSE' }, route, split) !== undefined) return 'operator_limit'
  const isNever = isNeverTaken({ direction: 'DISBURSE' }, route, split.net_amount)
  return isNever ? 'exposure_limit' : undefined
}

type Promised = Readonly<{
  plans: readonly AttemptPlan[]
  passed_over: readonly SkippedRoute[]
}>

type Limited = Readonly<{ limited: boolean }>

function plansFor(facts: SendFacts, promised: PromisedPrice, { limited }: Limited): Promised {
  const none = { plans: [], passed_over: [] }
  const network = facts.catalogue.networkByCode(promised.network_code ?? '')
  if (!network?.is_active || !network.takes_payouts) return none
  if (network.currency !== promised.currency) return none
  const choice = chooseRoutes(facts.routes, facts, {
    network_id: network.id,
    direction: 'DISBURSE',
    environment: promised.environment,
    preferred_gateway: promised.preferred_gateway,
    ...orderedOn(network, 'DISBURSE', {
      ...{ amount: promised.requested_amount, health: facts.health, showing: false },
    }),
  })
  const passed_over = [...choice.skipped]
  const plans: AttemptPlan[] = []
  for (const route of choice.routes) {
    const plan = planOn({ promised, network, limited }, route, passed_over)
    if (typeof plan === 'string') {
      passed_over.push({ gateway_code: route.gateway_code, reason: plan })
    } else plans.push(plan)
  }
  return { plans, passed_over }
}

type PromisedOnNetwork = Limited & Readonly<{ promised: PromisedPrice; network: Network }>

/** Why not, where it may not be taken as it was promised. */
function planOn(
  { promised, network, limited }: PromisedOnNetwork,
  route: GatewayRoute,
  skipped_routes: readonly SkippedRoute[],
): AttemptPlan | string {
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
  if (split.is !== 'split') return split.is
  if (split.net_amount !== promised.net_amount) return 'other_amounts'
  if (split.debited_amount !== promised.debited_amount) return 'other_amounts'
  const limit = limited ? limitOn(route, split) : undefined
  if (limit !== undefined) return limit
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
    // The recipient of a payout gives no code and opens no page.
    otp_kind: 'NONE',
    flow: 'push',
    prompt_lifetime_s: null,
    breaker: route.breaker,
    skipped_routes,
    held_back: route.held_back,
    opens_ms: route.opens_ms,
    exposure_limit: route.exposure_limit ?? null,
  }
}
