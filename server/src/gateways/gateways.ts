// Adding gateways and routes without touching what is there: operators edit these rows.

import type { Sql } from '../platform/db.ts'
import { type GatewayRow, insertGateways, insertRoutes, type NewRoute } from './store.ts'

export type { GatewayRow, NewRoute }

/** Adds the gateways whose codes are missing; returns how many. */
export const addGateways = (sql: Sql, gateways: readonly GatewayRow[]): Promise<number> =>
  insertGateways(sql, gateways)

/**
 * Adds the routes that their network, direction, environment and gateway do not have; how many.
 * Costs and `amount_step` are hundredths of the network's currency.
 */
export const addRoutes = (sql: Sql, routes: readonly NewRoute[]): Promise<number> =>
  insertRoutes(sql, routes)
