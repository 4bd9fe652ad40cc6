// `/metrics` in Prometheus text: the process, and the ages an operator must be woken for.

import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { readOverSecretsAge } from '../gateways/account-store.ts'
import { readBalanceAges } from '../gateways/balance-store.ts'
import { readRuleAges } from '../gateways/operator-rule-statements.ts'
import { readStatesAge } from '../gateways/operator-state-statements.ts'
import type { RuleAlarm } from '../gateways/read-operator-rules.ts'
import { faultKinds } from '../people/client-faults.ts'
import type { Db } from '../platform/db.ts'
import { type SecurityEvent, securityEvents } from '../platform/http/answer-line.ts'
import type { Environment } from '../platform/http/route.ts'
import {
  countDefaultRows,
  type OwnAges,
  readAges,
  readClockAhead,
  readRetentionAges,
} from './store.ts'

/** Of this process: where there are several, those of all are added up. */
const registry = new Registry()
collectDefaultMetrics({ register: registry })
/** Read from the database: the same, whichever process is asked. */
const common = new Registry()

const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [common] })

const gaugeOfEach = (name: string, help: string) =>
  new Gauge({ name, help, labelNames: ['environment'], registers: [common] })

const gauges = {
  oldest_unnumbered_event_s: gauge(
    'pirogue_oldest_unnumbered_event_seconds',
    'Age of the oldest event that has no number or no deliveries yet.',
  ),
  oldest_unsearchable_event_s: gauge(
    'pirogue_oldest_unsearchable_event_seconds',
    'Age of the oldest event that is in no search row yet; a search reads each of these itself.',
  ),
  upload_bytes: gauge('pirogue_upload_bytes', 'Bytes stored of KYC files uploaded by merchants.'),
  low_balances: gauge(
    'pirogue_low_gateway_balances',
    'Balances with operators below what staff have set for them.',
  ),
  oldest_balance_s: gauge(
    'pirogue_oldest_gateway_balance_seconds',
    'Age of the oldest of what is known of balances with operators; they are read every 5 minutes.',
  ),
  oldest_rules_s: gauge(
    'pirogue_oldest_operator_limits_seconds',
    'Age of the oldest reading of what an operator takes; each is read about once a day.',
  ),
  waiting_rules: gauge(
    'pirogue_operator_limits_waiting',
    'Narrower limits that operators have published and that do not count yet: a day later they do.',
  ),
  oldest_states_s: gauge(
    'pirogue_oldest_operator_states_seconds',
    'Age of the oldest reading of what an operator says works now; after 5 minutes it is unknown.',
  ),
  oldest_over_secrets_s: gauge(
    'pirogue_oldest_expired_gateway_secrets_seconds',
    'How long former secrets of accounts have been over and not erased; they verify nothing.',
  ),
  oldest_unannounced_change_s: gauge(
    'pirogue_oldest_unannounced_availability_change_seconds',
    'Age of the oldest change of a network of which some merchant may not have its event yet.',
  ),
}

/** By environment: those of LIVE are what people are woken for. */
const own_gauges: Readonly<Record<keyof OwnAges, Gauge<'environment'>>> = {
  oldest_undelivered_s: gaugeOfEach(
    'pirogue_oldest_due_delivery_seconds',
    'How long the most overdue webhook queue has been due.',
  ),
  oldest_due_attempt_s: gaugeOfEach(
    'pirogue_oldest_due_attempt_seconds',
    'How long the most overdue query to a gateway has been due.',
  ),
  open_incidents: gaugeOfEach('pirogue_open_incidents', 'Contradictions that wait for two people.'),
  waiting_payouts: gaugeOfEach(
    'pirogue_waiting_payouts',
    'Payouts that no operator can take now, except those that wait for approval.',
  ),
  oldest_waiting_payout_s: gaugeOfEach(
    'pirogue_oldest_waiting_payout_seconds',
    'Age of the oldest of them; it is abandoned after 72 hours.',
  ),
  overdue_payouts: gaugeOfEach(
    'pirogue_overdue_payouts',
    'Payouts whose waiting time is over and that could not be ended.',
  ),
  waiting_refunds: gaugeOfEach(
    'pirogue_waiting_refunds',
    'Refunds that wait for an operator: its float, its hours, or a route that works.',
  ),
  waiting_settlements: gaugeOfEach(
    'pirogue_waiting_settlements',
    'Settlements whose operator took nothing because our float there is empty.',
  ),
  overdue_refunds_and_settlements: gaugeOfEach(
    'pirogue_overdue_refunds_and_settlements',
    'Refunds and settlements whose waiting time is over and that could not be ended.',
  ),
  failing_attempts: gaugeOfEach(
    'pirogue_failing_attempts',
    'Attempts whose answers could not be recorded within the last two hours.',
  ),
}

const retention_age_s = new Gauge({
  name: 'pirogue_retention_age_seconds',
  help: 'How long ago all data of a kind that was due had been removed.',
  labelNames: ['kind'],
  registers: [common],
})

const default_rows = new Gauge({
  name: 'pirogue_default_partition_rows',
  help:
    'Rows in the default partition, at most 10 000: they came late, or a process had a wrong ' +
    'clock.',
  labelNames: ['table'],
  registers: [common],
})

const clock_ahead_s = gauge(
  'pirogue_clock_ahead_seconds',
  'How far this process’s clock is ahead of the database’s; negative when it is behind.',
)

const prompts_refused = new Counter({
  name: 'pirogue_prompts_refused_total',
  help: 'Payments refused because their phone had received too many prompts.',
  labelNames: ['environment'],
  registers: [registry],
})

/**
 * Many for one merchant, or one number for many: payers are being kept out on purpose, or by
 * mistake.
 */
export const countPromptRefused = (environment: Environment): void =>
  prompts_refused.inc({ environment })

const security_events = new Counter({
  name: 'pirogue_security_events_total',
  help: 'Answers that refused a sign-in, a code, a credential or a right, or hit a limit.',
  labelNames: ['kind'],
  registers: [registry],
})
// A rate of what was never counted is no number: each kind is there from the start.
for (const kind of securityEvents) security_events.inc({ kind }, 0)

export const countSecurityEvent = (kind: SecurityEvent): void => security_events.inc({ kind })

const client_errors = new Counter({
  name: 'pirogue_client_errors_total',
  help: 'Faults of the dashboard’s own code that browsers reported; each has a line in the log.',
  labelNames: ['kind'],
  registers: [registry],
})
for (const kind of faultKinds) client_errors.inc({ kind }, 0)

export const countClientFault = (kind: (typeof faultKinds)[number]): void =>
  client_errors.inc({ kind })

const event_streams = new Gauge({
  name: 'pirogue_event_streams',
  help: 'Streams of hints that are open.',
  registers: [registry],
})

export const showEventStreams = (count: number): void => event_streams.set(count)

const scrape_lives_ms = 5_000

/** Lets the start that made this process read its metrics (prom-client 15, lib/cluster.js). */
export function shareMetrics(): void {
  AggregatorRegistry.setRegistries(registry)
  new AggregatorRegistry()
}

/**
 * The text of a scrape. Scrapes within five seconds share one read of the database. `readAll`: the
 * metrics of all processes, where this is one of several.
 */
export function metricsOn(
  db: Db,
  readAll: () => Promise<string> = () => registry.metrics(),
  clock: () => number = Date.now,
): () => Promise<string> {
  let last: { at: number; looked: Promise<void> } | undefined
  return async () => {
    const at = clock()
    const age_ms = last === undefined ? 0 : at - last.at
    // Below zero the clock was set back: that is no age.
    if (last === undefined || age_ms < 0 || age_ms >= scrape_lives_ms) {
      const made = { at, looked: look(db) }
      last = made
      // A failure is reported to those who share it, and the next scrape reads again.
      made.looked.catch(() => {
        if (last === made) last = undefined
      })
    }
    await last.looked
    return `${(await readAll()).trimEnd()}\n${await common.metrics()}`
  }
}

async function look(db: Db): Promise<void> {
  const ages = await readAges(db)
  gauges.oldest_unnumbered_event_s.set(ages.oldest_unnumbered_event_s)
  gauges.oldest_unsearchable_event_s.set(ages.oldest_unsearchable_event_s)
  gauges.upload_bytes.set(ages.upload_bytes)
  gauges.oldest_unannounced_change_s.set(ages.oldest_unannounced_change_s)
  showOwn('LIVE', ages.of.LIVE)
  showOwn('SANDBOX', ages.of.SANDBOX)
  for (const { kind, age_s } of await readRetentionAges(db)) retention_age_s.set({ kind }, age_s)
  for (const { table, rows } of await countDefaultRows(db)) default_rows.set({ table }, rows)
  const balances = await readBalanceAges(db)
  gauges.low_balances.set(balances.low)
  gauges.oldest_balance_s.set(balances.oldest_s)
  const rules = await readRuleAges(db)
  gauges.oldest_rules_s.set(rules.oldest_rules_s)
  gauges.waiting_rules.set(rules.waiting_rules)
  gauges.oldest_states_s.set(await readStatesAge(db))
  gauges.oldest_over_secrets_s.set(await readOverSecretsAge(db))
  clock_ahead_s.set((await readClockAhead(db)) / 1000)
}

function showOwn(environment: Environment, ages: OwnAges): void {
  own_gauges.oldest_undelivered_s.set({ environment }, ages.oldest_undelivered_s)
  own_gauges.oldest_due_attempt_s.set({ environment }, ages.oldest_due_attempt_s)
  own_gauges.open_incidents.set({ environment }, ages.open_incidents)
  own_gauges.waiting_payouts.set({ environment }, ages.waiting_payouts)
  own_gauges.oldest_waiting_payout_s.set({ environment }, ages.oldest_waiting_payout_s)
  own_gauges.overdue_payouts.set({ environment }, ages.overdue_payouts)
  own_gauges.waiting_refunds.set({ environment }, ages.waiting_refunds)
  own_gauges.waiting_settlements.set({ environment }, ages.waiting_settlements)
  own_gauges.overdue_refunds_and_settlements.set(
    { environment },
    ages.overdue_refunds_and_settlements,
  )
  own_gauges.failing_attempts.set({ environment }, ages.failing_attempts)
}

const gateway_notes = new Counter({
  name: 'pirogue_gateway_unlisted_total',
  help: 'Answers of an operator that its sheet does not list; each was taken for unknown.',
  labelNames: ['gateway'],
  registers: [registry],
})

export const countGatewayNote = (gateway: string): void => gateway_notes.inc({ gateway })

const callback_senders = new Counter({
  name: 'pirogue_gateway_callback_senders_total',
  help:
    'Callbacks by where they came from, of accounts whose operator’s addresses are known ' +
    '(outcome: known, unexpected, refused).',
  labelNames: ['gateway', 'outcome'],
  registers: [registry],
})

export const countCallbackSender = (gateway: string, outcome: string): void =>
  callback_senders.inc({ gateway, outcome })

const holder_looks = new Counter({
  name: 'pirogue_holder_looks_total',
  help:
    'Looks at whose number a payout would go to (outcome: named, unnamed, inactive by the ' +
    'operator’s answer; kept from a look within the day; silent: no answer, or too late).',
  labelNames: ['gateway', 'outcome'],
  registers: [registry],
})

export const countHolderLook = (gateway: string, outcome: string): void =>
  holder_looks.inc({ gateway, outcome })

const pace_faults = new Counter({
  name: 'pirogue_gateway_pace_faults_total',
  help: 'Shares of an operator’s pace that could not be claimed: it is not asked without one.',
  labelNames: ['gateway'],
  registers: [registry],
})

export const countPaceFault = (gateway: string): void => pace_faults.inc({ gateway })

const pace_refusals = new Counter({
  name: 'pirogue_gateway_pace_refusals_total',
  help:
    'Calls that found no place among those that an operator allows (kind: ask, create, other), ' +
    'and were not sent.',
  labelNames: ['gateway', 'kind'],
  registers: [registry],
})

export const countPaceRefusal = (gateway: string, kind: string): void =>
  pace_refusals.inc({ gateway, kind })

const job_faults = new Counter({
  name: 'pirogue_job_faults_total',
  help: 'Runs of a job that failed, and things that a run went on without; all are tried again.',
  labelNames: ['job'],
  registers: [registry],
})

export const countJobFault = (job: string): void => job_faults.inc({ job })

const gateway_alarms = new Counter({
  name: 'pirogue_gateway_alarms_total',
  help:
    'Refusals of an operator for our credentials or settings (call: CREATE, ASK, REFUND); three ' +
    'of credentials at a CREATE in a minute switch it off. Of the money, kind CONTRADICTION: it ' +
    'contradicts itself or us; GIVEN_BACK: a part was given back there, without us (call ANY).',
  labelNames: ['gateway_id', 'kind', 'call'],
  registers: [registry],
})

export const countGatewayAlarm = ({
  gateway_id,
  kind,
  call,
}: Readonly<{ gateway_id: string; kind: string; call: string }>): void =>
  gateway_alarms.inc({ gateway_id, kind, call })

const clocks_apart = new Counter({
  name: 'pirogue_gateway_clock_apart_total',
  help: 'Answers of an operator whose Date is more than 5 s from the database’s clock.',
  labelNames: ['gateway'],
  registers: [registry],
})

export const countClockApart = (gateway: string): void => clocks_apart.inc({ gateway })

const balance_faults = new Counter({
  name: 'pirogue_gateway_balance_faults_total',
  help: 'Readings of what an operator holds for us that failed; what was told before is kept.',
  labelNames: ['gateway'],
  registers: [registry],
})

export const countBalanceFault = (gateway: string): void => balance_faults.inc({ gateway })

const rule_alarms = new Counter({
  name: 'pirogue_operator_limits_alarms_total',
  help:
    'What operators said of their limits and people must see: UNREAD (nothing could be used), ' +
    'ODD (a part that cannot be meant), NARROWER (it counts a day later).',
  labelNames: ['gateway', 'alarm'],
  registers: [registry],
})

export const countRuleAlarm = (gateway: string, alarm: RuleAlarm): void =>
  rule_alarms.inc({ gateway, alarm })

const state_faults = new Counter({
  name: 'pirogue_operator_states_faults_total',
  help: 'Readings of what an operator says works now that failed; after 5 minutes it is unknown.',
  labelNames: ['gateway'],
  registers: [registry],
})

export const countStateFault = (gateway: string): void => state_faults.inc({ gateway })

const requeued_payouts = new Counter({
  name: 'pirogue_payouts_requeued_total',
  help: 'Payouts, refunds and settlements that wait again: our float with their operator is empty.',
  labelNames: ['gateway'],
  registers: [registry],
})

export const countRequeued = (gateway: string): void => requeued_payouts.inc({ gateway })

const full_accounts = gauge(
  'pirogue_full_gateway_accounts',
  'Accounts, by direction, that have reached their exposure limit and get nothing new.',
)

export const showFullAccounts = (count: number): void => full_accounts.set(count)
