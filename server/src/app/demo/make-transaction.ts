// One made-up transaction that has ended, as the rows that a real one would have left. Pure, but
// for the books, which keep the running balances.

import { randomUUID } from 'node:crypto'
import type { AttemptPlan } from '../../attempts/attempt.ts'
import type { Place } from '../../ledger/account.ts'
import type { Books } from '../../ledger/history/book-history.ts'
import { hold, payinSuccess, payoutSuccess, release } from '../../ledger/postings.ts'
import { newReference } from '../../platform/ids.ts'

export type PastCustomer = Readonly<{
  id: string
  first_name: string
  last_name: string
  email: string
  phone: string
}>

export type Past = Readonly<{
  place: Place
  country_id: string
  customer: PastCustomer
  transaction_type: 'PAIEMENT' | 'RECHARGE' | 'RETRAIT'
  plan: AttemptPlan
  at: Date
  /** Else it has failed. */
  succeeds: boolean
}>

type Cell = string | number | bigint | boolean | Date | null
export type Rows = Record<
  'transactions' | 'attempts' | 'transaction_status_logs' | 'holds' | 'hold_ends',
  Record<string, Cell>[]
>

export const noRows = (): Rows => ({
  transactions: [],
  attempts: [],
  transaction_status_logs: [],
  holds: [],
  hold_ends: [],
})

type Making = Readonly<{ rows: Rows; books: Books; newId: (at: Date) => string }>

const answered_after_ms = 1_500
const asked_for_ms = 24 * 3600_000
const refusal = 'NOT_APPROVED'

/** Adds the rows; a payout that the balance does not cover is not made. Answers its id. */
export function makeTransaction({ rows, books, newId }: Making, past: Past): string | undefined {
  const { place, plan, at, succeeds, transaction_type } = past
  const isPayout = transaction_type === 'RETRAIT'
  if (isPayout && books.available(place) < plan.debited_amount) return undefined
  const owner = { merchant_id: place.merchant_id, environment: place.environment }
  const ids = { transaction: newId(at), attempt: newId(at), log: newId(at) }
  const ended = new Date(at.getTime() + answered_after_ms)
  const end = { status: succeeds ? 'SUCCESS' : 'FAILED', failure_code: succeeds ? '' : refusal }
  const external_reference = `OP${ids.attempt.slice(-12).toUpperCase()}`
  const dated = { created_at: at, updated_at: ended }
  rows.transactions.push({
    ...{ ...owner, id: ids.transaction, reference: newReference('TXN', at), transaction_type },
    ...{ ...end, version: 2, settled_attempt: succeeds ? ids.attempt : null },
    ...{ ...payerOf(past.customer), ...figuresOf(plan), country_id: past.country_id },
    ...{ country_code: plan.country_code, current_gateway: plan.gateway_id, external_reference },
    ...{ ip_address: '127.0.0.1', request_id: 'generated', ...dated },
  })
  rows.attempts.push({
    ...{ ...owner, id: ids.attempt, transaction_id: ids.transaction, direction: plan.direction },
    ...{ ...end, ...figuresOf(plan), gateway_cost_excess: plan.gateway_cost_excess },
    ...{ customer_id: past.customer.id, priority: 1, country_code: plan.country_code },
    ...{ gateway_id: plan.gateway_id, gateway_code: plan.gateway_code, route_id: plan.route_id },
    ...{ gateway_ended: true, our_key: randomUUID(), external_reference, sends: 1 },
    ...{ send_deadline: at, send_started_at: at, accepted_at: at, finished_at: ended },
    ...{ asking_until: new Date(at.getTime() + asked_for_ms), started_at: at, ...dated },
  })
  rows.transaction_status_logs.push({
    ...{ ...owner, id: ids.log, transaction_id: ids.transaction, from_status: 'PENDING' },
    ...{ to_status: end.status, reason: end.failure_code, triggered_by: 'POLLER' },
    ...{ attempt_id: ids.attempt, evidence_kind: 'STATUS_ANSWER', evidence_said: 'generated' },
    created_at: ended,
  })
  const cause = { place, cause_id: ids.transaction, attempt_id: ids.attempt, created_at: ended }
  if (isPayout) bookPayout({ rows, books, newId }, past, cause)
  else if (succeeds) {
    const lines = payinSuccess(place, plan.gateway_id, plan)
    books.book({ ...cause, cause_kind: 'TRANSACTION', lines }, newId)
  }
  return ids.transaction
}

type Cause = Readonly<{ place: Place; cause_id: string; attempt_id: string; created_at: Date }>

function bookPayout({ rows, books, newId }: Making, { plan, at, succeeds }: Past, cause: Cause) {
  const { place } = cause
  const { merchant_id, environment, country, currency } = place
  const id = newId(at)
  const promised = { merchant_id, id, environment, country, currency, amount: plan.debited_amount }
  rows.holds.push({ ...promised, cause_kind: 'PAYOUT', cause_id: cause.cause_id, created_at: at })
  const how = succeeds ? 'SPEND' : 'RELEASE'
  rows.hold_ends.push({ merchant_id, hold_id: id, how, environment, created_at: cause.created_at })
  const held = { place, cause_id: id, attempt_id: null }
  const lines = hold(place, plan.debited_amount)
  books.book({ ...held, cause_kind: 'HOLD', lines, created_at: at }, newId)
  if (succeeds) {
    const spent = payoutSuccess(place, plan.gateway_id, plan)
    books.book({ ...cause, cause_kind: 'TRANSACTION', lines: spent }, newId)
    return
  }
  const returned = release(place, plan.debited_amount)
  const { created_at } = cause
  books.book({ ...held, cause_kind: 'HOLD_END', lines: returned, created_at }, newId)
}

const payerOf = (customer: PastCustomer) => ({
  customer_id: customer.id,
  customer_email: customer.email,
  customer_first_name: customer.first_name,
  customer_last_name: customer.last_name,
  customer_phone: customer.phone,
})

/** What a transaction and its attempt say alike. */
const figuresOf = (plan: AttemptPlan) => ({
  operation_msisdn: plan.operation_msisdn,
  network_id: plan.network_id,
  network_code: plan.network_code,
  pricing_rule: plan.pricing_rule,
  merchant_pricing_rule: plan.merchant_pricing_rule,
  requested_amount: plan.requested_amount,
  fee_charge_mode: plan.fee_charge_mode,
  client_fee: plan.client_fee,
  gateway_fee: plan.gateway_fee,
  platform_fee: plan.platform_fee,
  debited_amount: plan.debited_amount,
  net_amount: plan.net_amount,
  currency: plan.currency,
})
