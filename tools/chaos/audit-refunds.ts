// Refunds, to the franc and by id: each key made one at most and was answered with it, each ended
// as its operator's books show, and those of a payment never give back more than it brought.

import { type Breach, broken, grouped, missing } from './breach.ts'
import type { Facts, OperatorOrder } from './facts.ts'
import type { SentRefund } from './sent.ts'
import type { RefundRow } from './store.ts'

export function auditRefunds(facts: Facts): Breach[] {
  const asked = facts.sent.flatMap((sent) => sent.refunds)
  const byKey = grouped(facts.refunds, (row) => row.reference)
  const ordersOf = ordersByRefund(facts)
  return [
    ...auditKeys(facts, asked),
    ...asked.flatMap((one) => {
      const [row] = byKey.get(one.key) ?? []
      if (row === undefined) return auditUnmade(one)
      return [...auditAnswers(one, row), ...auditEnding(one, row, ordersOf.get(row.id) ?? [])]
    }),
    ...auditSums(facts),
  ]
}

function auditKeys({ refunds, keys }: Facts, asked: readonly SentRefund[]): Breach[] {
  const known = new Set(asked.map(({ key }) => key))
  const made = grouped(refunds, (row) => row.reference)
  const elsewhere = keys.filter(({ key, transaction_id }) => {
    const [refund] = made.get(key) ?? []
    return refund !== undefined && transaction_id !== null && transaction_id !== refund.id
  })
  return [
    ...missing(
      'each key of a refund was answered for good',
      asked
        .filter(({ answers, was_refused }) => answers.length === 0 && !was_refused)
        .map(({ key }) => key),
    ),
    ...broken(
      'no key has made two refunds',
      [...made].filter(([, rows]) => rows.length > 1).map(([key]) => key),
    ),
    ...broken(
      'no refund without a key',
      refunds.filter(({ reference }) => !known.has(reference)).map(({ id }) => id),
    ),
    ...broken(
      'the kept key names its refund',
      elsewhere.map(({ key }) => key),
    ),
  ]
}

/** Only a refusal leaves no refund: what was answered with one is there. */
const auditUnmade = ({ key, answers }: SentRefund): Breach[] =>
  broken(
    'a refund that was answered is there',
    answers.map(({ payment }) => `${key}: ${payment}`),
  )

function auditAnswers(asked: SentRefund, { id, status }: RefundRow): Breach[] {
  const { key, answers, was_success } = asked
  const [first, ...more] = answers
  const changed = more.some((one) => one.status !== first?.status || one.text !== first.text)
  return [
    ...broken(
      'every answer of a refund’s key names its one refund',
      answers.filter(({ payment }) => payment !== id).map(({ payment }) => `${key}: ${payment}`),
    ),
    ...broken('an answer for good to a refund is the same for ever', changed ? [key] : []),
    ...broken(
      'a refund that was answered to have succeeded stays so',
      was_success && status !== 'SUCCESS' ? [`${id} is ${status}`] : [],
    ),
  ]
}

/** The operator's orders of each refund's attempts. */
function ordersByRefund({ attempts, orders }: Facts): Map<string, OperatorOrder[]> {
  const owner = new Map(attempts.map((row) => [row.our_key, row.refund_id ?? '']))
  return grouped(orders, ({ reference }) => owner.get(reference) ?? '')
}

function auditEnding(
  { key, ends }: SentRefund,
  { id, status, failure_code }: RefundRow,
  orders: readonly OperatorOrder[],
): Breach[] {
  const paid = orders.filter((order) => order.status === 'SUCCESSFUL').length
  const text = [`${id} (${key}) is ${status} ${failure_code}`]
  const when = (is: boolean) => (is ? text : [])
  // An operator that was dead took nothing, and there is no other.
  const unserved = failure_code === 'GATEWAY_UNAVAILABLE'
  return [
    ...missing('a refund that succeeded was paid', when(status === 'SUCCESS' && paid === 0)),
    ...missing('a refund that was paid has succeeded', when(status !== 'SUCCESS' && paid > 0)),
    ...broken('nobody is given back twice', when(paid > 1)),
    ...broken('a refund ends as its reason says', when(status === 'SUCCESS' && ends !== 'paid')),
    ...missing('a refund that can end has ended', when(status === 'PENDING' && ends !== 'never')),
    ...missing(
      'a refund fails only when its operator did not take it',
      when(status === 'FAILED' && ends !== 'refused' && !unserved),
    ),
  ]
}

/** What a payment's row counts is the sum of its refunds, and no more than was paid. */
function auditSums({ transactions, refunds }: Facts): Breach[] {
  const byPayment = grouped(refunds, (row) => row.payment_id)
  const sumOf = (rows: readonly RefundRow[], ...statuses: string[]) =>
    rows
      .filter(({ status }) => statuses.includes(status))
      .reduce((sum, { amount }) => sum + amount, 0n)
  const sums = transactions.map((row) => {
    const own = byPayment.get(row.id) ?? []
    const reserved = sumOf(own, 'PENDING', 'SUCCESS')
    return { row, reserved, refunded: sumOf(own, 'SUCCESS') }
  })
  return [
    ...broken(
      'no more is given back than was paid',
      sums.filter(({ row, reserved }) => reserved > row.debited_amount).map(({ row }) => row.id),
    ),
    ...broken(
      'a payment counts its refunds',
      sums
        .filter(
          ({ row, reserved, refunded }) =>
            row.refund_reserved !== reserved || row.refunded_amount !== refunded,
        )
        .map(({ row }) => `${row.id}: ${row.refund_reserved} and ${row.refunded_amount}`),
    ),
  ]
}
