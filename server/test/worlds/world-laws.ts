// The laws of design.md and money.md 5, asked of one world at rest. They are written against the
// records and the operators' books, and share no rule with the service that made the records.

import type { Order } from './operator.ts'
import type { AttemptRecord, EntryRecord, Records } from './records.ts'
import { ordersOf, type Scene } from './scene.ts'

export type Seen = Readonly<{
  scene: Scene
  records: Records
  attemptById: ReadonlyMap<string, AttemptRecord>
  attemptByKey: ReadonlyMap<string, AttemptRecord>
  orders: readonly Order[]
}>

type Law = (seen: Seen) => string[]

export function seenOf(scene: Scene, records: Records): Seen {
  const { attempts } = records
  return {
    scene,
    records,
    attemptById: new Map(attempts.map((one) => [one.id, one])),
    attemptByKey: new Map(attempts.map((one) => [one.our_key, one])),
    orders: ordersOf(scene),
  }
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n)

/** Credits less debits of the accounts that `which` takes. */
function credited(entries: readonly EntryRecord[], which: (one: EntryRecord['debit']) => boolean) {
  const legs = entries.flatMap(({ debit, credit, amount }) => [
    ...(which(credit) ? [BigInt(amount)] : []),
    ...(which(debit) ? [-BigInt(amount)] : []),
  ])
  return sum(legs)
}

const figureNames = ['debited', 'net', 'client_fee', 'gateway_fee', 'platform_fee'] as const

/** Each SUCCESS has booked its settled attempt's figures once; no other status has booked any. */
const successesAreBooked: Law = ({ records, attemptById }) =>
  records.transactions.flatMap((one) => {
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
    const isRight =
      of('available') === BigInt(attempt.net) &&
      of('gateway') === -BigInt(attempt.debited) &&
      of('gateway_fees') === BigInt(attempt.gateway_fee) + BigInt(attempt.excess) &&
      of('platform_fees') === BigInt(attempt.platform_fee)
    return [
      ...unlike.map((name) => `${one.id} has another ${name} than its settled attempt`),
      ...(isRight ? [] : [`${one.id} is not booked with its settled attempt's figures`]),
    ]
  })

const balanceIsTheNets: Law = ({ records }) => {
  const paid = records.transactions.filter(({ status }) => status === 'SUCCESS')
  const nets = sum(paid.map(({ net }) => BigInt(net)))
  return BigInt(records.available) === nets
    ? []
    : [`available is ${records.available}, the nets of the successes are ${nets}`]
}

/** What each operator took and kept is what its account here says, suspense included. */
const booksAgree: Law = ({ scene, records, orders }) =>
  scene.desks.flatMap((desk) => {
    const gateway_id = scene.stage.gateway_ids.get(desk.code)?.id
    const ours = -credited(
      records.entries,
      (account) => account.kind === 'gateway' && account.gateway_id === gateway_id,
    )
    const theirs = sum(orders.filter((one) => desk.orders.includes(one)).map(({ taken }) => taken))
    return ours === theirs ? [] : [`${desk.code} has taken ${theirs}, we have booked ${ours}`]
  })

const captured = new Set(['DUPLICATE_CAPTURE', 'AMOUNT_MISMATCH'])

/** What an operator took is a success or an incident; what succeeded was taken, or an incident. */
const debitsAreKnown: Law = ({ records, orders, attemptByKey }) => {
  const settled = new Set(records.transactions.map((one) => one.settled_attempt))
  const incidentsOf = (id: string | undefined) =>
    records.incidents.filter((one) => one.attempt_id === id).map(({ type }) => type)
  return orders.flatMap((order) => {
    const attempt = attemptByKey.get(order.our_key)
    if (attempt === undefined) return [`the operator has ${order.our_key}, which we never wrote`]
    const types = incidentsOf(attempt.id)
    const counted = settled.has(attempt.id) || types.some((type) => captured.has(type))
    const took = order.state === 'paid'
    if (order.debits > 1) return [`${order.our_key} was debited ${order.debits} times`]
    if (took && !counted) return [`${order.our_key} was paid and is nowhere in our books`]
    const isReversed = types.includes('REVERSED_AFTER_SUCCESS')
    if (!took && counted && !isReversed) return [`${order.our_key} counts as paid and was not`]
    return []
  })
}

const successesWereTaken: Law = ({ records, orders, attemptById }) =>
  records.transactions.flatMap(({ id, settled_attempt }) => {
    if (settled_attempt === null) return []
    const key = attemptById.get(settled_attempt)?.our_key
    const order = orders.find((one) => one.our_key === key)
    return order !== undefined && order.debits > 0 ? [] : [`${id} is SUCCESS and nobody paid`]
  })

const oneAttemptIsOpen: Law = ({ records }) =>
  records.transactions.flatMap(({ id }) => {
    const open = records.attempts.filter(
      (one) => one.transaction_id === id && ['PENDING', 'UNKNOWN'].includes(one.status),
    )
    return open.length > 1 ? [`${id} has ${open.length} open attempts`] : []
  })

const logsChain: Law = ({ records }) =>
  records.transactions.flatMap(({ id, status, version }) => {
    const logs = records.logs.filter((one) => one.transaction_id === id)
    const net = new Map<string, number>([['PENDING', 1]])
    const step = (at: string, by: number) => net.set(at, (net.get(at) ?? 0) + by)
    for (const { from_status, to_status } of logs) {
      step(from_status, -1)
      step(to_status, 1)
    }
    step(status, -1)
    const leads = [...net.values()].every((count) => count === 0)
    return [
      ...(leads ? [] : [`the logs of ${id} do not lead to ${status}`]),
      ...(version === 1 + logs.length ? [] : [`${id} is version ${version} after ${logs.length}`]),
      ...logs.flatMap(({ from_status }) =>
        from_status === 'SUCCESS' ? [`${id} left SUCCESS`] : [],
      ),
    ]
  })

/** A move that rests on a callback rests on a signed one, kept, about that very attempt. */
const evidenceIsSigned: Law = ({ records, attemptById }) =>
  records.logs.flatMap(({ transaction_id, evidence_kind, evidence_id, attempt_id }) => {
    if (evidence_kind !== 'CALLBACK') return []
    const kept = records.callbacks.find(({ id }) => id === evidence_id)
    if (kept === undefined) return [`${transaction_id} moved by a callback that was not kept`]
    const key = attemptById.get(attempt_id ?? '')?.our_key
    const said = JSON.parse(kept.body) as { our_key: string }
    return [
      ...(kept.proof === 'SIGNED' ? [] : [`${transaction_id} moved by an unsigned callback`]),
      ...(said.our_key === key ? [] : [`${transaction_id} moved by a callback for another`]),
    ]
  })

/** One key: one transaction and one answer, for ever. */
const keysAnswerOnce: Law = ({ scene, records }) => {
  const references = records.transactions.map((one) => one.merchant_reference)
  const twice = references.filter((one, at) => references.indexOf(one) !== at)
  const answers = [...scene.answers].flatMap(([key, given]) => {
    const unlike = new Set(given.map(({ status, json }) => `${status} ${json}`))
    const stored = records.keys.find((one) => one.key === key)?.answer
    return [
      ...(unlike.size > 1 ? [`${key} was answered ${[...unlike].join(' and then ')}`] : []),
      ...(stored === given[0]?.json ? [] : [`${key} stores another answer than it gave`]),
    ]
  })
  return [...twice.map((one) => `${one} was made twice`), ...answers]
}

/** Event and change commit together: each end of a payment has its one event. */
const movesAreTold: Law = ({ records }) =>
  records.transactions.flatMap(({ id }) => {
    const told = (type: string) =>
      records.events.filter((one) => one.transaction_id === id && one.type === type).length
    const moved = (to: string) =>
      records.logs.filter((one) => one.transaction_id === id && one.to_status === to).length
    return [
      ...(told('transaction.created') === 1 ? [] : [`${id} was not announced once`]),
      ...(told('transaction.success') === moved('SUCCESS') ? [] : [`a success of ${id} is untold`]),
      ...(told('transaction.failed') === moved('FAILED') ? [] : [`a failure of ${id} is untold`]),
    ]
  })

/** What was answered 200 is kept as it came. */
const callbacksAreKept: Law = ({ scene, records }) =>
  scene.acknowledged.flatMap(({ code, body }) => {
    const gateway_id = scene.stage.gateway_ids.get(code)?.id
    const kept = records.callbacks.some((one) => one.body === body && one.gateway_id === gateway_id)
    return kept ? [] : [`a callback of ${code} was acknowledged and not kept: ${body}`]
  })

const suspenseIsIncidents: Law = ({ records }) => {
  const held = (purpose: string) =>
    credited(records.entries, (one) => one.kind === 'suspense' && one.purpose === purpose)
  return records.incidents.flatMap(({ id, type, amount, side }) => {
    const owed = side === null ? 0n : side === 'CREDIT' ? BigInt(amount) : -BigInt(amount)
    return held(id) === owed ? [] : [`${type} of ${owed} holds ${held(id)} in suspense`]
  })
}

/**
 * A refusal of one attempt does not fail the payment while a later one is under way. (One that is
 * paid after its refusal ends anew, so of a success it is not known when it ended first.)
 */
const refusalsAreCurrent: Law = ({ records, attemptById }) =>
  records.logs.flatMap((log) => {
    const refused = attemptById.get(log.attempt_id ?? '')
    if (log.to_status !== 'FAILED' || log.evidence_kind === 'RULE' || !refused) return []
    const later = records.attempts.filter(
      (one) =>
        one.transaction_id === log.transaction_id &&
        one.priority > refused.priority &&
        one.status !== 'SUCCESS' &&
        one.created_at < log.created_at &&
        (one.finished_at === null || one.finished_at > log.created_at),
    )
    return later.map(({ id }) => `${log.transaction_id} FAILED while its attempt ${id} was open`)
  })

const promisesAreKept: Law = ({ scene }) => scene.desks.flatMap(({ broken }) => broken)

export const laws = {
  'each success is booked, and nothing else': successesAreBooked,
  'the balance is the sum of the nets': balanceIsTheNets,
  'gateway accounts are the operators’ books': booksAgree,
  'each debit is a success or an incident': debitsAreKnown,
  'nobody is credited with what nobody paid': successesWereTaken,
  'at most one attempt is open': oneAttemptIsOpen,
  'status logs chain': logsChain,
  'evidence is signed and about this attempt': evidenceIsSigned,
  'one key, one transaction, one answer': keysAnswerOnce,
  'each move has its event': movesAreTold,
  'acknowledged callbacks are kept': callbacksAreKept,
  'suspense is the sum of incidents': suspenseIsIncidents,
  'no stale refusal fails a payment': refusalsAreCurrent,
  'nothing is sent twice': promisesAreKept,
} satisfies Record<string, Law>

export type LawName = keyof typeof laws

/** What a world breaks, law by law. */
export const breaches = (seen: Seen): string[] =>
  Object.entries(laws).flatMap(([name, law]) => law(seen).map((what) => `${name}: ${what}`))
