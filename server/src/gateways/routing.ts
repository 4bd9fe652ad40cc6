// Which routes a payment may take, in which order: rows by priority, then cost; switched-off rows
// and gateways, gateways this process cannot speak to, and broken routes are left out, the last
// with their reason. A preferred gateway goes first.

import type { Db } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { type Versioned, versioned } from '../platform/versioned.ts'
import { collects, type Direction, type Gateways, pays } from './gateway.ts'
import type { Health } from './health.ts'
import { listActiveRoutes, type RouteRow } from './store.ts'

export type GatewayRoute = RouteRow

export type GatewayRoutes = Readonly<{
  of(network_id: string, direction: Direction, environment: Environment): readonly GatewayRoute[]
}>

/**
 * The active routes in memory, loaded again when the catalogue's version moves on. They are there
 * once `meanwhile` has ended too: the gateways that they lead to are then as new.
 */
export function routesIn(
  db: Db,
  meanwhile: () => Promise<void> = async () => undefined,
): Versioned<GatewayRoutes> {
  return versioned(async () => {
    const [rows] = await Promise.all([listActiveRoutes(db), meanwhile()])
    const name = (network_id: string, direction: string, environment: string) =>
      `${network_id} ${direction} ${environment}`
    const byKey = new Map<string, GatewayRoute[]>()
    for (const row of rows) {
      const key = name(row.network_id, row.direction, row.environment)
      byKey.set(key, [...(byKey.get(key) ?? []), row])
    }
    return {
      of: (network_id, direction, environment) =>
        byKey.get(name(network_id, direction, environment)) ?? [],
    }
  })
}

export type SkippedRoute = Readonly<{ gateway_code: string; reason: string }>
export type Choice = Readonly<{ routes: readonly GatewayRoute[]; skipped: readonly SkippedRoute[] }>

export type RouteQuery = Readonly<{
  network_id: string
  direction: Direction
  environment: Environment
  /** A gateway's code to try first, or empty. */
  preferred_gateway: string
}>

/** The routes to try, in order. If all are broken just now they are tried all the same. */
export function chooseRoutes(
  routes: GatewayRoutes,
  { gateways, health }: { gateways: Gateways; health: Health },
  query: RouteQuery,
): Choice {
  const able = routes.of(query.network_id, query.direction, query.environment).filter((route) => {
    const gateway = gateways.get(route.gateway_code)
    if (gateway === undefined) return false
    return query.direction === 'COLLECT' ? collects(gateway) : pays(gateway)
  })
  const skipped: SkippedRoute[] = []
  const sound = able.filter((route) => {
    const reason = health.skipped(route)
    if (reason !== undefined) skipped.push({ gateway_code: route.gateway_code, reason })
    return reason === undefined
  })
  const usable = sound.length > 0 ? sound : able
  const isPreferred = (route: GatewayRoute) => route.gateway_code === query.preferred_gateway
  return {
    routes: [...usable.filter(isPreferred), ...usable.filter((r) => !isPreferred(r))],
    skipped,
  }
}
