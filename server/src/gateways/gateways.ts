// The gateways this process can speak to: each row of the table opened by its adapter's factory.
// Law: a switched-off gateway stays open too, because what it already has must be queried.

import type { Db, Sql } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import type { Gateway, Gateways } from './gateway.ts'
import {
  type GatewayRow,
  insertGateways,
  insertRoutes,
  listGateways,
  type NewRoute,
} from './store.ts'

/** Makes the gateway of one row, by the row's `adapter`. */
export type GatewayFactories = Readonly<Record<string, (row: GatewayRow) => Gateway>>

/**
 * A row whose adapter has no factory here (a newer process knows it) is left out: `get` returns
 * undefined, and routing passes it over.
 */
export function openGateways(rows: readonly GatewayRow[], factories: GatewayFactories): Gateways {
  const byCode = new Map<string, Gateway>()
  for (const row of rows) {
    const open = Object.hasOwn(factories, row.adapter) ? factories[row.adapter] : undefined
    if (open === undefined) continue
    assert(!byCode.has(row.code), `two gateways with the code ${row.code}`)
    const gateway = open(row)
    assert(gateway.code === row.code, `${row.code} was opened as ${gateway.code}`)
    byCode.set(row.code, gateway)
  }
  const all = [...byCode.values()]
  return { get: (code) => byCode.get(code), all: () => all }
}

// The gateways of this installation, for the code that opens their adapters.

export const gatewaysFound = (db: Db): Promise<GatewayRow[]> => listGateways(db)

// Adding gateways and routes without touching what is there: operators edit these rows.

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
