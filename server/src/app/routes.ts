// Every operation that is served below /api/v1, each feature's list with what it needs.

import { approvalRoutes } from '../approvals/routes.ts'
import { failureText } from '../attempts/failure-texts.ts'
import { listOwnShares } from '../attempts/own-share-statements.ts'
import { attemptRoutes } from '../attempts/routes.ts'
import { auditRoutes } from '../audit/routes.ts'
import type { CatalogueOf } from '../catalogue/read-catalogue.ts'
import { catalogueRoutes } from '../catalogue/routes.ts'
import { posterRoutes } from '../checkout/links/poster-routes.ts'
import { publicLinkRoutes } from '../checkout/links/public-routes.ts'
import { linkRoutes } from '../checkout/links/routes.ts'
import { linkStatsRoutes } from '../checkout/links/stats-routes.ts'
import { publicCheckoutRoutes } from '../checkout/public/routes.ts'
import { sessionRoutes } from '../checkout/routes.ts'
import { readPhone } from '../customers/phone.ts'
import { predictionRoutes } from '../customers/prediction/routes.ts'
import { customerRoutes } from '../customers/records/routes.ts'
import { erasureRoutes } from '../erasure/routes.ts'
import { eventRoutes } from '../events/routes.ts'
import { availabilityRoutes } from '../gateways/availability-routes.ts'
import { ownIn } from '../gateways/own-availability.ts'
import { codeNow } from '../gateways/route-confirmation.ts'
import { routesChosen } from '../gateways/routing.ts'
import { ledgerRoutes } from '../ledger/routes.ts'
import { authRoutes } from '../merchants/auth-routes.ts'
import { onVerifiedOf } from '../merchants/end-registration.ts'
import { keyRoutes } from '../merchants/keys/routes.ts'
import { kycRoutes } from '../merchants/kyc/routes.ts'
import { memberRoutes } from '../merchants/members/routes.ts'
import { payoutMethodRoutes } from '../merchants/payout-methods/routes.ts'
import { settingsRoutes } from '../merchants/settings/routes.ts'
import { whitelistRoutes } from '../merchants/whitelist/routes.ts'
import { mayRetry } from '../payments/require-payable.ts'
import { paymentRoutes } from '../payments/routes.ts'
import { topUpRoutes } from '../payments/top-ups/routes.ts'
import { payoutAdminRoutes } from '../payouts/admin-routes.ts'
import { findApprovalNow } from '../payouts/decide-payout.ts'
import { passLimitsOn } from '../payouts/limits/set-limit.ts'
import { reversalRoutes } from '../payouts/reversals/routes.ts'
import { payoutRoutes } from '../payouts/routes.ts'
import { clientFaultRoutes, type FaultDeps } from '../people/client-faults.ts'
import { keepFactorRoutes } from '../people/members/routes.ts'
import { peopleRoutes } from '../people/routes.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import { orderShown } from '../planning/order-routes.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import { cursorSecretOf } from '../platform/http/pages.ts'
import type { Caller, Route, ServedRoute } from '../platform/http/route.ts'
import { openStorage, scannerOf } from '../platform/storage/open-storage.ts'
import { pricingRoutes } from '../pricing/routes.ts'
import { quoteRoutes } from '../quotes/routes.ts'
import { ratesRoutes } from '../rates/routes.ts'
import { receiptRoutes } from '../receipts/routes.ts'
import { signingKeyIn } from '../receipts/signing-key.ts'
import { refundAdminRoutes } from '../refunds/admin-routes.ts'
import { returnRefund } from '../refunds/return-refund.ts'
import { refundRoutes } from '../refunds/routes.ts'
import { hasGivenFee } from '../refunds/store.ts'
import { journalRoutes } from '../reports/journal/routes.ts'
import { overviewRoutes } from '../reports/overview/routes.ts'
import { reportRoutes } from '../reports/routes.ts'
import { keptHoursOfLinks, type LinkMeans } from '../reports/series/read-links.ts'
import { seriesRoutes } from '../reports/series/routes.ts'
import { outcomeRoutes } from '../sandbox/outcome-routes.ts'
import { searchRoutes } from '../search/routes.ts'
import { settlementAdminRoutes } from '../settlements/admin-routes.ts'
import { returnRoutes } from '../settlements/return-routes.ts'
import { returnSettlement } from '../settlements/return-settlement.ts'
import { settlementRoutes } from '../settlements/routes.ts'
import { timelineRoutes } from '../timeline/routes.ts'
import { customerTransactionRoutes } from '../transactions/customer-routes.ts'
import type { ResolveDeps } from '../transactions/resolutions/resolve-incident.ts'
import { resolutionRoutes } from '../transactions/resolutions/routes.ts'
import { returnPayout } from '../transactions/returns/return-payout.ts'
import { type TransactionDeps, transactionRoutes } from '../transactions/routes.ts'
import { walletAdminRoutes } from '../wallets/admin-routes.ts'
import { walletRoutes } from '../wallets/routes.ts'
import { eventCatalogueRoutes } from '../webhooks/catalogue-routes.ts'
import { logRoutes } from '../webhooks/logs/routes.ts'
import { switchOffWebhooks } from '../webhooks/registrations/change-webhook.ts'
import { replayRoutes } from '../webhooks/replays/routes.ts'
import { type WebhookRouteDeps, webhookRoutes } from '../webhooks/routes.ts'
import { deliveryStatsRoutes } from '../webhooks/stats/routes.ts'
import { subscriptionRoutes } from '../webhooks/subscriptions/routes.ts'
import { exampleRoutes } from './demo/example-routes.ts'
import type { Lasting } from './lasting.ts'
import { countClientFault, countHolderLook } from './metrics.ts'
import { type Parts, wakeUpOf } from './parts.ts'
import { sandboxPlay } from './sandbox-play.ts'
import { mayUseLinkOf } from './sign-in-link.ts'
import { adminRoutes } from './staff-routes.ts'

/** Every operation below /api/v1 but the exports, which hold something open. */
export function routesOf(
  parts: Parts,
  deps: PaymentDeps,
  webhooks: EventDeps,
  { availability }: Pick<Lasting, 'availability'>,
): ServedRoute[] {
  const { db, reads, keyring } = parts
  const { catalogue, prices, rates } = deps
  const cursor_secret = cursorSecretOf(keyring, 'v1')
  const cooling_hours = parts.config.payout_method_cooling_hours
  const hoursOfLinks = keptHoursOfLinks()
  return [
    ...identityRoutes(parts, catalogue),
    ...adminRoutes(parts, deps.gateways),
    ...catalogueRoutes({ db, catalogue }),
    ...predictionRoutes({ db, keyring, catalogue }),
    ...availabilityRoutes(
      availability,
      ownIn((owner) => listOwnShares(reads, owner), deps.clock),
    ),
    ...pricingRoutes({ catalogue, prices, codeFor: codeForIn(deps) }),
    ...ratesRoutes({ rates }),
    ...paymentRoutes(deps),
    ...topUpRoutes(deps),
    ...payoutRoutes({ ...deps, keyring, cooling_hours }),
    ...payoutAdminRoutes(deps),
    ...reversalRoutes(deps),
    ...refundRoutes({ ...deps, cooling_hours, cursor_secret }),
    ...refundAdminRoutes({ ...deps, cooling_hours }),
    ...walletRoutes({ ...deps, transfers: parts.config.transfers, cursor_secret }),
    ...walletAdminRoutes(deps),
    ...checkoutRoutes(parts, { ...deps, hoursOfLinks }),
    ...customerRoutes({ db, reads, catalogue, cursor_secret }),
    ...erasureRoutes(erasureDeps(parts)),
    ...customerTransactionRoutes({ db: reads }),
    ...settlementRoutes({ ...deps, terms: parts.config.settlements, cursor_secret }),
    ...settlementAdminRoutes(deps),
    ...quoteRoutes(quoteDeps(parts, deps)),
    ...searchRoutes({ reads }),
    ...timelineRoutes({ db, cursor_secret: cursorSecretOf(keyring, 'timeline') }),
    ...approvalRoutes(deps),
    ...reportRoutes({ reads }),
    ...overviewRoutes({ reads, availability }),
    ...seriesRoutes({ reads, hoursOfLinks }),
    ...journalRoutes({ db, reads }),
    ...returnRoutes(deps),
    ...resolutionRoutes({ ...deps, bookReturn: bookReturnOf(deps), hasGivenFee }),
    ...transactionRoutes({
      ...{ db, reads, catalogue, cursor_secret },
      approvalOf: approvalOf(parts),
      mayRetry: (transaction) => mayRetry(deps, transaction),
    }),
    ...receiptRoutes(receiptDeps(parts, deps)),
    ...attemptRoutes({ db, cursor_secret, failureText }),
    ...ledgerRoutes({ db, cursor_secret }),
    ...webhookAndEventRoutes(webhooks),
    ...deliveryStatsRoutes({ reads }),
    ...outcomeRoutes({ ...deps, play: sandboxPlay() }),
    ...exampleRoutes({ db, embedded: parts.config.embedded }),
  ]
}

/** By the routes that would take the caller's payments now. */
const codeForIn =
  ({ routes, gateways, health }: PaymentDeps) =>
  async ({ environment, catalogue_version, sandbox_dialects }: Caller) => {
    const chosen = routesChosen(await routes(catalogue_version), sandbox_dialects)
    return codeNow(chosen, { gateways, health }, { environment, orderOn: orderShown(health) })
  }

const approvalOf =
  ({
    db,
    config: { payout_method_cooling_hours: cooling_hours },
  }: Parts): TransactionDeps['approvalOf'] =>
  (caller, transaction) =>
    findApprovalNow({ db, cooling_hours }, caller, transaction)

/** What came back is of a refund, a settlement or a payout. */
const bookReturnOf =
  ({ gateways }: PaymentDeps): ResolveDeps['bookReturn'] =>
  (tx, incident) => {
    if (incident.refund_id !== null) return returnRefund(tx, incident)
    return incident.settlement_id !== null
      ? returnSettlement(tx, incident)
      : returnPayout(tx, gateways, incident)
  }

/** What prices every call that moves money. */
const quoteDeps = ({ config, keyring }: Parts, deps: PaymentDeps) => ({
  ...deps,
  keyring,
  terms: config.settlements,
  transfers: config.transfers,
  holderSeen: countHolderLook,
})

const erasureDeps = (parts: Parts) => ({
  db: parts.db,
  keyring: parts.keyring,
  wake: wakeUpOf(parts),
  live_payer_days: parts.config.retention.live_payers,
})

const checkoutDeps = <P extends PaymentDeps>(
  { config, keyring, public_url }: Parts,
  payments: P,
) => ({
  ...payments,
  keyring,
  public_url,
  limits: config.limits,
})

/** Sessions and links of merchants, and what payers call. */
function checkoutRoutes(parts: Parts, payments: PaymentDeps & Pick<LinkMeans, 'hoursOfLinks'>) {
  const cursor_secret = cursorSecretOf(parts.keyring, 'v1')
  const deps = { ...checkoutDeps(parts, payments), cursor_secret }
  return [
    ...sessionRoutes(deps),
    ...publicCheckoutRoutes(deps),
    ...linkRoutes(deps),
    ...posterRoutes(deps),
    ...linkStatsRoutes(parts),
    ...publicLinkRoutes(deps),
  ]
}

/** Invoices, receipts and what signs them. */
export function receiptDeps(parts: Parts, payments: PaymentDeps) {
  const deps = checkoutDeps(parts, payments)
  return { ...deps, signing: signingKeyIn(deps) }
}

/** For the folders above customers/, where phones are read. */
function normalisePhone(text: string, country: string): string | undefined {
  const phone = readPhone(text, country)
  return phone.is === 'phone' ? phone.e164 : undefined
}

/** People, their merchants, and what merchants manage themselves. */
function identityRoutes(parts: Parts, catalogue: CatalogueOf): ServedRoute[] {
  const { config, db, keyring, public_url, dashboard_url } = parts
  const storage = openStorage(config)
  const files = { storage, scanner: scannerOf(config.clamd), uploads: config.uploads }
  const where = { public_url, dashboard_url }
  const usual = { db, keyring, ...where, limits: config.limits, ...files }
  const live = { cooling_hours: config.payout_method_cooling_hours }
  const { support_contact } = config
  const own = {
    wake: wakeUpOf(parts),
    onVerified: onVerifiedOf(live),
    support_contact,
    mayUseLink: mayUseLinkOf(config),
  }
  const deps = { ...usual, ...live, ...own }
  return [
    ...authRoutes(deps),
    ...peopleRoutes(deps),
    ...clientFaultRoutes({ db: parts.quick, keyring, report: reportFaultTo(parts) }),
    ...keepFactorRoutes(deps),
    ...keyRoutes({ ...deps, switchOffWebhooks, passOn: passLimitsOn }),
    ...whitelistRoutes(deps),
    ...payoutMethodRoutes({ ...deps, catalogue, normalisePhone }),
    ...memberRoutes(deps),
    ...settingsRoutes(deps),
    ...kycRoutes(deps),
    ...auditRoutes({ db, cursor_secret: cursorSecretOf(keyring, 'v1') }),
  ]
}

const reportFaultTo =
  ({ log }: Parts): FaultDeps['report'] =>
  (fault) => {
    countClientFault(fault.kind)
    log.warn(fault, 'a fault of the dashboard')
  }

// The routes around webhooks: endpoints, subscriptions, logs, replays, and the feed itself.

export type EventDeps = WebhookRouteDeps & Readonly<{ keyring: Pick<Keyring, 'mac' | 'macs'> }>

const webhookAndEventRoutes = (deps: EventDeps): Route[] => [
  // A key of its own: its cursors are places in a feed, and fit no other list.
  ...eventRoutes({ db: deps.db, cursor_secret: cursorSecretOf(deps.keyring, 'events') }),
  ...webhookRoutes(deps),
  ...logRoutes({ ...deps, cursor_secret: cursorSecretOf(deps.keyring, 'v1') }),
  ...replayRoutes(deps),
  ...subscriptionRoutes(deps),
  ...eventCatalogueRoutes(),
]
