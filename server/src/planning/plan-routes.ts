// What a payment would cost on each route of a network: pure arithmetic over the catalogue, prices
// and routes that this process holds. No statement, no network.

import { randomUUID } from 'node:crypto'
import type { AttemptPlan } from '../attempts/attempt.ts'
import type { Network } from '../catalogue/catalogue.ts'
import type { Direction, Gateways } from '../gateways/gateway.ts'
import type { Health } from '../gateways/health.ts'
import { sideOutside } from '../gateways/judge-rule.ts'
import { isWorthMore } from '../gateways/limit-worth.ts'
import { wayOn } from '../gateways/route-confirmation.ts'
import {
  type Choice,
  chooseRoutes,
  type GatewayRoute,
  type GatewayRoutes,
  type SkippedRoute,
} from '../gateways/routing.ts'
import type { FeeChargeMode } from '../money/fee-charge-mode.ts'
import { formatAmount } from '../money/format.ts'
import {
  assert,
  type ErrorRow,
  invalid,
  type Locale,
  type Refusal,
  refuse,
  type Text,
} from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { newId } from '../platform/ids.ts'
import { writeMoment } from '../platform/write-moment.ts'
import { clientFee, routeCost } from '../pricing/charge.ts'
import { type Rule, type Rules, topUpRule } from '../pricing/rules.ts'
import { type SplitAnswer, splitAmount } from '../pricing/split-amount.ts'
import { findTier, highestBound, lowestBound, type Tier } from '../pricing/tier.ts'
import type { TransactionType } from '../transactions/states.ts'
import { nobodySends, paymentErrors } from './errors.ts'
import { orderedOn } from './order-routes.ts'

export type RouteFacts = Readonly<{
  routes: GatewayRoutes
  rules: Rules
  gateways: Gateways
  health: Health
}>

export type PlanRequest = Readonly<{
  direction: Direction
  environment: Environment
  network: Network
  /** Hundredths in the network's currency. */
  requested: bigint
  operation_msisdn: string
  /**
   * Which price applies: a merchant who pays in to its own balance has a separate one (contract
   * 8.13).
   */
  fee: 'TIER' | 'TOP_UP'
  /** The caller's or the merchant's; where undefined, the tier's. */
  fee_charge_mode: FeeChargeMode | undefined
  preferred_gateway: string
  /** The payer has made a code first: without one no later route that wants one is tried. */
  has_code?: boolean
  /** Nothing is sent: it is only shown what could be. */
  showing?: boolean
}>

export const feeOf = (type: TransactionType): PlanRequest['fee'] =>
  type === 'RECHARGE' ? 'TOP_UP' : 'TIER'

const ruleFor = (rules: Rules, { fee, network, direction }: PlanRequest): Rule | undefined =>
  fee === 'TOP_UP' ? topUpRule(rules, network.id) : rules.of(network.id, direction)

/** The attempts that may be made, in the order in which they are tried. */
export type Plans = readonly [AttemptPlan, ...AttemptPlan[]]

/** Refuses when there is none. */
export function planRoutes(facts: RouteFacts, request: PlanRequest): Plans {
  const rule = ruleFor(facts.rules, request)
  if (rule === undefined) throw refuse(noRouteFor(request), { note: 'no price' })
  const tier = findTier(rule.tiers, request.requested)
  if (tier === undefined) throw outsideTiers(rule, request)
  const price = { rule, tier }
  const choice = chosenFor(facts, request, (route) => isAsShown(facts, request, price, route))
  if (choice.routes.length === 0) throw nobodyTakes(request, choice)
  const routes = choice.routes.filter((route) => isOwnMoney(request, route))
  if (routes.length === 0) throw refuse(paymentErrors.topup_number_not_owned, { message: byPage })
  const { plans, fault } = planEach(request, { ...price, routes, skipped: choice.skipped })
  const [first, ...others] = plans
  if (first !== undefined) return [first, ...others]
  assert(fault !== undefined, 'a route is planned or at fault')
  throw invalid('amount', fault)
}

function chosenFor(
  facts: RouteFacts,
  request: PlanRequest,
  asShown: (route: GatewayRoute) => boolean = () => true,
): Choice {
  const { network, direction, requested: amount, showing = false } = request
  return chooseRoutes(facts.routes, facts, {
    network_id: network.id,
    direction,
    environment: request.environment,
    preferred_gateway: request.preferred_gateway,
    ...orderedOn(network, direction, { amount, health: facts.health, showing }),
    fits: (route) => isFit(request, route) && asShown(route),
    showing,
  })
}

type Price = Readonly<{ rule: Rule; tier: Tier }>

/**
 * A broken route is tried again only by a payment for which it asks what was shown, which was a
 * route that works: else its payer is asked for another sum, and no other route is left to take it.
 */
function isAsShown(
  facts: RouteFacts,
  request: PlanRequest,
  price: Price,
  route: GatewayRoute,
): boolean {
  const { routes: all, skipped } = chosenFor(facts, { ...request, showing: true })
  const routes = all.filter((one) => isOwnMoney(request, one))
  const [shown] = planEach(request, { ...price, routes, skipped }).plans
  if (shown === undefined) return true
  const split = splitOn(request, price.tier, route)
  return split.is === 'split' && costsTheSame(shown, split)
}

/**
 * A top-up is the merchant's own money, and in LIVE its number shows that (contract 8.13). On a
 * page anybody may pay, whatever number was named.
 */
const isOwnMoney = ({ fee, environment, network, direction }: PlanRequest, route: GatewayRoute) =>
  fee !== 'TOP_UP' || environment !== 'LIVE' || wayOn(route, network, direction).flow === 'push'

const byPage: Text = {
  en:
    'This network is paid on a page, where anybody can pay. ' +
    'Top up by one that asks on the phone.',
  fr:
    'Ce réseau se paie sur une page, où n’importe qui peut payer. ' +
    'Rechargez par un réseau qui demande l’accord sur le téléphone.',
}

const noRouteFor = ({ direction }: PlanRequest): ErrorRow =>
  direction === 'DISBURSE' ? nobodySends : paymentErrors.no_route_available

function nobodyTakes(request: PlanRequest, { closed }: Choice): Refusal {
  if (closed === undefined) return refuse(noRouteFor(request))
  const { name } = request.network
  const { until_ms, time_zone } = closed
  const opens = (locale: Locale) =>
    until_ms === null ? '' : ` ${writeMoment(new Date(until_ms), time_zone, locale)}`
  const message =
    until_ms === null
      ? {
          en: `${name} is closed for now. Use another network.`,
          fr: `${name} est fermé pour le moment. Choisissez un autre réseau.`,
        }
      : {
          en: `${name} is closed until${opens('en')}. Use another network, or try again then.`,
          fr:
            `${name} est fermé jusqu’au${opens('fr')}. ` +
            'Choisissez un autre réseau ou réessayez alors.',
        }
  return refuse(paymentErrors.no_route_available, { message, note: 'closed' })
}

type PricedRoutes = Price &
  Readonly<{ routes: readonly GatewayRoute[]; skipped: readonly SkippedRoute[] }>

/** `fault`: why the last of those that could not be planned cannot take it. */
type Planned = Readonly<{ plans: readonly AttemptPlan[]; fault: Text | undefined }>

function planEach(request: PlanRequest, { rule, tier, routes, skipped }: PricedRoutes): Planned {
  const plans: AttemptPlan[] = []
  const left_out = [...skipped]
  let fault: Text | undefined
  for (const route of routes) {
    const split = splitOn(request, tier, route)
    const [first] = plans
    if (split.is === 'split' && first !== undefined && !costsTheSame(first, split)) {
      left_out.push({ gateway_code: route.gateway_code, reason: 'other_amounts' })
      continue
    }
    if (first !== undefined && !isFit(request, route)) {
      left_out.push({ gateway_code: route.gateway_code, reason: 'needs_code' })
      continue
    }
    if (split.is === 'split' && isAboveMost(request, route, split)) {
      fault = tooLarge(request)
      left_out.push({ gateway_code: route.gateway_code, reason: 'payment_limit' })
      continue
    }
    if (split.is === 'split' && isNeverTaken(request, route, split.net_amount)) {
      fault = tooMuch
      left_out.push({ gateway_code: route.gateway_code, reason: 'exposure_limit' })
      continue
    }
    const side = split.is === 'split' ? sideNotTaken(request, route, split) : undefined
    if (side !== undefined) {
      fault = side === 'above' ? tooLarge(request) : tooSmall(request)
      left_out.push({ gateway_code: route.gateway_code, reason: 'operator_limit' })
      continue
    }
    if (split.is === 'split') {
      plans.push(planOf({ request, rule, tier, route, split, skipped: left_out }))
      continue
    }
    fault = faultOf(split, request.network.currency)
    left_out.push({ gateway_code: route.gateway_code, reason: split.is })
  }
  return { plans, fault }
}

/**
 * A payer without a code is asked for one by the first route alone, and by none that is broken and
 * only tried again: where others work they were shown that no code is wanted. Whatever else a later
 * route wants of them, they are given it by the answer of the route that took the payment.
 */
const isFit = ({ network, direction, has_code }: PlanRequest, route: GatewayRoute): boolean =>
  has_code === true || wayOn(route, network, direction).otp_kind !== 'PRE'

const tooMuch: Text = {
  en: 'No operator takes so much at once here. Pay it out in smaller sums.',
  fr: 'Aucun opérateur n’accepte autant à la fois ici. Versez-le en plusieurs sommes.',
}

const tooLarge = ({ direction }: PlanRequest): Text =>
  direction === 'DISBURSE'
    ? tooMuch
    : {
        en: 'No operator takes so much at once here. Use a smaller amount or another network.',
        fr:
          'Aucun opérateur n’accepte autant à la fois ici. ' +
          'Choisissez un montant plus petit ou un autre réseau.',
      }

const tooSmall = ({ direction }: PlanRequest): Text =>
  direction === 'DISBURSE'
    ? {
        en: 'No operator takes so little here. Pay out a larger sum.',
        fr: 'Aucun opérateur n’accepte une si petite somme ici. Versez une somme plus grande.',
      }
    : {
        en: 'No operator takes so little here. Use a larger amount or another network.',
        fr:
          'Aucun opérateur n’accepte une si petite somme ici. ' +
          'Choisissez un montant plus grand ou un autre réseau.',
      }

type Wire = Readonly<{ debited_amount: bigint; net_amount: bigint }>

/** On which side of what its operator takes what crosses the wire lies; undefined: within it. */
export const sideNotTaken = (
  { direction }: Pick<PlanRequest, 'direction'>,
  { published_least: least = null, published_most: most = null }: GatewayRoute,
  { debited_amount, net_amount }: Wire,
): 'below' | 'above' | undefined =>
  sideOutside(direction === 'COLLECT' ? debited_amount : net_amount, { least, most })

/** What crosses the wire is more than one payment may be with its account. */
export const isAboveMost = (
  { direction }: Pick<PlanRequest, 'direction'>,
  { payment_limit = null, worth }: GatewayRoute,
  split: Wire,
): boolean =>
  payment_limit !== null &&
  isWorthMore(
    direction === 'COLLECT' ? split.debited_amount : split.net_amount,
    payment_limit,
    worth,
  )

/** More than may be with its account at once: a payout would wait for it in vain. */
export const isNeverTaken = (
  { direction }: Pick<PlanRequest, 'direction'>,
  { exposure_limit = null, worth }: GatewayRoute,
  net_amount: bigint,
): boolean =>
  direction === 'DISBURSE' &&
  exposure_limit !== null &&
  isWorthMore(net_amount, exposure_limit, worth)

/**
 * The payer and the merchant are each shown a sum before any route is tried, so a payment's next
 * route must keep both or is not taken. A payout's promise was made elsewhere, and its planner
 * compares.
 */
const costsTheSame = (first: AttemptPlan, split: Extract<SplitAnswer, { is: 'split' }>): boolean =>
  first.direction === 'DISBURSE' ||
  (first.debited_amount === split.debited_amount && first.net_amount === split.net_amount)

function splitOn(request: PlanRequest, tier: Tier, route: GatewayRoute): SplitAnswer {
  const { currency } = request.network
  const cost = {
    percent_ppm: route.cost_percent_ppm,
    fixed: route.cost_fixed,
    floor: route.cost_floor,
    cap: route.cost_cap,
  }
  return splitAmount({
    requested: request.requested,
    client_fee: clientFee(tier, request.requested, currency),
    route_cost: routeCost(cost, request.requested, currency),
    mode: request.fee_charge_mode ?? tier.fee_charge_mode,
    direction: request.direction,
    currency,
    amount_step: route.amount_step,
  })
}

type PlanInput = {
  request: PlanRequest
  rule: Rule
  tier: Tier
  route: GatewayRoute
  split: Extract<SplitAnswer, { is: 'split' }>
  skipped: readonly SkippedRoute[]
}

function planOf({ request, rule, tier, route, split, skipped }: PlanInput): AttemptPlan {
  const { network } = request
  const { is: _split, ...figures } = split
  return {
    id: newId(),
    ...figures,
    our_key: randomUUID(),
    direction: request.direction,
    route_id: route.id,
    gateway_id: route.gateway_id,
    gateway_code: route.gateway_code,
    network_id: network.id,
    network_code: network.code,
    country_code: network.country_code,
    operation_msisdn: request.operation_msisdn,
    pricing_rule: rule.is_custom ? null : rule.id,
    merchant_pricing_rule: rule.is_custom ? rule.id : null,
    requested_amount: request.requested,
    fee_charge_mode: request.fee_charge_mode ?? tier.fee_charge_mode,
    currency: network.currency,
    ...wayOn(route, network, request.direction),
    prompt_lifetime_s: route.prompt_lifetime_s ?? null,
    breaker: route.breaker,
    skipped_routes: skipped,
    held_back: route.held_back,
    exposure_limit: route.exposure_limit ?? null,
  }
}

function faultOf(split: Exclude<SplitAnswer, { is: 'split' }>, currency: string): Text {
  if (split.is === 'net_not_positive') {
    return {
      en: 'The fee would take the whole amount.',
      fr: 'Les frais absorberaient tout le montant.',
    }
  }
  const step = plain(split.step)
  return {
    en: `The amount must be a multiple of ${step} ${currency} on this network.`,
    fr: `Le montant doit être un multiple de ${step} ${currency} sur ce réseau.`,
  }
}

function outsideTiers({ tiers }: Rule, { requested, network: { currency } }: PlanRequest) {
  const below = highestBound(tiers.filter(({ max_amount }) => max_amount < requested))
  const above = lowestBound(tiers.filter(({ min_amount }) => min_amount > requested))
  if (below !== undefined && above !== undefined) return inGap({ below, above, currency })
  const least = lowestBound(tiers) ?? 0n
  const most = highestBound(tiers) ?? 0n
  if (requested > most) {
    return invalid('amount', {
      en: `The maximum on this network is ${plain(most)} ${currency}.`,
      fr: `Le montant maximum sur ce réseau est de ${plain(most)} ${currency}.`,
    })
  }
  return invalid('amount', {
    en: `The minimum on this network is ${plain(least)} ${currency}.`,
    fr: `Le montant minimum sur ce réseau est de ${plain(least)} ${currency}.`,
  })
}

/** It lies between two tiers, so neither bound of the network is what it offends. */
function inGap(gap: Readonly<{ below: bigint; above: bigint; currency: string }>) {
  const [below, above] = [plain(gap.below), plain(gap.above)]
  const { currency } = gap
  return invalid('amount', {
    en: `This network accepts at most ${below} ${currency} or at least ${above} ${currency}.`,
    fr: `Ce réseau accepte au plus ${below} ${currency} ou au moins ${above} ${currency}.`,
  })
}

/** `200`, not `200.00`: whole amounts read better in a sentence. */
const plain = (hundredths: bigint): string => formatAmount(hundredths).replace(/\.00$/, '')
