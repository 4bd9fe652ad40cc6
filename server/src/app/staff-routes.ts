// Every route of the platform's staff, put together once.

import { adjustmentRoutes } from '../adjustments/routes.ts'
import { networkAdminRoutes } from '../catalogue/admin/routes.ts'
import { gatewayAdminRoutes } from '../gateways/admin-routes.ts'
import { floatRoutes } from '../gateways/float-routes.ts'
import { incidentAdminRoutes } from '../incidents/admin/routes.ts'
import { houseMerchant } from '../ledger/account.ts'
import { balanceAdminRoutes } from '../ledger/admin/routes.ts'
import { merchantAdminRoutes } from '../merchants/admin/routes.ts'
import { staffRoutes } from '../people/staff-routes.ts'
import type { ServedRoute } from '../platform/http/served-route.ts'
import { guardsOf, openStorage } from '../platform/storage/open-storage.ts'
import { pricingAdminRoutes } from '../pricing/admin/routes.ts'
import { ratesAdminRoutes } from '../rates/admin/routes.ts'
import { proofRoutes } from '../settlements/proof/routes.ts'
import { transactionAdminRoutes } from '../transactions/admin/routes.ts'
import { type Parts, ringOf } from './parts.ts'

/** What staff do may tell people by letter: the mailer looks at once, not at its next turn. */
const thenMail = (ring: (name: string) => void, route: ServedRoute): ServedRoute =>
  route.method === 'GET'
    ? route
    : {
        ...route,
        handler: async (input) => {
          const reply = await route.handler(input)
          ring('send-mail')
          return reply
        },
      }

/** What the platform's staff do. */
export function adminRoutes(parts: Parts): ServedRoute[] {
  const { config, db, keyring, public_url } = parts
  const ring = ringOf(parts)
  const storage = openStorage(config)
  const usual = {
    ...{ db, keyring, public_url, limits: config.limits, storage, ...guardsOf(config) },
    house: houseMerchant,
  }
  const deps = { ...usual, cooling_hours: config.payout_method_cooling_hours }
  const routes: ServedRoute[] = [
    ...staffRoutes(deps),
    ...merchantAdminRoutes(deps),
    ...balanceAdminRoutes(deps),
    ...adjustmentRoutes(deps),
    ...networkAdminRoutes(deps),
    ...pricingAdminRoutes(deps),
    ...ratesAdminRoutes(deps),
    ...gatewayAdminRoutes(deps),
    ...floatRoutes({ db, wake: ring }),
    ...incidentAdminRoutes(deps),
    ...transactionAdminRoutes({ db, cursor_secret: keyring.mac('cursor', 'v1') }),
    ...proofRoutes(deps),
  ]
  return routes.map((route) => thenMail(ring, route))
}
