// The design laws (design 1 to 7) and money 5, asked of one world at rest: what became of each
// payment, key, callback and event; those of money are beside. They are written against the records
// and the operators' books, and share no rule with the service that made the records.

import type { endLaw } from './end-law.ts'
import * as money from './money-laws.ts'
import * as moving from './moving-laws.ts'
import * as payouts from './payout-laws.ts'
import * as refunds from './refund-laws.ts'
import * as lines from './refund-lines-law.ts'
import type { Law, Seen } from './seen.ts'
import * as sessions from './session-laws.ts'
import * as wire from './wire-laws.ts'

const oneAttemptIsOpen: Law = ({ records }) =>
  [...records.transactions, ...records.settlements, ...records.refunds].flatMap(({ id }) => {
    const open = records.attempts.filter(
      (one) =>
        (one.transaction_id ?? one.settlement_id ?? one.refund_id) === id &&
        ['PENDING', 'UNKNOWN'].includes(one.status),
    )
    return open.length > 1 ? [`${id} has ${open.length} open attempts`] : []
  })

const bornAs = (type: string): string => (type === 'TRANSFERT' ? 'SUCCESS' : 'PENDING')

const logsChain: Law = ({ records }) =>
  records.transactions.flatMap(({ id, status, version, transaction_type, refund_changes }) => {
    const logs = records.logs.filter((one) => one.transaction_id === id)
    const net = new Map<string, number>([[bornAs(transaction_type), 1]])
    const step = (at: string, by: number) => net.set(at, (net.get(at) ?? 0) + by)
    for (const { from_status, to_status } of logs) {
      step(from_status, -1)
      step(to_status, 1)
    }
    step(status, -1)
    const leads = [...net.values()].every((count) => count === 0)
    return [
      ...(leads ? [] : [`the logs of ${id} do not lead to ${status}`]),
      ...(version === 1 + logs.length + refund_changes
        ? []
        : [`${id} is version ${version} after ${logs.length}`]),
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
    const stated = JSON.parse(kept.body) as { our_key: string }
    return [
      ...(kept.proof === 'SIGNED' ? [] : [`${transaction_id} moved by an unsigned callback`]),
      ...(stated.our_key === key ? [] : [`${transaction_id} moved by a callback for another`]),
    ]
  })

/** One key: one transaction and one answer, for ever. */
const keysAnswerOnce: Law = ({ scene, records }) => {
  const references = records.transactions.flatMap((one) => one.merchant_reference || [])
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

/** A transfer between countries is told as a transfer. */
const isRequested = ({ transaction_type }: { transaction_type: string }): boolean =>
  transaction_type !== 'TRANSFERT'

/** Event and change commit together: each end of a payment has its one event. */
const movesAreReported: Law = ({ records }) =>
  records.transactions.filter(isRequested).flatMap(({ id }) => {
    const countOf = (type: string) =>
      records.events.filter((one) => one.transaction_id === id && one.type === type).length
    const moved = (to: string) =>
      records.logs.filter((one) => one.transaction_id === id && one.to_status === to).length
    return [
      ...(countOf('transaction.created') === 1 ? [] : [`${id} was not announced once`]),
      ...(countOf('transaction.success') === moved('SUCCESS')
        ? []
        : [`a success of ${id} is untold`]),
      ...(countOf('transaction.failed') === moved('FAILED')
        ? []
        : [`a failure of ${id} is untold`]),
    ]
  })

/** What was answered 200 is kept as it came. */
const callbacksAreKept: Law = ({ scene, records }) =>
  scene.acknowledged.flatMap(({ code, body }) => {
    const gateway_id = scene.stage.gateway_ids.get(code)?.id
    const kept = records.callbacks.some((one) => one.body === body && one.gateway_id === gateway_id)
    return kept ? [] : [`a callback of ${code} was acknowledged and not kept: ${body}`]
  })

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
  'each success is booked, and nothing else': money.successesAreBooked,
  'available is what came less what is held and spent': money.availableIsWhatIsLeft,
  'pending is the sum of open holds': money.pendingIsHeld,
  'a hold ends at most once': money.holdsEndOnce,
  'gateway accounts are the operators’ books': money.booksAgree,
  'each debit is a success or an incident': money.debitsAreKnown,
  'nobody is credited with what nobody paid': money.successesWereTaken,
  'at most one attempt is open': oneAttemptIsOpen,
  'status logs chain': logsChain,
  'evidence is signed and about this attempt': evidenceIsSigned,
  'one key, one transaction, one answer': keysAnswerOnce,
  'each move has its event': movesAreReported,
  'acknowledged callbacks are kept': callbacksAreKept,
  'suspense is the sum of incidents': money.suspenseIsIncidents,
  'no stale refusal fails a payment': refusalsAreCurrent,
  'nothing is sent twice': promisesAreKept,
  'no balance is below zero': payouts.balancesAreCovered,
  'a payout holds what it costs, and the hold ends as the payout does': payouts.holdsFollow,
  'a payout fails only by what its operator answered us': payouts.failuresWereAnswered,
  'a payout is sent only when a second person has said so': payouts.approvalsCameFirst,
  'nothing leaves a frozen balance': payouts.frozenIsFrozen,
  'what is sent is the net that was told': wire.netsAreAsReported,
  'one call asks its payer for one sum': wire.debitsAreAsReported,
  'a session is paid by one payment, and each end is told once': sessions.sessionsArePaidOnce,
  'a link counts what was paid and what is under way': sessions.linksCountTheirPayments,
  'a settlement or transfer holds what it costs, and the hold ends as it does': moving.holdsFollow,
  'a settlement fails only by what its operator answered us': moving.failuresWereAnswered,
  'a refund holds what it costs, and the hold ends as it does': refunds.holdsFollow,
  'a refund fails only by what its operator answered us': refunds.failuresWereAnswered,
  'never more is given back than was paid': refunds.neverMoreThanPaid,
  'each move of a refund has its event': refunds.movesAreReported,
  'a refund books the lines of its table, and nothing else': lines.linesAreTheTables,
  'a fee is given back whole and once': lines.feesComeBackOnce,
  'what came back is given once': moving.returnsAreBooked,
  'two people book an adjustment, once': moving.adjustmentsAreBooked,
  'each move of a settlement or transfer has its event': moving.movesAreReported,
} satisfies Record<string, Law>

export type LawName = keyof typeof laws | typeof endLaw

/** Laws by the operators' truth: people whose word is final may have said something else. */
const byOperators: ReadonlySet<string> = new Set<LawName>([
  'gateway accounts are the operators’ books',
  'each debit is a success or an incident',
  'nobody is credited with what nobody paid',
  'a refund fails only by what its operator answered us',
])

/** What a world breaks, law by law. */
export const breaches = (seen: Seen): string[] => {
  const people = seen.scene.spoken.size > 0
  return breachesOf(
    Object.keys(laws).filter((name) => !people || !byOperators.has(name)),
    seen,
  )
}

/** Whatever people say in the end, these hold. */
export const refundLaws: readonly string[] = [
  'a refund books the lines of its table, and nothing else',
  'a fee is given back whole and once',
  'a refund holds what it costs, and the hold ends as it does',
  'never more is given back than was paid',
  'each move of a refund has its event',
  'pending is the sum of open holds',
  'a hold ends at most once',
  'suspense is the sum of incidents',
] satisfies LawName[]

export const breachesOf = (names: readonly string[], seen: Seen): string[] =>
  Object.entries(laws)
    .filter(([name]) => names.includes(name))
    .flatMap(([name, law]) => law(seen).map((what) => `${name}: ${what}`))
