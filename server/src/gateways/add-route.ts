// A route is added: which gateway serves a network in one direction, in which order, at what cost.
// The same for staff and for the command line.

import type { Actor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { getNetworkByCode } from '../catalogue/read-catalogue.ts'
import { platformMerchant } from '../ledger/account.ts'
import { smallestUnit } from '../money/currency.ts'
import type { Tx } from '../platform/db.ts'
import { assert, defineErrors, invalid, refuse } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { newId } from '../platform/ids.ts'
import { assertChecked } from './accounts.ts'
import type { AdapterModule } from './adapter.ts'
import { findAdapter } from './adapters.ts'
import type { Direction } from './gateway.ts'
import { readSettings, type SettingsInput } from './read-route-settings.ts'
import { asUsual, requireConfirmable, usualFor } from './route-confirmation.ts'
import { viewSettings } from './staff-view.ts'
import {
  type ConfirmationSettings,
  findGatewayByCode,
  findStaffRoute,
  insertRoutes,
  type RouteSettings,
  type StaffRoute,
} from './store.ts'

export type RouteRequest = SettingsInput &
  Readonly<{ network: string; gateway: string; direction: Direction; priority: number }>

/** Whoever adds it, in the environment that they look at. */
export type RouteAuthor = Readonly<{ environment: Environment; actor: Actor }>

/** The route as it was written, and as it is wanted: in LIVE another switches it on. */
export type AddedRoute = Readonly<{ route: StaffRoute; wanted: RouteSettings }>

/**
 * Wanted active unless stated otherwise, which in LIVE takes a check that passed within the day. In
 * LIVE it is written switched off whatever is wanted.
 */
export async function addRoute(
  tx: Tx,
  { environment, actor }: RouteAuthor,
  request: RouteRequest,
): Promise<AddedRoute> {
  const network = await getNetworkByCode(tx, request.network)
  const gateway = await findGatewayByCode(tx, { code: request.gateway, environment })
  if (gateway === undefined) throw noGateway(request.gateway)
  const module = findAdapter(gateway.adapter)
  if (module !== undefined && !module.does.includes(request.direction)) throw cannot(module)
  const { direction } = request
  const usual = direction === 'COLLECT' ? usualFor(network, module) : asUsual
  const wanted = readSettings(
    { ...unpriced, ...usual, amount_step: smallestUnit(network.currency) },
    request,
    network.currency,
  )
  const confirmed = { network_id: network.id, direction, adapter: gateway.adapter }
  await requireConfirmable(tx, confirmed, wanted)
  if (wanted.is_active) await assertChecked(tx, gateway)
  const settings = { ...wanted, is_active: wanted.is_active && environment !== 'LIVE' }
  const id = newId()
  const place = { network_code: network.code, direction, gateway_code: gateway.code }
  const added = await insertRoutes(tx, [{ id, environment, ...place, ...settings }])
  if (added === 0) throw refuse(routeErrors.route_exists)
  const route = await findStaffRoute(tx, { id, environment })
  assert(route !== undefined, `route ${id} is there`)
  await recordAct(tx, {
    ...{ merchant_id: platformMerchant[environment], environment, actor },
    ...{ action: 'route.created', target_kind: 'route', target_id: id },
    after: { ...place, ...viewSettings(route) },
  })
  await publishCatalogue(tx)
  return { route, wanted }
}

const unpriced = {
  priority: 1,
  is_active: true,
  breaker: true,
  cost_percent_ppm: 0n,
  cost_fixed: 0n,
  cost_floor: null,
  cost_cap: null,
} satisfies Omit<RouteSettings, 'amount_step' | keyof ConfirmationSettings>

const noGateway = (code: string) =>
  invalid('gateway', {
    en: `There is no gateway ${code} in this environment.`,
    fr: `La passerelle ${code} n’existe pas dans cet environnement.`,
  })

const cannot = ({ name }: AdapterModule) =>
  invalid('direction', {
    en: `${name} does not move money this way.`,
    fr: `${name} ne fait pas circuler d’argent dans ce sens.`,
  })

/** What adding a route can be answered. */
export const routeErrors = defineErrors({
  route_exists: {
    status: 409,
    message: {
      en: 'This gateway already serves this network in this direction. Update that route.',
      fr: 'Cette passerelle sert déjà ce réseau dans ce sens. Modifiez cette route.',
    },
  },
})
