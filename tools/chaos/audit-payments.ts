// Zero lost, zero doubled: each key that was ever sent has made one transaction, every answer named
// it, and it has ended as the operator's own books show. These are read a moment before ours are,
// so a difference between the two is late until the app is at rest, then wrong.

import { type Breach, broken, grouped, missing } from './breach.ts'
import type { Facts, OperatorOrder } from './facts.ts'
import type { Keyed, Sent } from './sent.ts'
import type { AttemptRow, TransactionRow } from './store.ts'

export function auditPayments(facts: Facts): Breach[] {
  const byReference = grouped(facts.transactions, (row) => row.merchant_reference)
  const ordersOf = ordersByTransaction(facts)
  return [
    ...auditKeys(facts),
    ...broken(
      'no call is answered by what it should never get',
      facts.sent.flatMap(({ strange }) => strange),
    ),
    ...facts.sent.flatMap((sent) => {
      const [transaction] = byReference.get(sent.key) ?? []
      if (transaction === undefined) return []
      const orders = ordersOf.get(transaction.id) ?? []
      return [...auditAnswers(sent, transaction), ...auditEnding(sent, transaction, orders)]
    }),
    ...auditOrders(facts),
    ...auditIncidents(facts),
  ]
}

/** Keys and transactions, one to one. */
function auditKeys({ sent, transactions, keys }: Facts): Breach[] {
  const made = grouped(transactions, (row) => row.merchant_reference)
  const known = new Set(sent.map(({ key }) => key))
  const countOf = (key: string) => made.get(key)?.length ?? 0
  const byKey = new Map(keys.map((row) => [`${row.merchant_id} ${row.key}`, row.transaction_id]))
  const elsewhere = sent.filter(({ merchant_id, key }) => {
    const kept = byKey.get(`${merchant_id} ${key}`)
    return kept !== undefined && kept !== null && made.get(key)?.[0]?.id !== kept
  })
  return [
    ...missing(
      'each key has made a transaction',
      sent.filter(({ key }) => countOf(key) === 0).map(({ key }) => key),
    ),
    ...broken(
      'no key has made two',
      sent
        .filter(({ key }) => countOf(key) > 1)
        .map(({ key }) => formatRows(key, made.get(key) ?? [])),
    ),
    ...broken(
      'no transaction without a key',
      transactions.filter((row) => !known.has(row.merchant_reference)).map(({ id }) => id),
    ),
    ...broken(
      'the kept key names its transaction',
      elsewhere.map(({ key }) => key),
    ),
    ...missing(
      'each key was answered for good',
      sent.filter(({ answers }) => answers.length === 0).map(({ key }) => key),
    ),
  ]
}

const formatRows = (key: string, rows: readonly TransactionRow[]) =>
  `${key}: ${rows.map(({ id }) => id).join(', ')}`

function auditAnswers(sent: Sent, { id, status, restarts }: TransactionRow): Breach[] {
  const all: Keyed[] = [sent, ...sent.retries, ...sent.codes]
  const named = all.flatMap(({ key, answers }) =>
    answers
      .filter(({ payment }) => payment !== id)
      .map(({ payment }) => `${key}: ${payment}, ${id}`),
  )
  const changed = all.filter(({ answers: [first, ...more] }) =>
    more.some((one) => one.status !== first?.status || one.text !== first.text),
  )
  const lost = sent.was_success && status !== 'SUCCESS' ? [`${id} is ${status}`] : []
  const tooMany = restarts > sent.retries.length ? [`${id}: ${restarts} restarts`] : []
  return [
    ...broken('every answer of a key names its one transaction', named),
    ...broken(
      'an answer for good is the same for ever',
      changed.map(({ key, answers }) => `${key}: ${answers.map(({ text }) => text).join(' | ')}`),
    ),
    ...broken('a success that was answered stays one', lost),
    ...broken('a retry key begins again at most once', tooMany),
  ]
}

/** The operator's orders of each transaction's attempts. */
function ordersByTransaction({ attempts, orders }: Facts): Map<string, OperatorOrder[]> {
  const owner = new Map(attempts.map((row) => [row.our_key, row.transaction_id ?? '']))
  return grouped(orders, ({ reference }) => owner.get(reference) ?? '')
}

function auditEnding(sent: Sent, row: TransactionRow, orders: readonly OperatorOrder[]): Breach[] {
  const { id, status, failure_code } = row
  const paid = orders.filter((order) => order.status === 'SUCCESSFUL').length
  const { ends } = sent.payer
  const text = `${id} (${sent.key}, …${sent.payer.phone.slice(-2)}) is ${status} ${failure_code}`
  const wrong: Breach[] = []
  if (status === 'SUCCESS' && paid === 0) wrong.push(...missing('a success was paid', [text]))
  if (status !== 'SUCCESS' && paid > 0) wrong.push(...missing('what was paid is a success', [text]))
  if (paid > 1 + row.restarts) {
    const law = sent.payer.is_paid ? 'nobody is paid twice' : 'nobody pays twice'
    wrong.push(...broken(law, [text]))
  }
  if (status === 'SUCCESS' && ends !== 'paid') {
    wrong.push(...broken('a payment ends as its number says', [text]))
  }
  if (status === 'PENDING' && ends !== 'never') {
    wrong.push(...missing('a payment that can end has ended', [text]))
  }
  // An operator that was dead took nothing: only then may a payment fail that had to be paid.
  const unserved = failure_code === 'GATEWAY_UNAVAILABLE'
  if (status === 'FAILED' && ends !== 'refused' && !unserved) {
    wrong.push(...missing('a payment fails only when no route took it', [text]))
  }
  return wrong
}

/** Orders and attempts, one to one, to the franc. */
function auditOrders({ attempts, orders }: Facts): Breach[] {
  const byKey = new Map(attempts.map((row) => [row.our_key, row]))
  const byReference = grouped(orders, (order) => order.reference)
  return [
    ...broken(
      'each order at the operator is an attempt of ours',
      orders.filter(({ reference }) => !byKey.has(reference)).map(({ reference }) => reference),
    ),
    ...broken(
      'no attempt has two orders',
      [...byReference].filter(([, all]) => all.length > 1).map(([reference]) => reference),
    ),
    ...orders.flatMap((order) => {
      const attempt = byKey.get(order.reference)
      return attempt === undefined ? [] : auditOrder(order, attempt)
    }),
    ...missing(
      'each success of ours is an order',
      attempts
        .filter((row) => row.status === 'SUCCESS' && !byReference.has(row.our_key))
        .map(({ our_key }) => our_key),
    ),
  ]
}

function auditOrder(order: OperatorOrder, attempt: AttemptRow): Breach[] {
  const { transaction_id, refund_id } = attempt
  const of = transaction_id ?? `refund ${refund_id}`
  const text = `${order.reference} of ${of}: ${order.status}, ${attempt.status}`
  const desk = `simulator_${order.operator}`
  const amount = BigInt(order.amount.replace('.', ''))
  const is_paid = order.status === 'SUCCESSFUL'
  const wrong: Breach[] = []
  if (amount !== attempt.wire_amount || desk !== attempt.gateway_code) {
    wrong.push(...broken('an order is for what its attempt asks', [`${text}, ${order.amount}`]))
  }
  if (is_paid && attempt.status !== 'SUCCESS') {
    wrong.push(...missing('a paid order is a success of ours', [text]))
  }
  if (!is_paid && attempt.status === 'SUCCESS') {
    wrong.push(...missing('no success without a paid order', [text]))
  }
  // Its payer could still pay it, and nothing would query it.
  if (order.status !== 'FAILED' && !is_paid && attempt.status === 'FAILED') {
    wrong.push(...missing('no failure with an open order', [text]))
  }
  return wrong
}

/** A second payment is possible only where the merchant requested one. */
function auditIncidents({ incidents, transactions }: Facts): Breach[] {
  const restarted = new Set(transactions.filter((row) => row.restarts > 0).map(({ id }) => id))
  return broken(
    'no incident but a second payment that a retry asked for',
    incidents
      .filter((row) => {
        const is_queried = row.transaction_id !== null && restarted.has(row.transaction_id)
        return row.type !== 'DUPLICATE_CAPTURE' || !is_queried
      })
      .map((row) => `${row.type} ${row.id} of ${row.transaction_id}`),
  )
}
