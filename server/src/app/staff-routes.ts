// Every route of the platform's staff, put together once.

import { adjustmentRoutes } from '../adjustments/routes.ts'
import { isInUse } from '../attempts/exposure-statements.ts'
import { stepRoutes } from '../attempts/steps/routes.ts'
import { networkAdminRoutes } from '../catalogue/admin/routes.ts'
import { accountRoutes } from '../gateways/account-routes.ts'
import { accountErrors, checkErrors } from '../gateways/accounts.ts'
import { gatewayAdminRoutes } from '../gateways/admin-routes.ts'
import { balanceRoutes } from '../gateways/balance-routes.ts'
import { callbackCertificateFindings } from '../gateways/callback-certificate.ts'
import { settingsErrors } from '../gateways/change-settings.ts'
import { floatRoutes } from '../gateways/float-routes.ts'
import type { Gateways } from '../gateways/gateway.ts'
import { hoursRoutes } from '../gateways/hours-routes.ts'
import { applySteering } from '../gateways/steer-routes.ts'
import { incidentAdminRoutes } from '../incidents/admin/routes.ts'
import { platformMerchant } from '../ledger/account.ts'
import { balanceAdminRoutes } from '../ledger/admin/routes.ts'
import { merchantAdminRoutes } from '../merchants/admin/routes.ts'
import { emailFellowOwners } from '../merchants/email-owners.ts'
import { payoutErrors } from '../payouts/errors.ts'
import { applyReversal, homeOfPayout } from '../payouts/reversals/propose-reversal.ts'
import { peopleErrors } from '../people/errors.ts'
import { memberHelpRoutes } from '../people/members/routes.ts'
import { proposalRoutes } from '../people/proposals/routes.ts'
import { staffRoutes } from '../people/routes.ts'
import { applyAdded } from '../people/staff/add-staff.ts'
import { applyChanged } from '../people/staff/change-staff.ts'
import { staffErrors } from '../people/staff/errors.ts'
import { applyFactorReset } from '../people/staff/reset-second-factor.ts'
import { cursorSecretOf } from '../platform/http/pages.ts'
import type { ServedRoute } from '../platform/http/route.ts'
import { openStorage, scannerOf } from '../platform/storage/open-storage.ts'
import { pricingAdminRoutes } from '../pricing/admin/routes.ts'
import { applyRate } from '../rates/add-rate.ts'
import { ratesAdminRoutes } from '../rates/admin-routes.ts'
import { rateErrors } from '../rates/errors.ts'
import { proofRoutes } from '../settlements/proof-routes.ts'
import { transactionAdminRoutes } from '../transactions/admin/routes.ts'
import { usageInTime } from './check-usage.ts'
import { onRoomOf, type Parts, wakeUpOf } from './parts.ts'

/** What each kind of proposal may be refused with by the time that another confirms it. */
const refusals = {
  STAFF_ADDED: [peopleErrors.email_taken],
  STAFF_CHANGED: [staffErrors.last_superadmin],
  STAFF_FACTOR_RESET: [],
  EXCHANGE_RATE: [
    rateErrors.rate_is_pegged,
    rateErrors.rate_exists,
    rateErrors.rate_quoted_other_way,
  ],
  GATEWAY_ACCOUNT: [
    checkErrors.gateway_not_checked,
    accountErrors.gateway_exists,
    settingsErrors.gateway_in_use,
    accountErrors.gateway_without_settings,
  ],
  PAYOUT_REVERSAL: [payoutErrors.not_reversible],
}

/** Acts of staff may e-mail people: the mailer is woken at once instead of at its next poll. */
const thenMail = (wakeUp: (name: string) => void, route: ServedRoute): ServedRoute =>
  route.method === 'GET'
    ? route
    : {
        ...route,
        handler: async (input) => {
          const reply = await route.handler(input)
          wakeUp('send-mail')
          return reply
        },
      }

/** The routes of the platform's staff. */
export function adminRoutes(parts: Parts, gateways: Gateways): ServedRoute[] {
  const { config, db, reads, keyring, public_url, dashboard_url } = parts
  const wakeUp = wakeUpOf(parts)
  const onRoom = onRoomOf(parts)
  const storage = openStorage(config)
  const files = { storage, scanner: scannerOf(config.clamd), uploads: config.uploads }
  const usual = {
    ...{ db, keyring, public_url, dashboard_url, limits: config.limits, ...files },
    platformMerchant,
  }
  const deps = {
    ...usual,
    cooling_hours: config.payout_method_cooling_hours,
    rate_step_ppm: config.rate_step_ppm,
  }
  const steers = {
    ...deps,
    ...{ own_hosts: !config.webhook_allow_private, proxies: proxiesOf(parts) },
    isInUse: (gateway_id: string) => isInUse(reads, gateway_id),
  }
  const applies = {
    STAFF_ADDED: applyAdded(deps),
    STAFF_CHANGED: applyChanged,
    STAFF_FACTOR_RESET: applyFactorReset(deps),
    EXCHANGE_RATE: applyRate(deps),
    GATEWAY_ACCOUNT: applySteering(steers),
    PAYOUT_REVERSAL: applyReversal(gateways),
  }
  const routes: ServedRoute[] = [
    // Restored into a real database, the demo's password would open everybody's data.
    ...staffRoutes({ ...deps, no_demo: !config.embedded }),
    ...proposalRoutes({
      ...{ db, applies, homes: { PAYOUT_REVERSAL: homeOfPayout } },
      refusals,
    }),
    ...memberHelpRoutes({ ...deps, emailFellowOwners: emailFellowOwners(keyring) }),
    ...merchantAdminRoutes(deps),
    ...balanceAdminRoutes(deps),
    ...adjustmentRoutes(deps),
    ...networkAdminRoutes(deps),
    ...pricingAdminRoutes(deps),
    ...ratesAdminRoutes(deps),
    ...gatewayAdminRoutes(steers),
    ...accountRoutes({
      ...{ db, keyring, public_url, egress: config.egress_addresses },
      ...{ any_host: config.webhook_allow_private, proxies: proxiesOf(parts) },
      others: async (row) => [
        ...(await usageInTime(reads, row)),
        ...(await callbackCertificateFindings({ public_url, now_ms: Date.now() })),
      ],
    }),
    ...stepRoutes({ db, reads }),
    ...balanceRoutes({ db, onRoom }),
    ...floatRoutes({ db, onRoom }),
    ...hoursRoutes({ db, onRoom }),
    ...incidentAdminRoutes(deps),
    ...transactionAdminRoutes({ db, cursor_secret: cursorSecretOf(keyring, 'all-merchants') }),
    ...proofRoutes(deps),
  ]
  return routes.map((route) => thenMail(wakeUp, route))
}

/** Where any address is allowed, any proxy is. */
const proxiesOf = ({ config }: Pick<Parts, 'config'>): readonly string[] | undefined =>
  config.webhook_allow_private ? undefined : config.egress_proxies
