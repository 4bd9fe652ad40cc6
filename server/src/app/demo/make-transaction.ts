// One made-up transaction that has ended, as the rows that a real one would have left. Pure, but
// for the books, which keep the running balances. What many rows have in common is written once.

import { randomUUID } from 'node:crypto'
import type { AttemptPlan } from '../../attempts/attempt.ts'
import type { Place } from '../../ledger/account.ts'
import type { Books } from '../../ledger/book-history.ts'
import { hold, payinSuccess, payoutSuccess, release } from '../../ledger/postings.ts'
import { type Part, partOf, type Row } from '../../platform/copy-rows.ts'
import { newReference } from '../../platform/ids.ts'

/** What a payment of an amount on a network comes to, and how its rows show it. */
export type Offer = Readonly<{
  place: Place
  plan: AttemptPlan
  of_transaction: Part
  of_attempt: Part
}>

export type PastCustomer = Readonly<{ of_transaction: Part; of_attempt: Part }>

export type Past = Readonly<{
  offer: Offer
  customer: PastCustomer
  transaction_type: 'PAIEMENT' | 'RECHARGE' | 'RETRAIT'
  at: Date
  /** Else it has failed. */
  succeeds: boolean
}>

export type Rows = Record<
  'transactions' | 'attempts' | 'transaction_status_logs' | 'holds' | 'hold_ends',
  Row[]
>

export const noRows = (): Rows => ({
  transactions: [],
  attempts: [],
  transaction_status_logs: [],
  holds: [],
  hold_ends: [],
})

type Making = Readonly<{
  rows: Rows
  books: Books
  newId: (at: Date) => string
  /** From its beginning to its end, in ms. */
  ends_after_ms: number
}>

const asked_for_ms = 24 * 3600_000
const environment = 'SANDBOX'

const ended = (status: string, failure_code: string) => ({
  of_transaction: partOf({
    ...{ environment, status, failure_code, version: 2 },
    ...{ ip_address: '127.0.0.1', request_id: 'generated' },
  }),
  of_attempt: partOf({
    ...{ environment, status, failure_code, priority: 1, gateway_ended: true, sends: 1 },
  }),
  of_log: partOf({
    ...{ environment, from_status: 'PENDING', to_status: status, reason: failure_code },
    ...{ triggered_by: 'POLLER', evidence_kind: 'STATUS_ANSWER', evidence_said: 'generated' },
  }),
})
const paid = ended('SUCCESS', '')
const refused = ended('FAILED', 'NOT_APPROVED')

/** Adds the rows; a payout that the balance does not cover is not made. Answers its id. */
export function makeTransaction(making: Making, past: Past): string | undefined {
  const { rows, books, newId, ends_after_ms } = making
  const { offer, customer, at, succeeds, transaction_type } = past
  const { place, plan } = offer
  const isPayout = transaction_type === 'RETRAIT'
  if (isPayout && books.available(place) < plan.debited_amount) return undefined
  const ids = { transaction: newId(at), attempt: newId(at), log: newId(at) }
  const ended_at = new Date(at.getTime() + ends_after_ms)
  const end = succeeds ? paid : refused
  const external_reference = `OP${ids.attempt.slice(-12).toUpperCase()}`
  const both = partOf({ external_reference, created_at: at, updated_at: ended_at })
  const transaction = partOf({
    id: ids.transaction,
    reference: newReference('TXN', at),
    transaction_type,
    settled_attempt: succeeds ? ids.attempt : null,
  })
  rows.transactions.push([
    ...[offer.of_transaction, customer.of_transaction, end.of_transaction, both, transaction],
  ])
  const attempt = partOf({
    id: ids.attempt,
    transaction_id: ids.transaction,
    our_key: randomUUID(),
    send_deadline: at,
    send_started_at: at,
    accepted_at: at,
    started_at: at,
    finished_at: ended_at,
    asking_until: new Date(at.getTime() + asked_for_ms),
  })
  rows.attempts.push([offer.of_attempt, customer.of_attempt, end.of_attempt, both, attempt])
  const { merchant_id } = place
  const log = partOf({
    merchant_id,
    id: ids.log,
    transaction_id: ids.transaction,
    attempt_id: ids.attempt,
    created_at: ended_at,
  })
  rows.transaction_status_logs.push([end.of_log, log])
  const cause = {
    place,
    cause_id: ids.transaction,
    attempt_id: ids.attempt,
    created_at: ended_at,
  }
  if (isPayout) bookPayout(making, past, cause)
  else if (succeeds) {
    const lines = payinSuccess(place, plan.gateway_id, plan)
    books.book({ ...cause, cause_kind: 'TRANSACTION', lines }, newId)
  }
  return ids.transaction
}

type Cause = Readonly<{ place: Place; cause_id: string; attempt_id: string; created_at: Date }>

function bookPayout({ rows, books, newId }: Making, { offer, at, succeeds }: Past, cause: Cause) {
  const { place, plan } = offer
  const { merchant_id, country, currency } = place
  const { cause_id, created_at } = cause
  const amount = plan.debited_amount
  const id = newId(at)
  const promised = { merchant_id, id, environment, country, currency, amount }
  rows.holds.push([partOf({ ...promised, cause_kind: 'PAYOUT', cause_id, created_at: at })])
  const how = succeeds ? 'SPEND' : 'RELEASE'
  rows.hold_ends.push([partOf({ merchant_id, hold_id: id, how, environment, created_at })])
  const hold_cause = { place, cause_id: id, attempt_id: null }
  books.book(
    { ...hold_cause, cause_kind: 'HOLD', lines: hold(place, amount), created_at: at },
    newId,
  )
  if (succeeds) {
    const spent = payoutSuccess(place, plan.gateway_id, plan)
    books.book({ ...cause, cause_kind: 'TRANSACTION', lines: spent }, newId)
    return
  }
  const returned = release(place, amount)
  books.book({ ...hold_cause, cause_kind: 'HOLD_END', lines: returned, created_at }, newId)
}

export function offerOf(place: Place, country_id: string, plan: AttemptPlan): Offer {
  const { merchant_id } = place
  const figures = {
    ...{ merchant_id, country_code: plan.country_code, currency: plan.currency },
    ...{ network_id: plan.network_id, network_code: plan.network_code },
    ...{ pricing_rule: plan.pricing_rule, merchant_pricing_rule: plan.merchant_pricing_rule },
    ...{ requested_amount: plan.requested_amount, fee_charge_mode: plan.fee_charge_mode },
    ...{ client_fee: plan.client_fee, gateway_fee: plan.gateway_fee },
    ...{ platform_fee: plan.platform_fee, debited_amount: plan.debited_amount },
    net_amount: plan.net_amount,
  }
  return {
    place,
    plan,
    of_transaction: partOf({ ...figures, country_id, current_gateway: plan.gateway_id }),
    of_attempt: partOf({
      ...{ ...figures, direction: plan.direction, route_id: plan.route_id },
      ...{ gateway_id: plan.gateway_id, gateway_code: plan.gateway_code },
      gateway_cost_excess: plan.gateway_cost_excess,
    }),
  }
}

export type Person = Readonly<{
  id: string
  first_name: string
  last_name: string
  email: string
  phone: string
}>

export const customerOf = ({ id, first_name, last_name, email, phone }: Person): PastCustomer => ({
  of_transaction: partOf({
    ...{ customer_id: id, customer_email: email, customer_phone: phone, operation_msisdn: phone },
    ...{ customer_first_name: first_name, customer_last_name: last_name },
  }),
  of_attempt: partOf({ customer_id: id, operation_msisdn: phone }),
})
