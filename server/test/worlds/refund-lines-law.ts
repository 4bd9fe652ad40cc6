// Line by line, what the books of one world say of its refunds (money 3): written down a second
// time, from the rows alone. Every line must be here, and every one here in the books, once.

import type { AttemptRecord, EntryRecord, IncidentRecord, RefundRecord } from './records.ts'
import { chargedOf } from './refund-laws.ts'
import { type Law, type Seen, sum } from './seen.ts'

/** `cause from → to amount`; a gateway's account with its id and which of its floats. */
const lineOf = (cause: string, from: string, to: string, amount: bigint): string[] =>
  amount === 0n ? [] : [`${cause} ${from} → ${to} ${amount}`]

const accountOf = ({ kind, gateway_id, purpose }: EntryRecord['debit']): string =>
  kind === 'gateway' ? gatewayOf(gateway_id, purpose) : kind

const gatewayOf = (gateway_id: string, float: string): string => `gateway ${gateway_id} ${float}`

/** An operator gives back from what it has collected; a payout leaves the other float. */
const floatOf = ({ method }: RefundRecord): string =>
  method === 'OPERATOR' ? 'COLLECT' : 'DISBURSE'

/** Held when it is made; spent or given back when it ends. */
function ofRefund(one: RefundRecord, settled: AttemptRecord | undefined): string[] {
  const { id, status, debited, net } = one
  const held = lineOf(`HOLD ${id}`, 'available', 'pending', BigInt(debited))
  if (status === 'PENDING') return held
  if (status !== 'SUCCESS') {
    return [...held, ...lineOf(`HOLD_END ${id}`, 'pending', 'available', BigInt(debited))]
  }
  if (settled === undefined) return [`${id} is SUCCESS by no attempt`]
  const ours = BigInt(one.returned_platform_fee)
  const theirs = BigInt(one.returned_gateway_fee)
  const gateway = gatewayOf(settled.gateway_id, floatOf(one))
  const line = (from: string, to: string, amount: bigint) =>
    lineOf(`REFUND ${id}`, from, to, amount)
  return [
    ...held,
    ...line('pending', gateway, BigInt(net) - ours - theirs),
    ...line('pending', 'gateway_fees', BigInt(settled.gateway_fee)),
    ...line('pending', 'platform_fees', BigInt(settled.platform_fee)),
    ...line('platform_fees', gateway, ours),
    ...line(one.by_operator ? 'gateway_fees' : 'gateway_costs', gateway, theirs),
    ...line('gateway_costs', 'gateway_fees', BigInt(settled.excess)),
  ]
}

/** What an operator said against our books waits in suspense; what two people then said ends it. */
function ofIncident(
  incident: IncidentRecord,
  one: RefundRecord,
  attempt: AttemptRecord | undefined,
): string[] {
  const { id, side, amount: text, gateway_id, resolution, status } = incident
  if (side === null) return []
  const amount = BigInt(text)
  const gateway = gatewayOf(gateway_id, floatOf(one))
  const opened =
    side === 'DEBIT'
      ? lineOf(`INCIDENT ${id}`, 'suspense', gateway, amount)
      : lineOf(`INCIDENT ${id}`, gateway, 'suspense', amount)
  if (status !== 'RESOLVED') return opened
  const line = (from: string, to: string, sum: bigint) => lineOf(`RESOLUTION ${id}`, from, to, sum)
  const others: Readonly<Record<string, () => string[]>> = {
    RECOVERED: () =>
      side === 'DEBIT' ? line(gateway, 'suspense', amount) : line('suspense', gateway, amount),
    WRITE_OFF: () =>
      side === 'DEBIT' ? line('losses', 'suspense', amount) : line('suspense', 'losses', amount),
    // Of what they have, and the rest as their debt: together it is the sum. What its route costs
    // is ours, where it was paid as it was asked.
    CHARGE_MERCHANT: () => [
      ...line('the merchant', 'suspense', amount),
      ...(incident.type === 'PAID_AFTER_RELEASE'
        ? line('gateway_costs', 'gateway_fees', BigInt(attempt?.excess ?? 0))
        : []),
    ],
    CREDIT_MERCHANT: () => (incident.type === 'RETURNED' ? returned(line, one) : credited),
  }
  const credited = line('suspense', 'available', amount)
  return [...opened, ...(others[resolution ?? '']?.() ?? [`${id} ended as ${resolution}`])]
}

type LineTo = (from: string, to: string, amount: bigint) => string[]

/** The merchant's part is theirs again, and the fee that came with it is charged again. */
function returned(line: LineTo, one: RefundRecord): string[] {
  const ours = BigInt(one.returned_platform_fee)
  const theirs = BigInt(one.returned_gateway_fee)
  return [
    ...line('suspense', 'available', BigInt(one.net) - ours - theirs),
    ...line('suspense', 'platform_fees', ours),
    ...line('suspense', one.by_operator ? 'gateway_fees' : 'gateway_costs', theirs),
  ]
}

/** The lines of the books about refunds; what a merchant is charged with is one line. */
function booked({ records }: Seen): string[] {
  const ids = new Set(records.refunds.map(({ id }) => id))
  const incidents = new Set(
    records.incidents.flatMap(({ id, refund_id }) => (refund_id === null ? [] : [id])),
  )
  const attempts = new Set(
    records.attempts.flatMap(({ id, refund_id }) => (refund_id === null ? [] : [id])),
  )
  const own = records.entries.filter(
    ({ cause_id, attempt_id }) =>
      ids.has(cause_id) || incidents.has(cause_id) || attempts.has(attempt_id ?? ''),
  )
  const charged = new Map<string, bigint>()
  const lines = own.flatMap(({ cause_kind, cause_id, debit, credit, amount }) => {
    const isCharge =
      cause_kind === 'RESOLUTION' &&
      credit.kind === 'suspense' &&
      ['available', 'merchant_debt'].includes(debit.kind)
    if (!isCharge) {
      return lineOf(
        `${cause_kind} ${cause_id}`,
        accountOf(debit),
        accountOf(credit),
        BigInt(amount),
      )
    }
    charged.set(cause_id, (charged.get(cause_id) ?? 0n) + BigInt(amount))
    return []
  })
  return [
    ...lines,
    ...[...charged].flatMap(([id, of]) =>
      lineOf(`RESOLUTION ${id}`, 'the merchant', 'suspense', of),
    ),
  ]
}

export const linesAreTheTables: Law = (seen) => {
  const { records, attemptById } = seen
  const due = [
    ...records.refunds.flatMap((one) => ofRefund(one, attemptById.get(one.settled_attempt ?? ''))),
    ...records.incidents.flatMap((incident) => {
      const of = records.refunds.find(({ id }) => id === incident.refund_id)
      const attempt = attemptById.get(incident.attempt_id ?? '')
      return of === undefined ? [] : ofIncident(incident, of, attempt)
    }),
  ]
  const there = booked(seen)
  return [
    ...without(due, there).map((line) => `not booked: ${line}`),
    ...without(there, due).map((line) => `booked, and nothing says why: ${line}`),
  ]
}

/** Those of `some` that `others` has not as often. */
function without(some: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return some.filter((one) => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/**
 * A payment's fee comes back whole or not at all, with one refund at most, which completes what was
 * paid; where its price keeps it, never.
 */
export const feesComeBackOnce: Law = ({ records, attemptById }) =>
  records.transactions.flatMap((payment) => {
    const settled = attemptById.get(payment.settled_attempt ?? '')
    const own = records.refunds.filter(({ payment_id }) => payment_id === payment.id)
    const kept = ({ status, is_returned }: RefundRecord) => status === 'SUCCESS' && !is_returned
    const withFee = own.filter(
      (one) => one.returned_gateway_fee !== '0' || one.returned_platform_fee !== '0',
    )
    const wrong = withFee.filter(
      (one) =>
        settled === undefined ||
        !settled.fee_comes_back ||
        one.returned_gateway_fee !== settled.gateway_fee ||
        one.returned_platform_fee !== settled.platform_fee,
    )
    const ended = withFee.filter(kept)
    // What came back since was on its way to the payer when the last one completed the whole.
    const paid = own.filter(({ status }) => status === 'SUCCESS')
    const given = sum(paid.map(({ net }) => BigInt(net))) + chargedOf(records, payment.id)
    const completes = ended.length === 0 || given >= BigInt(payment.debited)
    return [
      ...wrong.map(({ id }) => `${id} gives another fee back than was taken`),
      ...(ended.length > 1 ? [`${payment.id}: its fee came back ${ended.length} times`] : []),
      ...(completes
        ? []
        : [`${payment.id}: its fee came back with ${given} of ${payment.debited}`]),
    ]
  })
