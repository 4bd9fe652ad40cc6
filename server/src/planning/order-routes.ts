// Which of several routes that work is tried first, as staff have it by network and direction: by
// their priorities, by what each costs for the amount, or by how many payments succeed on each.
// Pure but for the seed. Law: what comes out is what went in, in another order.

import type { Network, Routing } from '../catalogue/catalogue.ts'
import type { Direction } from '../gateways/gateway.ts'
import type { Health } from '../gateways/health.ts'
import type { GatewayRoute, RouteQuery } from '../gateways/routing.ts'
import { routeCost } from '../pricing/charge.ts'

export type OrderFacts = Readonly<{
  /** Hundredths in the network's currency, as costs are taken on it. */
  amount: bigint
  currency: string
  leastShare: Health['leastShare']
  /** 0 to below 1, by chance; 1 where nothing is sent. */
  seed: number
}>

/** Shares that are nearer to one another are as good as equal. */
const tie = 0.02

/**
 * Of a hundred payments two try another route first: of one that is never taken nobody learns that
 * it has become better.
 */
const tried_anyway = 0.02

/** `routes` in the order of their priorities, which decides between equals. */
export function orderRoutes(
  routing: Routing,
  routes: readonly GatewayRoute[],
  facts: OrderFacts,
): readonly GatewayRoute[] {
  if (routing === 'PRIORITY' || routes.length < 2) return routes
  // What a sandbox merchant has chosen to speak goes before the plain operator in any case.
  const dialects = [...new Set(routes.map(({ dialect }) => dialect))]
  return dialects.flatMap((dialect) => {
    const some = routes.filter((route) => route.dialect === dialect)
    return routing === 'COST' ? byCost(some, facts) : bySuccess(some, facts)
  })
}

/** For a query of `chooseRoutes`; nothing where priorities decide, which is the usual case. */
export function orderedOn(
  network: Network,
  direction: Direction,
  { amount, health, showing }: Readonly<{ amount: bigint; health: Health; showing: boolean }>,
): Pick<RouteQuery, 'order'> {
  const routing = direction === 'COLLECT' ? network.collect_routing : network.disburse_routing
  if (routing === 'PRIORITY') return {}
  const { currency } = network
  const leastShare: Health['leastShare'] = (route) => health.leastShare(route)
  const facts = { amount, currency, leastShare, seed: showing ? 1 : Math.random() }
  return { order: (routes) => orderRoutes(routing, routes, facts) }
}

/** Where nothing is paid, a usual amount: ten thousand francs. Hundredths. */
const shown_amount = 1_000_000n

/** Of a list that names no amount: which route of a network collects first. */
export const orderShown = (health: Health) => (network: Network) =>
  orderedOn(network, 'COLLECT', { amount: shown_amount, health, showing: true })

function byCost(routes: readonly GatewayRoute[], { amount, currency }: OrderFacts) {
  const costs = new Map(routes.map((route) => [route, costOf(route, amount, currency)]))
  const costOn = (route: GatewayRoute) => costs.get(route) ?? 0n
  return routes.toSorted((a, b) => sign(costOn(a) - costOn(b)))
}

const costOf = (route: GatewayRoute, amount: bigint, currency: string): bigint =>
  routeCost(
    {
      percent_ppm: route.cost_percent_ppm,
      fixed: route.cost_fixed,
      floor: route.cost_floor,
      cap: route.cost_cap,
    },
    amount,
    currency,
  )

const sign = (difference: bigint): number => (difference < 0n ? -1 : Number(difference > 0n))

function bySuccess(routes: readonly GatewayRoute[], facts: OrderFacts): readonly GatewayRoute[] {
  const ordered: GatewayRoute[] = []
  let left = routes.toSorted((a, b) => facts.leastShare(b) - facts.leastShare(a))
  while (left[0] !== undefined) {
    const best = facts.leastShare(left[0])
    const isAsGood = (route: GatewayRoute) => best - facts.leastShare(route) <= tie
    const equals = routes.filter((route) => left.includes(route) && isAsGood(route))
    ordered.push(...byCost(equals, facts))
    left = left.filter((route) => !isAsGood(route))
  }
  if (facts.seed >= tried_anyway) return ordered
  const [first, ...others] = ordered
  const alike = others.filter((route) => first !== undefined && isAlike(first, route))
  const tried = alike[Math.floor((facts.seed / tried_anyway) * alike.length)]
  if (first === undefined || tried === undefined) return ordered
  return [tried, first, ...others.filter((route) => route !== tried)]
}

/**
 * Another step may ask the payer for another sum than a page has shown, and another way to confirm
 * for a code that they have not.
 */
const isAlike = (one: GatewayRoute, other: GatewayRoute): boolean =>
  one.amount_step === other.amount_step &&
  one.flow === other.flow &&
  one.otp_kind === other.otp_kind
