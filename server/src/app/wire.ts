// Everything is put together here, once: which store, which gateway, which clock. No container; a
// reader follows the arguments. The only place besides gateways/ that names an adapter.

import type { Logger } from 'pino'
import { approvalRoutes } from '../approvals/routes.ts'
import { matchCallbacks } from '../attempts/match-callbacks.ts'
import type { CallbackDeps, GatewayIds } from '../attempts/receive-callback.ts'
import { attemptRoutes } from '../attempts/routes.ts'
import { auditRoutes } from '../audit/routes.ts'
import { type CatalogueOf, catalogueIn } from '../catalogue/catalogue-in-memory.ts'
import { catalogueRoutes } from '../catalogue/routes.ts'
import { checkoutJobs } from '../checkout/jobs.ts'
import { publicLinkRoutes } from '../checkout/links/public-routes.ts'
import { linkRoutes } from '../checkout/links/routes.ts'
import { publicCheckoutRoutes } from '../checkout/public/routes.ts'
import { sessionRoutes } from '../checkout/routes.ts'
import { readPhone } from '../customers/phone.ts'
import { customerRoutes } from '../customers/records/routes.ts'
import { eraseLateTraces } from '../erasure/erase-late-traces.ts'
import { erasureRoutes } from '../erasure/routes.ts'
import type { Gateways } from '../gateways/gateway.ts'
import { openGateways } from '../gateways/gateways.ts'
import { newHealth } from '../gateways/health.ts'
import { routesIn } from '../gateways/routing.ts'
import { simulatorGateway } from '../gateways/simulator/simulator.ts'
import { openUnmatchedCallback, type UnmatchedCallback } from '../incidents/open-unmatched.ts'
import { ledgerRoutes } from '../ledger/routes.ts'
import { authRoutes } from '../merchants/auth-routes.ts'
import { authenticator, personAuthenticator } from '../merchants/authenticate.ts'
import { dropOldWindows } from '../merchants/drop-old-windows.ts'
import { lastUses } from '../merchants/keys/last-uses.ts'
import { keyRoutes } from '../merchants/keys/routes.ts'
import { kycRoutes } from '../merchants/kyc/routes.ts'
import { memberRoutes } from '../merchants/members/routes.ts'
import { openLiveOf } from '../merchants/open-live.ts'
import { payoutMethodRoutes } from '../merchants/payout-methods/routes.ts'
import { settingsRoutes } from '../merchants/settings/routes.ts'
import { whitelistRoutes } from '../merchants/whitelist/routes.ts'
import { logosIn } from '../pages/logo.ts'
import { payerPages } from '../pages/routes.ts'
import type { PaymentDeps } from '../payments/initialize-softpay.ts'
import { type PollDeps, pollJobs } from '../payments/jobs.ts'
import { paymentRoutes } from '../payments/routes.ts'
import { topUpRoutes } from '../payments/top-ups/routes.ts'
import { lapseApprovals } from '../payouts/approvals/decide-payout.ts'
import { payoutRoutes } from '../payouts/routes.ts'
import { startWaiting } from '../payouts/waits/start-waiting.ts'
import { resetErrand, writeResetLetter } from '../people/password-forgot.ts'
import { peopleRoutes } from '../people/routes.ts'
import type { Config } from '../platform/config.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import { assertNoTransaction, type Db, ensurePartitions } from '../platform/db.ts'
import { renderRefusal } from '../platform/http/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import type { ServedRoute } from '../platform/http/served-route.ts'
import { runOnce } from '../platform/idempotency/run-once.ts'
import type { Waker } from '../platform/jobs/waker.ts'
import type { Job } from '../platform/jobs/worker.ts'
import { openMailer } from '../platform/mail/open-mailer.ts'
import { sendMail } from '../platform/mail/send-mail.ts'
import { createGuardedOutbound } from '../platform/outbound/guard.ts'
import { createOutbound, type Outbound } from '../platform/outbound/outbound.ts'
import { openStorage } from '../platform/storage/open-storage.ts'
import { dropOldTries } from '../platform/throttle/drop-old-tries.ts'
import { pricingRoutes } from '../pricing/routes.ts'
import { pricesIn } from '../pricing/rules.ts'
import { currentRatesIn } from '../rates/current-rates.ts'
import { ratesRoutes } from '../rates/routes.ts'
import { receiptRoutes } from '../receipts/routes.ts'
import { signingKeyIn } from '../receipts/signing-key.ts'
import { journalRoutes } from '../reports/journal/routes.ts'
import { reportRoutes } from '../reports/routes.ts'
import { sandboxRoutes } from '../sandbox/routes.ts'
import { settlementAdminRoutes } from '../settlements/admin/routes.ts'
import { askSettlement, hearOfSettlement } from '../settlements/ask-settlement.ts'
import { closeSettlementByStaff } from '../settlements/close-settlement.ts'
import { settlementJobs } from '../settlements/jobs.ts'
import { returnSettlement } from '../settlements/returns/return-settlement.ts'
import { returnRoutes } from '../settlements/returns/routes.ts'
import { settlementRoutes } from '../settlements/routes.ts'
import { failureText } from '../transactions/failure-texts.ts'
import { hearCallback } from '../transactions/hear-callback.ts'
import { customerTransactionRoutes } from '../transactions/of-customer/routes.ts'
import { resolutionRoutes } from '../transactions/resolutions/routes.ts'
import { transactionRoutes } from '../transactions/routes.ts'
import { indexTransactions } from '../transactions/search/index-transactions.ts'
import { walletAdminRoutes } from '../wallets/admin/routes.ts'
import { walletJobs } from '../wallets/jobs.ts'
import { walletRoutes } from '../wallets/routes.ts'
import { webhookJobs } from '../webhooks/jobs.ts'
import { type WebhookRouteDeps, webhookRoutes } from '../webhooks/routes.ts'
import { freshStatistics } from './fresh-statistics.ts'
import { periodic } from './periodic.ts'
import { retentionJob } from './retention.ts'
import { adminRoutes } from './staff-doors.ts'

export type Parts = Readonly<{
  config: Config
  /** Durable commits: everything about money. */
  db: Db
  /** Commits that may be lost with the machine: counters, leases. */
  quick: Db
  keyring: Keyring
  waker: Waker
  /** Rings a job in the other processes too. */
  wakeOthers: (name: string) => void
  /** Where the sandbox operator is now. */
  simulator_url: () => string
  /** Where a gateway reaches us, without a slash at the end. */
  callback_base: (gateway_code: string) => string
  /** Ports of this machine that a merchant's webhook must never reach. */
  own_ports: () => readonly number[]
  gateways: readonly GatewayFound[]
  /** Of our own pages, without a slash at its end. */
  public_url: string
  log: Logger
}>

export type GatewayFound = Readonly<{
  id: string
  code: string
  adapter: string
  name: string
  environment: Environment
  is_active: boolean
}>

/** What the simulator must be told so that it believes us, and we it. */
export function simulatorSecrets(keyring: Keyring): { token: string; callback_secret: string } {
  return {
    token: keyring.mac('simulator-token', 'v1').toString('base64url'),
    callback_secret: keyring.mac('simulator-callback', 'v1').toString('base64url'),
  }
}

const leaseS = 13

export function wire(parts: Parts) {
  const { config, db, quick, keyring, log } = parts
  const outbound = createOutbound({ assertNoTransaction })
  const guarded = createGuardedOutbound({
    assertNoTransaction,
    allow_private: config.webhook_allow_private,
    own_ports: parts.own_ports,
  })
  const mailer = openMailer(config, log)
  const writers = { [resetErrand]: writeResetLetter(parts) }
  const ring = ringOf(parts)
  const deps = paymentDeps(parts, outbound, ring)
  const webhooks = {
    db,
    quick,
    keyring,
    outbound: guarded,
    wake: ring,
    allow_private: config.webhook_allow_private,
    own_ports: parts.own_ports,
    log,
  }
  const uses = lastUses(quick)
  const authenticate = authenticator(quick, uses.note)
  return {
    routes: routesOf(parts, deps, webhooks),
    pages: pagesOf(parts, deps),
    authenticate,
    authenticatePerson: personAuthenticator(quick, authenticate),
    once: runOnce({
      db,
      // A plain hash of a body with a six-digit code would be the code (decisions 4.3).
      fingerprint: (canonical) => keyring.mac('idempotency-fingerprint', canonical),
      render: renderRefusal,
      lease_s: leaseS,
    }),
    callbacks: callbackDeps(parts, deps, ring),
    jobs: [
      ...pollJobs(pollDeps(deps), gatewayIds(parts)),
      ...webhookJobs(webhooks),
      sendMail({ db, keyring, mailer, writers, log }),
      ...upkeep(parts, deps),
    ],
    close: async () => {
      await Promise.all([outbound.close(), guarded.close(), uses.stop(), mailer.close()])
    },
  }
}

/** Rings a job here and in the other processes. */
const ringOf =
  ({ waker, wakeOthers }: Parts) =>
  (name: string): void => {
    waker.wake(name)
    wakeOthers(name)
  }

function gatewaysOf({ gateways, keyring, simulator_url }: Parts, outbound: Outbound): Gateways {
  return openGateways(gateways, {
    simulator: (row) =>
      simulatorGateway({
        code: row.code,
        operator: row.code.endsWith('_b') ? 'b' : 'a',
        base_url: simulator_url,
        ...simulatorSecrets(keyring),
        outbound,
        clock: Date.now,
      }),
  })
}

function paymentDeps(parts: Parts, outbound: Outbound, ring: (name: string) => void) {
  const { config, db, keyring } = parts
  return {
    db,
    wake: () => ring('sequence-events'),
    gateways: gatewaysOf(parts, outbound),
    health: newHealth(),
    macs: keyring,
    callback_base: parts.callback_base,
    clock: Date.now,
    catalogue: catalogueIn(db),
    routes: routesIn(db),
    prices: pricesIn(db),
    rates: currentRatesIn(db),
    limits: config.limits,
  } satisfies PaymentDeps
}

function routesOf(parts: Parts, deps: PaymentDeps, webhooks: WebhookRouteDeps): ServedRoute[] {
  const { db, keyring } = parts
  const { catalogue, prices, rates } = deps
  const cursor_secret = keyring.mac('cursor', 'v1')
  return [
    ...identityRoutes(parts, catalogue),
    ...adminRoutes(parts, ringOf(parts)),
    ...catalogueRoutes({ db, catalogue }),
    ...pricingRoutes({ catalogue, prices }),
    ...ratesRoutes({ rates }),
    ...paymentRoutes(deps),
    ...topUpRoutes(deps),
    ...payoutRoutes(deps),
    ...walletRoutes({ ...deps, transfers: parts.config.transfers }),
    ...walletAdminRoutes(deps),
    ...checkoutRoutes(parts, deps),
    ...customerRoutes({ db }),
    ...erasureRoutes({ db, live_payer_days: parts.config.retention.live_payers }),
    ...customerTransactionRoutes({ db }),
    ...settlementRoutes({ ...deps, terms: parts.config.settlements }),
    ...settlementAdminRoutes(deps),
    ...approvalRoutes(deps),
    ...reportRoutes(deps),
    ...journalRoutes(deps),
    ...returnRoutes(deps),
    ...resolutionRoutes({ ...deps, closeSettlement: closeSettlementByStaff, returnSettlement }),
    ...transactionRoutes({ db, cursor_secret }),
    ...receiptRoutes(receiptDeps(parts, deps)),
    ...attemptRoutes({ db, cursor_secret, failureText }),
    ...ledgerRoutes({ db, cursor_secret }),
    ...webhookRoutes(webhooks),
    ...sandboxRoutes(deps),
  ]
}

const checkoutDeps = ({ config, keyring, public_url }: Parts, payments: PaymentDeps) => ({
  ...payments,
  keyring,
  public_url,
  limits: config.limits,
})

/** What payers look at. */
const pagesOf = (parts: Parts, payments: PaymentDeps) =>
  payerPages({
    ...receiptDeps(parts, payments),
    logoOf: logosIn({ db: parts.db, storage: openStorage(parts.config) }),
  })

/** Sessions and links of merchants, and what payers call. */
function checkoutRoutes(parts: Parts, payments: PaymentDeps) {
  const deps = checkoutDeps(parts, payments)
  return [
    ...sessionRoutes(deps),
    ...publicCheckoutRoutes(deps),
    ...linkRoutes(deps),
    ...publicLinkRoutes(deps),
  ]
}

/** Invoices, receipts and what signs them. */
const receiptDeps = (parts: Parts, payments: PaymentDeps) => ({
  ...checkoutDeps(parts, payments),
  signing: signingKeyIn(parts.db, parts.keyring),
})

/** For those who stand above customers/, where phones are read. */
function normalisePhone(text: string, country: string): string | undefined {
  const phone = readPhone(text, country)
  return phone.is === 'phone' ? phone.e164 : undefined
}

/** People, their merchants, and what merchants manage themselves. */
function identityRoutes(parts: Parts, catalogue: CatalogueOf): ServedRoute[] {
  const { config, db, keyring, public_url } = parts
  const storage = openStorage(config)
  const usual = { db, keyring, public_url, limits: config.limits, storage }
  const live = { cooling_hours: config.payout_method_cooling_hours }
  const deps = { ...usual, ...live, wake: ringOf(parts), onVerified: openLiveOf(live) }
  return [
    ...authRoutes(deps),
    ...peopleRoutes(deps),
    ...keyRoutes(deps),
    ...whitelistRoutes(deps),
    ...payoutMethodRoutes({ ...deps, catalogue, normalisePhone }),
    ...memberRoutes(deps),
    ...settingsRoutes(deps),
    ...kycRoutes(deps),
    ...auditRoutes(deps),
  ]
}

/** The pollers ask about settlements too, which stand further down the list. */
const pollDeps = (deps: PaymentDeps): PollDeps => ({
  ...deps,
  askSettlement: (due, question) => askSettlement(deps, due, question),
})

const gatewayIds = ({ gateways }: Parts) => new Map(gateways.map(({ code, id }) => [code, id]))

const gatewayRows = ({ gateways }: Parts): GatewayIds =>
  new Map(gateways.map((row) => [row.code, row]))

function callbackDeps(parts: Parts, deps: PaymentDeps, ring: (name: string) => void): CallbackDeps {
  return {
    db: parts.db,
    gateways: deps.gateways,
    gateway_ids: gatewayRows(parts),
    macs: parts.keyring,
    apply: async (signed) => {
      const heard = await hearCallback(deps, signed)
      return heard === 'nobody' ? hearOfSettlement(deps, signed) : heard
    },
    wakePoller: (code) => ring(`poll-${code}`),
  }
}

/** What keeps the house in order, whoever runs it. */
function upkeep(parts: Parts, payments: PaymentDeps): Job[] {
  const { db, gateways, health } = payments
  const matching = {
    db,
    gateways,
    gateway_ids: gatewayRows(parts),
    openUnmatched: (callback: UnmatchedCallback) => openUnmatchedCallback(db, callback),
  }
  return [
    periodic('match-callbacks', 5_000, () => matchCallbacks(matching)),
    periodic('lapse-approvals', 60_000, () => lapseApprovals(payments)),
    periodic('start-waiting-payouts', 5_000, () => startWaiting(payments)),
    periodic('route-health', 5_000, () => health.exchange(parts.quick)),
    periodic('old-windows', 60_000, () => dropOldWindows(parts.quick)),
    periodic('old-tries', 3_600_000, () => dropOldTries(parts.quick)),
    periodic('partitions', 3_600_000, () => ensurePartitions(db)),
    periodic('late-traces', 3_600_000, () => eraseLateTraces(db)),
    retentionJob(parts.quick, parts.config.retention),
    freshStatistics(parts),
    indexTransactions(parts),
    ...walletJobs(payments),
    ...checkoutJobs(payments),
    ...settlementJobs(payments),
  ]
}

export type Wired = ReturnType<typeof wire>
