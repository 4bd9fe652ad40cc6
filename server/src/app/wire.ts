// Everything is put together here, once: which store, which gateway, which clock. No container; a
// reader follows the arguments. The only place besides gateways/ that names an adapter.

import { applyCallback } from '../attempts/apply-callback.ts'
import { noteProbe } from '../attempts/callback-probe.ts'
import { pollJobOf, pollJobs } from '../attempts/jobs.ts'
import { matchCallbacks } from '../attempts/match-callbacks.ts'
import { dropOldMemos } from '../attempts/memo-statements.ts'
import type { CallbackDeps, SignedCallback } from '../attempts/receive-callback.ts'
import { catalogueIn } from '../catalogue/read-catalogue.ts'
import { checkoutJobs } from '../checkout/jobs.ts'
import { maskPhone } from '../customers/phone.ts'
import { indexChanged, indexCustomers } from '../customers/search/index-customers.ts'
import { eraseLateTraces } from '../erasure/late-traces.ts'
import type { FeedKey } from '../events/event.ts'
import { sequencersOf } from '../events/feed.ts'
import { type AccountClients, accountClients } from '../gateways/account-tls.ts'
import { accountFactories } from '../gateways/adapters.ts'
import { askBroken } from '../gateways/ask-broken.ts'
import { newHealth } from '../gateways/health.ts'
import { judgeRoutes } from '../gateways/judge-routes.ts'
import { type LiveGateways, liveGateways } from '../gateways/live-gateways.ts'
import { dropOldHolders } from '../gateways/look-up-holder.ts'
import { wantKeys } from '../gateways/public-keys.ts'
import { retireOver } from '../gateways/retire-over.ts'
import { routesIn } from '../gateways/routing.ts'
import { simulatorGateway } from '../gateways/simulator/simulator.ts'
import { openUnmatchedCallback, type UnmatchedCallback } from '../incidents/open-unmatched.ts'
import { dropOldCounts } from '../ledger/day-limit-statements.ts'
import { dropOldWindows } from '../merchants/allowance.ts'
import { authenticator, personAuthenticator } from '../merchants/authenticate.ts'
import { lapseRegistrations } from '../merchants/end-registration.ts'
import { lastUses } from '../merchants/keys/last-uses.ts'
import { applyCoolingOffs } from '../merchants/settings/cooling-off.ts'
import { lapseNameReviews } from '../merchants/settings/names.ts'
import { linkVisits, type NoteVisit } from '../orders/link-visits.ts'
import { previewRoutes } from '../pages/branding-preview.ts'
import { logosIn } from '../pages/logo.ts'
import { payerPages } from '../pages/routes.ts'
import { lapseApprovals, lapsed_at_once } from '../payouts/decide-payout.ts'
import { applyDueLimits } from '../payouts/limits/loosen-limit.ts'
import { sendReversals } from '../payouts/reversals/send-reversals.ts'
import { startWaiting, waits_at_once } from '../payouts/start-waiting.ts'
import { deferredReset, writeResetEmail } from '../people/change-password.ts'
import { downloadRoutes } from '../people/downloads/routes.ts'
import { dropOldTickets } from '../people/downloads/ticket.ts'
import { endDueResets } from '../people/members/reset-factor.ts'
import { lapseProposals } from '../people/proposals/decide-proposal.ts'
import { deferredGuessing, writeGuessingEmail } from '../people/sign-in.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import type { PromptRefused } from '../planning/prompt-limit.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import { type DatabaseClock, databaseClock } from '../platform/database-clock.ts'
import { assertNoTransaction } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { AuthenticatePerson } from '../platform/http/admission.ts'
import { renderRefusal } from '../platform/http/errors.ts'
import { fileRoutesIn } from '../platform/http/file-ticket.ts'
import type { ServedRoute } from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { runOnce } from '../platform/idempotency/run-once.ts'
import { takeLease } from '../platform/jobs/leases.ts'
import type { Job } from '../platform/jobs/worker.ts'
import { openMailer } from '../platform/mail/open-mailer.ts'
import { sendMail } from '../platform/mail/send-mail.ts'
import { createGuardedOutbound } from '../platform/outbound/guard.ts'
import { ensurePartitions } from '../platform/retention/months.ts'
import { sweepFiles } from '../platform/storage/loose-files.ts'
import { openStorage } from '../platform/storage/open-storage.ts'
import { dropOldTries, newTally } from '../platform/throttle/throttle.ts'
import { pricesIn } from '../pricing/rules.ts'
import { currentRatesIn } from '../rates/current-rates.ts'
import { lapseRefunds, refunds_lapsed_at_once } from '../refunds/decide-refund.ts'
import { refundPurpose } from '../refunds/refund-purpose.ts'
import { refunds_at_once, sendRefundsAgain } from '../refunds/send-again.ts'
import { countDays } from '../reports/series/count-days.ts'
import { settlementJobs } from '../settlements/jobs.ts'
import { settlementPurpose } from '../settlements/settlement-purpose.ts'
import { transactionReference } from '../transactions/path-reference.ts'
import { indexTransactions } from '../transactions/search/index-transactions.ts'
import { transactionPurpose } from '../transactions/transaction-purpose.ts'
import { walletJobs } from '../wallets/jobs.ts'
import { webhookJobs } from '../webhooks/jobs.ts'
import { accountReports, alarmOf, senderReports } from './account-reports.ts'
import type { Config } from './config.ts'
import { dialectsOf } from './dialects.ts'
import { lastingOn, lastingRoutes } from './lasting.ts'
import { countPromptRefused, countRequeued } from './metrics.ts'
import { operatorJobs } from './operator-jobs.ts'
import { type Parts, wakeUpOf } from './parts.ts'
import { freshStatistics, inPortions, periodic } from './periodic.ts'
import { publishedParts } from './published-parts.ts'
import { retentionJob } from './retention.ts'
import { receiptDeps, routesOf } from './routes.ts'
import { readClockAhead } from './store.ts'
import { startWatches } from './watches.ts'

/** The purposes whose keys came from SECRET_KEY itself before MAC keys had rows (`mac-keys.ts`). */
export const macPurposes = [
  'callback-address',
  'cursor',
  'idempotency-fingerprint',
  'prompt-target',
  'recovery-code',
  'simulator-callback',
  'simulator-token',
  'throttle-target',
] as const

/**
 * The secrets by which the simulator and this process authenticate each other: under the oldest
 * kept key, which is the same for all processes, before and after a newer one begins to sign.
 */
export function simulatorSecrets(keyring: Keyring): { token: string; callback_secret: string } {
  const oldest = (purpose: string): string =>
    (keyring.macs(purpose, 'v1').at(-1) ?? keyring.mac(purpose, 'v1')).toString('base64url')
  return { token: oldest('simulator-token'), callback_secret: oldest('simulator-callback') }
}

/** Everything that an attempt can be for. A callback finds its attempt in this order. */
export const purposes = [transactionPurpose, settlementPurpose, refundPurpose]

export function wire(parts: Parts) {
  const { config, db, quick, keyring, log, public_url, dashboard_url } = parts
  const clients = accountClients(assertNoTransaction)
  const clock = databaseClock(() => readClockAhead(quick))
  const gateways = gatewaysOf(parts, clients, clock)
  const rules = {
    allow_private: config.webhook_allow_private,
    own_ports: () => [...parts.own_ports(), ...gateways.dialect_ports()],
  }
  const guarded = createGuardedOutbound({ assertNoTransaction, ...rules })
  const mailer = openMailer({ ...config, public_url, dashboard_url }, log)
  const writers = {
    [deferredReset]: writeResetEmail(parts),
    [deferredGuessing]: writeGuessingEmail(parts),
  }
  const wakeUp = wakeUpOf(parts)
  const deps = paymentDeps(parts, gateways, wakeUp)
  const watches = startWatches(parts, { ...deps, clock })
  const polling = { ...deps, log }
  const webhooks = {
    ...{ db, quick, keyring, log, outbound: guarded, wake: wakeUp },
    ...rules,
  }
  const uses = lastUses(quick)
  const lasting = lastingOn(parts, deps.clock)
  const authenticate = authenticator(quick, uses.note)
  const visits = linkVisits(quick)
  const { pages, shown } = pagesOf(parts, deps, visits.note)
  const reach = { ...simulatorSecrets(keyring), ...clients, noteDialect: gateways.noteDialect }
  const dialects = dialectsOf(parts, deps, reach)
  const own = [...routesOf(parts, deps, webhooks, lasting), ...dialects.routes, ...shown]
  const routes = [...own, ...lastingRoutes(parts, lasting)]
  const path_reference = transactionReference(db)
  return {
    routes: [...routes, ...downloadsOf(parts, routes)],
    lasting,
    pages,
    authenticate,
    authenticatePerson: withoutDemo(config, personAuthenticator(quick, authenticate)),
    once: runOnce({
      db,
      // A plain hash of a body with a six-digit code would be the code (contract 4.3).
      fingerprint: (canonical) => keyring.mac('idempotency-fingerprint', canonical),
      isFingerprint: (canonical, kept) =>
        keyring.macMatches('idempotency-fingerprint', canonical, kept),
      render: renderRefusal,
      lease_s: 13,
    }),
    openapi: { ...publishedParts, path_reference },
    path_reference,
    callbacks: callbackDeps(parts, { ...deps, gateways }, clock, wakeUp),
    jobs: [
      ...pollJobs(polling, gateways.row_ids),
      ...webhookJobs({ ...webhooks, clock: deps.clock }),
      sendMail({ db, keyring, mailer, writers, log }),
      ...upkeep(parts, { ...deps, gateways }),
    ],
    /** Work that an account needs which was added since the start. */
    onNewJob: (add: (job: Job) => void) =>
      gateways.onOpened((gateway) => {
        for (const job of pollJobOf(polling, gateways.row_ids, gateway)) add(job)
      }),
    resumeDialects: dialects.resume,
    close: async () => {
      await Promise.all(watches.map((watch) => watch.stop()))
      await Promise.all([clients.close(), guarded.close(), mailer.close()])
      await Promise.all([uses.stop(), visits.stop()])
    },
  }
}

function gatewaysOf(parts: Parts, clients: AccountClients, clock: DatabaseClock): LiveGateways {
  const { gateways, keyring, log, quick, simulator_url } = parts
  const accounts = accountFactories({
    ...{ quick, keyring, outboundOf: clients.of, clock: clock.now_ms },
    ...accountReports(parts),
  })
  const simulator = (row: Readonly<{ code: string }>) =>
    simulatorGateway({
      code: row.code,
      operator: row.code.endsWith('_b') ? 'b' : 'a',
      base_url: simulator_url,
      ...simulatorSecrets(keyring),
      outbound: clients.shared,
    })
  const onFault = (gateway: string, err: unknown) =>
    log.error({ gateway, err }, 'an account could not be opened')
  return liveGateways({ db: quick, factories: { ...accounts, simulator }, onFault }, gateways)
}

function paymentDeps(parts: Parts, gateways: LiveGateways, wakeUp: (name: string) => void) {
  const { config, db, keyring, log } = parts
  return {
    db,
    wake: (feed?: FeedKey) => wakeUp(sequencersOf(feed)),
    purposes,
    gateways,
    health: newHealth(),
    macs: keyring,
    seals: keyring,
    callback_base: parts.callback_base,
    clock: Date.now,
    catalogue: catalogueIn(db),
    routes: routesIn(db, gateways.refresh),
    prices: pricesIn(db),
    rates: currentRatesIn(db),
    limits: config.limits,
    requeued: countRequeued,
    alarm: alarmOf(parts),
    promptRefused: ({ phone, ...rest }: PromptRefused) => {
      countPromptRefused(rest.environment)
      log.warn({ ...rest, phone: maskPhone(phone) }, 'a phone has been asked too often')
    },
  } satisfies PaymentDeps
}

/**
 * Off the embedded database nothing counts as the demo's, not even a session that came with its
 * rows.
 */
const withoutDemo =
  ({ embedded }: Config, authenticatePerson: AuthenticatePerson): AuthenticatePerson =>
  async (facts, kind) => {
    const found = await authenticatePerson(facts, kind)
    if (found.person.is_demo && !embedded) throw refuse(accessErrors.session_expired)
    return found
  }

/** The pages for payers, and the route that shows one of them to their merchant. */
function pagesOf(parts: Parts, payments: PaymentDeps, noteVisit: NoteVisit) {
  const logoOf = logosIn({ db: parts.db, storage: openStorage(parts.config) })
  const deps = { ...receiptDeps(parts, payments), logoOf, noteVisit }
  return { pages: payerPages(deps), shown: previewRoutes(deps) }
}

/** Tickets for the files that these routes answer. */
const downloadsOf = ({ db, public_url, dashboard_url }: Parts, routes: readonly ServedRoute[]) =>
  downloadRoutes({ db, public_url, dashboard_url, fileRouteAt: fileRoutesIn(routes) })

type LiveDeps = PaymentDeps & Readonly<{ gateways: LiveGateways }>

function callbackDeps(
  parts: Parts,
  deps: LiveDeps,
  clock: DatabaseClock,
  wakeUp: (name: string) => void,
): CallbackDeps {
  return {
    db: parts.db,
    gateways: deps.gateways,
    gateway_ids: deps.gateways.ids,
    macs: parts.keyring,
    seals: parts.keyring,
    apply: (signed) => applyCallback(deps, signed),
    wakePoller: (code) => wakeUp(`poll-${code}`),
    async wantKeys(gateway_id) {
      await wantKeys(parts.quick, gateway_id)
      wakeUp('public-keys')
    },
    senderSeen: senderReports(parts),
    probed: (nonce) => noteProbe(parts.quick, nonce),
    now_ms: clock.now_ms,
    limits: parts.config.limits,
    tally: newTally(),
  }
}

const resetDeps = (parts: Parts) => ({
  db: parts.db,
  keyring: parts.keyring,
  wake: () => wakeUpOf(parts)('send-mail'),
})

/** The routine work of the platform, whichever process does it. */
function upkeep(parts: Parts, payments: LiveDeps): Job[] {
  const { db, gateways } = payments
  const matching = {
    db,
    gateways,
    gateway_ids: gateways.ids,
    apply: (signed: SignedCallback) => applyCallback(payments, signed),
    openUnmatched: (callback: UnmatchedCallback) => openUnmatchedCallback(db, callback),
  }
  return [
    { name: 'match-callbacks', poll_ms: 5_000, run: () => matchCallbacks(matching) },
    inPortions('lapse-approvals', {
      ...{ every_ms: 60_000, portion: lapsed_at_once },
      run: () => lapseApprovals(payments),
    }),
    periodic('take-payouts-back', 5_000, () => sendReversals(payments)),
    inPortions('lapse-refunds', {
      ...{ every_ms: 60_000, portion: refunds_lapsed_at_once },
      run: () => lapseRefunds(payments),
    }),
    inPortions('send-refunds-again', {
      ...{ every_ms: 5_000, portion: refunds_at_once },
      run: () => sendRefundsAgain(payments),
    }),
    periodic('loosened-limits', 60_000, () => loosen(parts)),
    inPortions('start-waiting-payouts', {
      ...{ every_ms: 5_000, portion: waits_at_once },
      run: ({ onFault }) => startWaiting(payments, onFault),
    }),
    periodic('former-secrets', 60_000, () => retireOver(db)),
    ...operatorJobs(parts, gateways),
    ...routeJobs(parts, payments),
    periodic('old-windows', 60_000, () => dropOldWindows(parts.quick)),
    periodic('lapse-proposals', 60_000, () => lapseProposals(parts.quick)),
    periodic('old-tries', 60_000, () => dropOldTries(parts.quick)),
    periodic('old-tickets', 60_000, () => dropOldTickets(parts.quick)),
    periodic('old-holders', 600_000, () => dropOldHolders(parts.quick)),
    periodic('old-memos', 3_600_000, () => dropOldMemos(db)),
    periodic('old-day-counts', 3_600_000, () => dropOldCounts(db)),
    periodic('stray-files', 600_000, () => sweepFiles({ db, storage: openStorage(parts.config) })),
    periodic('partitions', 3_600_000, () => ensurePartitions(db)),
    periodic('factor-resets', 60_000, () => endDueResets(resetDeps(parts))),
    periodic('lapse-name-reviews', 3_600_000, () => lapseNameReviews(db)),
    periodic('lapse-registrations', 3_600_000, () => lapseRegistrations(db)),
    periodic('late-traces', 3_600_000, () => eraseLate(parts)),
    retentionJob(parts.quick, parts.config.retention),
    freshStatistics(parts),
    indexTransactions(parts),
    countDays({ db: parts.quick }),
    indexCustomers(parts),
    periodic('changed-customers', 600_000, () => indexChanged(parts.quick)),
    ...walletJobs(payments),
    ...checkoutJobs(payments),
    ...settlementJobs(payments),
  ]
}

/** What follows from it. */
function routeJobs({ quick }: Parts, { gateways, health }: LiveDeps): Job[] {
  const judge = async () => {
    if ((await takeLease(quick, 'judge-routes', 30)) !== undefined) {
      await judgeRoutes(quick, health.now())
    }
  }
  return [
    periodic('ask-broken-routes', 5_000, () => askBroken({ db: quick, gateways, health })),
    periodic('judge-routes', 15_000, judge),
  ]
}

/** Of all processes one an hour: it looks at all that was erased lately. */
async function eraseLate({ db, quick, config }: Parts): Promise<void> {
  const lease = await takeLease(quick, 'late-traces', 3_000)
  const live_payer_days = config.retention.live_payers
  if (lease !== undefined) await eraseLateTraces({ db, live_payer_days })
}

/** Changes that loosen a merchant's own safety come into force at their time, and are reported. */
async function loosen({ config, db, keyring }: Parts): Promise<void> {
  const deps = { db, keyring, cooling_hours: config.payout_method_cooling_hours }
  await Promise.all([applyDueLimits(deps), applyCoolingOffs(deps)])
}

export type Wired = ReturnType<typeof wire>
