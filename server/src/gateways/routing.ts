// Which routes a payment may take, in which order: rows by priority, then cost; switched-off rows
// and gateways and gateways this process cannot speak to are left out; closed and broken routes
// too, with their reason. A preferred gateway goes first. A payout does not try what is closed,
// broken or without a float: it waits for it.

import type { Db } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { type Versioned, versioned } from '../platform/versioned.ts'
import { listRatesAhead } from '../rates/store.ts'
import { collects, type Direction, type Gateways, pays } from './gateway.ts'
import type { Health } from './health.ts'
import { limitCurrency, worthOf } from './limit-worth.ts'
import { type Closure, closedAt } from './opening-hours.ts'
import { listActiveRoutes, type RouteRow } from './store.ts'

/** Why a payout is not sent on a route now, and waits where no other takes it. */
export type WhyLater = 'GATEWAY_FLOAT' | 'GATEWAY_CLOSED' | 'NO_ROUTE'

export type GatewayRoute = RouteRow &
  Readonly<{
    held_back?: WhyLater | undefined
    /** Of one that is closed, where it is known: milliseconds since 1970. */
    opens_ms?: number | null | undefined
  }>

export type GatewayRoutes = Readonly<{
  of(network_id: string, direction: Direction, environment: Environment): readonly GatewayRoute[]
  /** Of the sandbox: those of accounts with this imitation. Absent: there are none. */
  ofDialect?(network_id: string, direction: Direction, dialect: string): readonly GatewayRoute[]
}>

/**
 * The same for a merchant who has chosen what its networks speak in the sandbox: that first, and
 * the plain sandbox operator behind it, as a second operator is. LIVE is as for everybody.
 */
export const routesChosen = (
  routes: GatewayRoutes,
  choices: Readonly<Record<string, string>> = {},
): GatewayRoutes => ({
  ...routes,
  of(network_id, direction, environment) {
    const usual = routes.of(network_id, direction, environment)
    const dialect =
      environment === 'SANDBOX' ? choices[choiceKey(network_id, direction)] : undefined
    if (dialect === undefined) return usual
    return [...(routes.ofDialect?.(network_id, direction, dialect) ?? []), ...usual]
  },
})

/** What a merchant's choice is kept under. */
export const choiceKey = (network_id: string, direction: Direction): string =>
  `${network_id} ${direction}`

/**
 * The active routes in memory, loaded again when the catalogue's version moves on. They are there
 * once `meanwhile` has ended too: the gateways that they lead to are then as new.
 */
export function routesIn(
  db: Db,
  meanwhile: () => Promise<void> = async () => undefined,
): Versioned<GatewayRoutes> {
  return versioned(async () => {
    const [rows, rates] = await Promise.all([listActiveRoutes(db), listRatesAhead(db), meanwhile()])
    const now = rates.filter(({ in_ms }) => in_ms === 0)
    const byKey = new Map<string, GatewayRoute[]>()
    for (const row of rows) {
      const { network_id, direction, environment, dialect } = row
      const key = `${network_id} ${direction} ${dialect ?? environment}`
      const worth = worthOf(now, row.currency ?? limitCurrency)
      byKey.set(key, [...(byKey.get(key) ?? []), { ...row, worth }])
    }
    const found = (network_id: string, direction: Direction, of: string) =>
      byKey.get(`${network_id} ${direction} ${of}`) ?? []
    return { of: found, ofDialect: found }
  })
}

export type SkippedRoute = Readonly<{ gateway_code: string; reason: string }>
export type Choice = Readonly<{
  routes: readonly GatewayRoute[]
  skipped: readonly SkippedRoute[]
  /** Where all that could take it are closed: the one that opens first. */
  closed?: Closure
  /** Of a payment: each of its routes is left for its failures, and is tried all the same. */
  broken?: true
}>

export type RouteQuery = Readonly<{
  network_id: string
  direction: Direction
  environment: Environment
  /** A gateway's code to try first, or empty. */
  preferred_gateway: string
  /** In which order those that work are tried, where it is not by their priorities. */
  order?: (routes: readonly GatewayRoute[]) => readonly GatewayRoute[]
  /** False for a broken route that this payment could not go by, were it tried again. */
  fits?: (route: GatewayRoute) => boolean
  /** Nothing is sent: it is only shown what could be. */
  showing?: boolean
}>

export type ChoiceFacts = Readonly<{ gateways: Gateways; health: Health }>

/**
 * The routes to try, in order. Payments try broken routes all the same where all are broken just
 * now; of a payout's routes those that are put back come last.
 */
export function chooseRoutes(routes: GatewayRoutes, facts: ChoiceFacts, query: RouteQuery): Choice {
  const { gateways, health } = facts
  const able = routes.of(query.network_id, query.direction, query.environment).filter((route) => {
    const gateway = gateways.get(route.gateway_code)
    if (gateway === undefined) return false
    return query.direction === 'COLLECT' ? collects(gateway) : pays(gateway)
  })
  const now_ms = health.now()
  const { showing: isShown = false, fits = () => true } = query
  const skipped: SkippedRoute[] = []
  const sound: GatewayRoute[] = []
  const ill: GatewayRoute[] = []
  const said_closed: GatewayRoute[] = []
  const broken: GatewayRoute[] = []
  const closed: Closure[] = []
  const later: GatewayRoute[] = []
  for (const route of able) {
    const { gateway_code } = route
    const closure = route.hours == null ? undefined : closedAt(route.hours, now_ms)
    const mayTry = () => !isShown && fits(route)
    const reason = closure === undefined ? leftFor(health, route, mayTry) : 'closed'
    const why = reason ?? whyLast(health, route)
    if (why !== undefined) skipped.push({ gateway_code, reason: why })
    if (closure !== undefined) {
      closed.push(closure)
      later.push({ ...route, held_back: 'GATEWAY_CLOSED', opens_ms: closure.until_ms })
    } else if (route.float_empty === true) later.push({ ...route, held_back: 'GATEWAY_FLOAT' })
    else if (reason !== undefined) broken.push(route)
    else if (health.isSaidClosed(route)) said_closed.push(route)
    else if (health.isDemoted(route)) ill.push(route)
    else sound.push(route)
  }
  const isPreferred = (route: GatewayRoute) => route.gateway_code === query.preferred_gateway
  const ordered = (some: readonly GatewayRoute[]) => [
    ...some.filter(isPreferred),
    ...some.filter((route) => !isPreferred(route)),
  ]
  const { order = (some: readonly GatewayRoute[]) => some } = query
  const well = [sound, ill, said_closed].flatMap((some) => ordered(order(some)))
  if (query.direction === 'DISBURSE') {
    const held_back = broken.map((route) => ({ ...route, held_back: 'NO_ROUTE' as const }))
    return { routes: [...well, ...ordered([...later, ...held_back])], skipped }
  }
  const [first] = closed.toSorted((a, b) => opensAt(a) - opensAt(b))
  const tried = broken.filter((route) => !health.isExposed(route))
  const usable = well.length > 0 ? well : ordered(tried)
  const isClosed = usable.length === 0 && first !== undefined
  const isBroken = well.length === 0 && usable.length > 0
  const why = { ...(isClosed && { closed: first }), ...(isBroken && { broken: true as const }) }
  return { routes: usable, skipped, ...why }
}

/**
 * Why a route is left out now. Of a broken one, each so often, one payment tries whether it works
 * again; a payout never does.
 */
function leftFor(health: Health, route: GatewayRoute, mayTry: () => boolean): string | undefined {
  if (health.isExposed(route)) return 'exposure_limit'
  const reason = health.skipped(route)
  if (reason === undefined || route.direction === 'DISBURSE' || !mayTry()) return reason
  return health.claimProbe(route) ? undefined : reason
}

/** Why a route that works comes after others. */
function whyLast(health: Health, route: GatewayRoute): string | undefined {
  if (route.float_empty === true) return 'float_empty'
  if (health.isSaidClosed(route)) return 'operator_closed'
  return health.isDemoted(route) ? 'demoted' : undefined
}

const opensAt = ({ until_ms }: Closure): number => until_ms ?? Number.POSITIVE_INFINITY
