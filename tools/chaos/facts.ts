// Everything the audit reads, at one time when nothing moves any more: our tables, the operator's
// own books, what the merchants sent and received, and what was struck when.

import {
  type Check,
  compareGatewayBooks,
  type GatewayBooks,
  verifyLedger,
} from '../../server/src/ledger/verify.ts'
import type { Sql } from '../../server/src/platform/db.ts'
import { at, textAt } from './json.ts'
import { type DeliveryReceived, eventIdIn } from './receiver.ts'
import type { Sent } from './sent.ts'
import type { ChaosApp } from './start-app.ts'
import * as store from './store.ts'
import type { Strike } from './strikes.ts'

/** A line of the operator's books. */
export type OperatorOrder = Readonly<{
  /** `a` or `b`: the desk. */
  operator: string
  reference: string
  status: string
  amount: string
}>

export type Facts = Readonly<{
  sent: readonly Sent[]
  heard: ReadonlyMap<string, readonly DeliveryReceived[]>
  strikes: readonly Strike[]
  orders: readonly OperatorOrder[]
  /** The laws of the ledger, and its gateway accounts against the operator's totals. */
  checks: readonly Check[]
  transactions: readonly store.TransactionRow[]
  refunds: readonly store.RefundRow[]
  attempts: readonly store.AttemptRow[]
  keys: readonly store.KeyRow[]
  events: readonly store.EventRow[]
  feeds: readonly store.FeedRow[]
  webhooks: readonly store.WebhookRow[]
  deliveries: readonly store.DeliveryRow[]
  incidents: readonly store.IncidentRow[]
  balances: readonly store.BalanceRow[]
  booked: readonly store.BookedRow[]
  holds: readonly store.HoldRow[]
  funds: readonly store.FundsRow[]
}>

/** What only this process knows. */
export type Own = Pick<Facts, 'sent' | 'heard' | 'strikes'>

/**
 * The operator's books first, then all of our tables in one snapshot: where the two differ we may
 * only be later. Throws when the operator or the database cannot be read.
 */
export async function collectFacts(app: ChaosApp, own: Own): Promise<Facts> {
  const heard = new Map([...own.heard].map(([id, copies]) => [id, [...copies]]))
  const orders = await readOrders(app)
  const totals = await readTotals(app)
  const read = await app.db.begin('isolation level repeatable read read only', (tx) =>
    readTables(tx, totals),
  )
  return { ...own, heard, orders, ...read }
}

async function readTables(tx: Sql, totals: GatewayBooks) {
  return {
    checks: [...(await verifyLedger(tx)), await compareGatewayBooks(tx, totals)],
    transactions: await store.listTransactions(tx),
    refunds: await store.listRefunds(tx),
    attempts: await store.listAttempts(tx),
    keys: await store.listKeys(tx),
    events: await store.listEvents(tx),
    feeds: await store.listFeeds(tx),
    webhooks: await store.listWebhooks(tx),
    deliveries: await store.listDeliveries(tx),
    incidents: await store.listIncidents(tx),
    balances: await store.listBalances(tx),
    booked: await store.listBooked(tx),
    holds: await store.listHolds(tx),
    funds: await store.listFunds(tx),
  }
}

const answers_within_ms = 5_000

async function fetchOperator({ operator }: ChaosApp, path: string): Promise<unknown> {
  const reply = await fetch(`${operator.url}${path}`, {
    headers: { authorization: `Bearer ${operator.token}` },
    signal: AbortSignal.timeout(answers_within_ms),
  })
  if (!reply.ok) throw new Error(`the operator answers ${reply.status} to ${path}`)
  return reply.json()
}

async function readOrders(app: ChaosApp): Promise<OperatorOrder[]> {
  const books = await fetchOperator(app, '/books')
  if (!Array.isArray(books)) throw new Error('the operator shows no books')
  return books.map((line: unknown) => ({
    operator: textAt(line, 'operator'),
    reference: textAt(line, 'reference'),
    status: textAt(line, 'status'),
    amount: textAt(line, 'amount'),
  }))
}

async function readTotals(app: ChaosApp): Promise<GatewayBooks> {
  const totals = await fetchOperator(app, '/books/totals')
  const desk = (operator: string) => ({
    XOF: {
      collected: textAt(at(totals, operator, 'XOF'), 'collected') || '0.00',
      paid: textAt(at(totals, operator, 'XOF'), 'paid') || '0.00',
    },
  })
  return { simulator_a: desk('a'), simulator_b: desk('b') }
}

/** The facts of some merchants. Orders go by the attempts that name them. */
export function factsOf(facts: Facts, merchant_ids: ReadonlySet<string>): Facts {
  const own = <T extends { merchant_id: string }>(rows: readonly T[]) =>
    rows.filter((row) => merchant_ids.has(row.merchant_id))
  const attempts = own(facts.attempts)
  const references = new Set(attempts.map((attempt) => attempt.our_key))
  const deliveries = own(facts.deliveries)
  const events = new Set(deliveries.map(({ event_id }) => event_id))
  const received = [...facts.heard].filter(([key]) => events.has(eventIdIn(key)))
  return {
    ...facts,
    heard: new Map(received),
    orders: facts.orders.filter(({ reference }) => references.has(reference)),
    sent: own(facts.sent),
    transactions: own(facts.transactions),
    refunds: own(facts.refunds),
    attempts,
    keys: own(facts.keys),
    events: own(facts.events),
    feeds: own(facts.feeds),
    webhooks: own(facts.webhooks),
    deliveries,
    incidents: own(facts.incidents),
    balances: own(facts.balances),
    booked: own(facts.booked),
    holds: own(facts.holds),
    funds: own(facts.funds),
  }
}
