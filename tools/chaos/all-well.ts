// Facts in which nothing is wrong, for the tests of the audit to break: a payment, a payout, a
// refund.

import { deliveryId } from '../../server/src/webhooks/delivery.ts'
import type { Facts } from './facts.ts'
import { type DeliveryReceived, receivedKey } from './receiver.ts'
import { newSent, type SentRefund } from './sent.ts'

export const merchant_id = 'merchant'
export const created = '01981f3a-5b60-7c11-9a52-0242ac120002'
export const succeeded = '01981f3a-5b61-7c11-9a52-0242ac120003'
const hook_url = 'http://127.0.0.1:1/hooks/m1/0'
export const created_key = receivedKey(created, hook_url)
export const succeeded_key = receivedKey(succeeded, hook_url)
const deliveryIds = [deliveryId(created, 'hook'), deliveryId(succeeded, 'hook')] as const

export const receivedOf = (event: string, at_ms: number, is_taken = true): DeliveryReceived => ({
  at_ms,
  is_taken,
  is_late: false,
  hash: event,
  event,
  about: 't1',
  status: '',
})

export function sentOnce() {
  const payer = {
    ends: 'paid',
    gives_code: false,
    country: 'BJ',
    network: 'n',
    phone: '10',
  } as const
  const sent = newSent('k1', merchant_id, '1000', payer)
  sent.answers.push({ status: 201, text: 'same', payment: 't1' })
  return sent
}

/** One payment of 1000, paid, delivered and taken. */
export function allWell(): Facts {
  const id = 't1'
  const row = {
    merchant_id,
    id,
    merchant_reference: 'k1',
    transaction_type: 'PAIEMENT',
    status: 'SUCCESS',
    country_code: 'BJ',
  }
  const amounts = { requested_amount: 100_000n, debited_amount: 103_200n, net_amount: 100_000n }
  const more = {
    refund_reserved: 0n,
    refunded_amount: 0n,
    version: 2,
    failure_code: '',
    settled_attempt: 'a1',
    restarts: 0,
  }
  const event = { merchant_id, transaction_id: id, about: id }
  const of = { transaction_id: id, refund_id: null }
  const attempt = { merchant_id, id: 'a1', ...of, status: 'SUCCESS', our_key: 'o1' }
  const delivery = { merchant_id, webhook_id: 'hook', status: 'SUCCESS' }
  return {
    sent: [sentOnce()],
    heard: new Map([
      [created_key, [receivedOf('transaction.created', 1)]],
      [succeeded_key, [receivedOf('transaction.success', 2)]],
    ]),
    strikes: [{ victim: 'worker-1', how: 'kill', at_ms: 50, until_ms: 50 }],
    orders: [{ operator: 'a', reference: 'o1', status: 'SUCCESSFUL', amount: '1032.00' }],
    checks: [{ check: 'entries balance', ok: true, counted: 1, broken: 0, examples: [] }],
    transactions: [{ ...row, ...amounts, ...more }],
    refunds: [],
    attempts: [{ ...attempt, gateway_code: 'simulator_a', wire_amount: 103_200n }],
    keys: [{ merchant_id, key: 'k1', transaction_id: id }],
    events: [
      { ...event, id: created, type: 'transaction.created', seq: 1n, version: 1 },
      { ...event, id: succeeded, type: 'transaction.success', seq: 2n, version: 2 },
    ],
    feeds: [{ merchant_id, last_seq: 2n }],
    webhooks: [{ merchant_id, id: 'hook', url: hook_url }],
    deliveries: [
      { ...delivery, id: deliveryIds[0], event_id: created },
      { ...delivery, id: deliveryIds[1], event_id: succeeded },
    ],
    incidents: [],
    balances: [{ merchant_id, country: 'BJ', available: 100_000n, pending: 0n }],
    booked: [{ merchant_id, cause_id: id, postings: 1 }],
    holds: [],
    funds: [],
  }
}

/** The same with one payout of 500, paid: 480 went out, 20 are its fee. */
export function payoutWell(): Facts {
  const well = allWell()
  const payer = {
    is_paid: true,
    ends: 'paid',
    gives_code: false,
    country: 'BJ',
    network: 'n',
    phone: '10',
  } as const
  const sent = newSent('k1', merchant_id, '500', payer)
  sent.answers.push({ status: 201, text: 'same', payment: 't1' })
  const amounts = { requested_amount: 50_000n, debited_amount: 50_000n, net_amount: 48_000n }
  return {
    ...well,
    sent: [sent],
    transactions: first(well.transactions, { ...amounts, transaction_type: 'RETRAIT' }),
    attempts: first(well.attempts, { wire_amount: 48_000n }),
    orders: first(well.orders, { amount: '480.00' }),
    balances: [{ merchant_id, country: 'BJ', available: 250_000n, pending: 0n }],
    holds: [{ merchant_id, id: 't1', cause_id: 't1', amount: 50_000n, ends: ['SPEND'] }],
    funds: [{ merchant_id, country: 'BJ', amount: 300_000n }],
  }
}

/** The payment of `allWell`, of which 400 were given back by one refund. */
export function refundWell(): Facts {
  const well = allWell()
  const id = 'r1'
  const sent = sentOnce()
  const asked: SentRefund = {
    key: 'k1-refund-0',
    amount: '400',
    reason: 'Out of stock',
    ends: 'paid',
    answers: [{ status: 201, text: 'same', payment: id }],
    was_refused: false,
    was_success: true,
  }
  sent.refunds.push(asked)
  const [attempt] = well.attempts
  const of = { transaction_id: null, refund_id: id }
  const own = { id: 'a2', our_key: 'o2', wire_amount: 40_000n, ...of }
  const sums = { amount: 40_000n, held_amount: 40_000n }
  const made = { merchant_id, payment_id: 't1', reference: asked.key, country_code: 'BJ' }
  const event = { merchant_id, transaction_id: 't1' }
  return {
    ...well,
    sent: [sent],
    // What was delivered is the payment's alone, so no endpoint is left to take the rest.
    webhooks: [],
    deliveries: [],
    heard: new Map(),
    transactions: first(well.transactions, {
      refund_reserved: 40_000n,
      refunded_amount: 40_000n,
      version: 3,
    }),
    refunds: [{ ...made, ...sums, id, status: 'SUCCESS', failure_code: '' }],
    attempts: [...well.attempts, ...(attempt === undefined ? [] : [{ ...attempt, ...own }])],
    orders: [
      ...well.orders,
      { operator: 'a', reference: 'o2', status: 'SUCCESSFUL', amount: '400.00' },
    ],
    keys: [...well.keys, { merchant_id, key: asked.key, transaction_id: id }],
    events: [
      ...well.events,
      { ...event, id: 'e3', about: id, type: 'refund.created', seq: 3n, version: 1 },
      { ...event, id: 'e4', about: id, type: 'refund.success', seq: 4n, version: 2 },
      { ...event, id: 'e5', about: 't1', type: 'transaction.refunded', seq: 5n, version: 3 },
    ],
    feeds: [{ merchant_id, last_seq: 5n }],
    balances: [{ merchant_id, country: 'BJ', available: 60_000n, pending: 0n }],
    booked: [...well.booked, { merchant_id, cause_id: id, postings: 1 }],
    holds: [{ merchant_id, id, cause_id: id, amount: 40_000n, ends: ['SPEND'] }],
  }
}

/** A law, and what breaks it. */
export type Plant = Readonly<{ law: string; wrong: (facts: Facts) => Partial<Facts> }>

/** The first row of a list with other values. */
export const first = <T>([row, ...rest]: readonly T[], changes: Partial<T>): T[] =>
  row === undefined ? [] : [{ ...row, ...changes }, ...rest]

export const doubled = <T extends { id: string }>(rows: readonly T[], id: string): T[] => [
  ...rows,
  ...rows.map((row) => ({ ...row, id })),
]
