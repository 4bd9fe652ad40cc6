// The laws of money, asked of one world at rest: what came is booked once, what is held is held
// once, and our books are the operators'. They share no rule with the service that made them.

import type { OperatorOrder } from './operator.ts'
import type { TransactionRecord } from './records.ts'
import { credited, type Law, type Seen, sum } from './seen.ts'

const figureNames = ['debited', 'net', 'client_fee', 'gateway_fee', 'platform_fee'] as const

/** A transfer between countries is asked of nobody: it is born SUCCESS. */
const isAttempted = ({ transaction_type }: TransactionRecord) => transaction_type !== 'TRANSFERT'

/** Each SUCCESS has booked its settled attempt's figures once; no other status has booked any. */
export const successesAreBooked: Law = ({ records, attemptById }) =>
  records.transactions.filter(isAttempted).flatMap((one) => {
    const entries = records.entries.filter(
      ({ cause_kind, cause_id }) => cause_kind === 'TRANSACTION' && cause_id === one.id,
    )
    if (one.status !== 'SUCCESS') {
      return entries.length === 0 ? [] : [`${one.status} transaction ${one.id} has entries`]
    }
    const attempt = attemptById.get(one.settled_attempt ?? '')
    if (attempt === undefined) return [`${one.id} is SUCCESS by no attempt`]
    if (attempt.status !== 'SUCCESS')
      return [`${one.id} was settled by a ${attempt.status} attempt`]
    const unlike = figureNames.filter((name) => one[name] !== attempt[name])
    const of = (kind: string) => credited(entries, (account) => account.kind === kind)
    const [debited, net] = [BigInt(attempt.debited), BigInt(attempt.net)]
    const isMoved =
      one.transaction_type === 'RETRAIT'
        ? of('pending') === -debited && of('gateway') === net && of('available') === 0n
        : of('available') === net && of('gateway') === -debited && of('pending') === 0n
    const isRight =
      isMoved &&
      of('gateway_fees') === BigInt(attempt.gateway_fee) + BigInt(attempt.excess) &&
      of('platform_fees') === BigInt(attempt.platform_fee)
    return [
      ...unlike.map((name) => `${one.id} has another ${name} than its settled attempt`),
      ...(isRight ? [] : [`${one.id} is not booked with its settled attempt's figures`]),
    ]
  })

const heldSum = ({ records }: Seen, which: (ends: readonly string[]) => boolean): bigint =>
  sum(records.holds.filter(({ ends }) => which(ends)).map(({ amount }) => BigInt(amount)))

const isPaidIn = (type: string): boolean => type === 'PAIEMENT' || type === 'RECHARGE'

/** What has laws of its own beside: transfers that arrive, what staff adjust, what comes back. */
const besides = new Set(['TRANSFER', 'ADJUSTMENT', 'RESOLUTION', 'RETURN'])

/** The nets of the successes and the play money, less what is promised and what was spent of it. */
export const availableIsWhatIsLeft: Law = (seen) => {
  const { records } = seen
  const paid = records.transactions.filter(
    ({ status, transaction_type }) => status === 'SUCCESS' && isPaidIn(transaction_type),
  )
  const nets = sum(paid.map(({ net }) => BigInt(net)))
  const funds = -credited(records.entries, ({ kind }) => kind === 'sandbox_funding')
  const gone = heldSum(seen, (ends) => ends.length === 0 || ends.includes('SPEND'))
  const elsewhere = records.entries.filter(({ cause_kind }) => besides.has(cause_kind))
  const left = nets + funds - gone + credited(elsewhere, ({ kind }) => kind === 'available')
  return BigInt(records.available) === left
    ? []
    : [`available is ${records.available}, what came less what is held and spent is ${left}`]
}

export const pendingIsHeld: Law = (seen) => {
  const open = heldSum(seen, (ends) => ends.length === 0)
  const { pending } = seen.records
  return BigInt(pending) === open ? [] : [`pending is ${pending}, open holds are ${open}`]
}

/** Once, whoever ends it in whatever way; who was told that they did has done it. */
export const holdsEndOnce: Law = ({ scene, records }) =>
  records.holds.flatMap(({ id, ends }) => {
    const ended = scene.ends.get(id) ?? 0
    return [
      ...(ends.length > 1 ? [`${id} ended ${ends.length} times: ${ends}`] : []),
      ...(ended > 1 ? [`${ended} were told that they ended ${id}`] : []),
      ...(ended > ends.length ? [`${id} was said to have ended and has not`] : []),
    ]
  })

/**
 * An operator that changes its word twice, or after another amount than asked, is for people: the
 * incident that the first time opened stays open, and nothing is booked beside it.
 */
const isForPeople = ({ contradictions, was_odd }: OperatorOrder): boolean =>
  contradictions > 1 || (contradictions > 0 && was_odd)

/** What it has of ours because of it: what it paid out for us it has no more. */
const movedOf = ({ requested, taken }: OperatorOrder): bigint =>
  requested.direction === 'DISBURSE' ? -taken : taken

/** What each operator took and kept is what its account here says, attempt by attempt. */
export const booksAgree: Law = (seen) => {
  const { scene, records, orders, attemptByKey } = seen
  const known = orders.flatMap(({ our_key }) => attemptByKey.get(our_key)?.id ?? [])
  const stray = records.entries.filter(({ attempt_id }) => !known.includes(attempt_id ?? ''))
  const lines = orders.flatMap((order) => {
    const attempt = attemptByKey.get(order.our_key)
    const desk = scene.desks.find((one) => one.orders.includes(order))
    const gateway_id = scene.stage.gateway_ids.get(desk?.code ?? '')?.id
    const own = records.entries.filter((one) => one.attempt_id === attempt?.id)
    const ours = -credited(own, (one) => one.kind === 'gateway' && one.gateway_id === gateway_id)
    const reported = records.incidents.some((one) => one.attempt_id === attempt?.id)
    if (ours === movedOf(order) || (isForPeople(order) && reported)) return []
    return [`${order.external_reference} has moved ${movedOf(order)}, we have booked ${ours}`]
  })
  const nobodys = credited(stray, ({ kind }) => kind === 'gateway')
  return nobodys === 0n ? lines : [...lines, `${nobodys} is booked for no order of an operator`]
}

const captured = new Set(['DUPLICATE_CAPTURE', 'AMOUNT_MISMATCH', 'PAID_AFTER_RELEASE'])

/** What an operator took is a success or an incident; what succeeded was taken, or an incident. */
export const debitsAreKnown: Law = ({ records, orders, attemptByKey }) => {
  const { transactions, settlements, refunds } = records
  const settled = new Set(
    [...transactions, ...settlements, ...refunds].map((one) => one.settled_attempt),
  )
  const returned = new Set(
    transactions.filter((one) => one.return_state === 'RETURNED').map((one) => one.settled_attempt),
  )
  const incidentsOf = (id: string | undefined) =>
    records.incidents.filter((one) => one.attempt_id === id).map(({ type }) => type)
  return orders.flatMap((order) => {
    const { our_key, state } = order
    const attempt = attemptByKey.get(our_key)
    if (attempt === undefined) return [`the operator has ${our_key}, which we never wrote`]
    const orders_of_key = orders.filter((one) => one.our_key === our_key).length
    if (orders_of_key > 1) return [`${our_key} was taken ${orders_of_key} times`]
    const types = incidentsOf(attempt.id)
    const counted = settled.has(attempt.id) || types.some((type) => captured.has(type))
    if (state === 'paid' && !counted) return [`${our_key} was paid and is nowhere in our books`]
    const back = types.some((type) => type === 'REVERSED_AFTER_SUCCESS' || type === 'RETURNED')
    const isReversed = back || returned.has(attempt.id) || isForPeople(order)
    if (state !== 'paid' && counted && !isReversed) {
      return [`${our_key} counts as paid and was not`]
    }
    return []
  })
}

export const successesWereTaken: Law = ({ records, orders, attemptById }) =>
  [...records.transactions, ...records.settlements, ...records.refunds].flatMap((one) => {
    const { id, settled_attempt } = one
    if (settled_attempt === null) return []
    const key = attemptById.get(settled_attempt)?.our_key
    const order = orders.find((one) => one.our_key === key)
    return order?.was_paid === true ? [] : [`${id} is SUCCESS and nobody paid`]
  })

export const suspenseIsIncidents: Law = ({ records }) => {
  const heldSum = (purpose: string) =>
    credited(records.entries, (one) => one.kind === 'suspense' && one.purpose === purpose)
  return records.incidents.flatMap(({ id, type, amount, side, status }) => {
    const isEmpty = side === null || status === 'RESOLVED'
    const owed = isEmpty ? 0n : side === 'CREDIT' ? BigInt(amount) : -BigInt(amount)
    return heldSum(id) === owed ? [] : [`${type} of ${owed} holds ${heldSum(id)} in suspense`]
  })
}
