// The laws of payouts, asked of one world at rest: what is promised is there, is spent or given
// back as the payout ends, and is given back only by the operator's own word to us.

import type { TransactionRecord } from './records.ts'
import type { Law, Seen } from './seen.ts'

const payoutsOf = ({ records }: Seen): TransactionRecord[] =>
  records.transactions.filter(({ transaction_type }) => transaction_type === 'RETRAIT')

const attemptsOf = ({ records }: Seen, { id }: TransactionRecord) =>
  records.attempts.filter(({ transaction_id }) => transaction_id === id)

/** Not at rest, nor at any time before. */
export const balancesAreCovered: Law = ({ records: { available, lowest, pending } }) =>
  [available, lowest, pending].some((sum) => BigInt(sum) < 0n)
    ? [`${available} is available, ${lowest} was, ${pending} is pending`]
    : []

const endOf: Readonly<Record<string, string>> = { PENDING: '', SUCCESS: 'SPEND', FAILED: 'RELEASE' }

export const holdsFollow: Law = (seen) =>
  payoutsOf(seen).flatMap(({ id, status, debited }) => {
    const holds = seen.records.holds.filter(
      ({ cause_kind, cause_id }) => cause_kind === 'PAYOUT' && cause_id === id,
    )
    const [hold] = holds
    if (holds.length !== 1 || hold?.amount !== debited) {
      return [`${id} of ${debited} holds ${holds.map(({ amount }) => amount)}`]
    }
    const ends = hold.ends.join(' and ')
    return ends === endOf[status] ? [] : [`${id} is ${status}, its hold: ${ends || 'open'}`]
  })

/** What proves that an operator paid nothing: their refusal, or that they never heard of it. */
const proofs = ['refused', 'not_found', 'never_sent'] as const

const waits_at_most_s = 72 * 3600

/** What nobody outside has heard of ends by a person's word, or when it has waited for so long. */
const isEndedUnsent = ({ approval, failure_code }: TransactionRecord, now_s: number): boolean =>
  approval === 'REJECTED' ||
  approval === 'LAPSED' ||
  failure_code === 'CANCELLED_BY_MERCHANT' ||
  (failure_code === 'EXPIRED' && now_s >= waits_at_most_s)

/** Said to us, when we sent or asked: not by a callback alone, and not for want of an answer. */
export const failuresWereAnswered: Law = (seen) =>
  payoutsOf(seen)
    .filter(({ status }) => status === 'FAILED')
    .flatMap((one) => {
      const attempts = attemptsOf(seen, one)
      if (attempts.length === 0) {
        const { approval, failure_code } = one
        return isEndedUnsent(one, seen.scene.now_s)
          ? []
          : [`${one.id} failed and was never tried (${approval}, ${failure_code})`]
      }
      return attempts
        .filter(({ our_key }) => {
          const answers = seen.scene.desks.flatMap((desk) => [...desk.answered(our_key)])
          return !proofs.some((proof) => answers.includes(proof))
        })
        .map(({ our_key }) => `${one.id} failed, and we were never told that ${our_key} did`)
    })

export const approvalsCameFirst: Law = (seen) =>
  payoutsOf(seen)
    .filter(({ approval }) => approval !== null && approval !== 'APPROVED')
    .filter((one) => attemptsOf(seen, one).length > 0)
    .map(({ id, approval }) => `${id} was sent and is ${approval}`)

/**
 * When money began to leave by any way: it was promised, it arrived in another country, a payout
 * was given to an operator, some time after it was promised perhaps. Each was made by who had the
 * balance's lock, and so before a mark was put there or after.
 */
function departuresOf(seen: Seen): { id: string; at_ms: number }[] {
  const { holds, entries, settlements, transfers } = seen.records
  const ids = new Set([...payoutsOf(seen), ...settlements, ...transfers].map(({ id }) => id))
  const arrived = entries.filter(({ cause_kind }) => cause_kind === 'TRANSFER')
  const moved = [...holds, ...arrived]
    .filter(({ cause_id }) => ids.has(cause_id))
    .map(({ cause_id, began_ms }) => ({ id: cause_id, at_ms: began_ms }))
  const sent = payoutsOf(seen).flatMap((one) => {
    const began = attemptsOf(seen, one).map(({ began_ms }) => began_ms)
    return began.length === 0 ? [] : [{ id: one.id, at_ms: Math.min(...began) }]
  })
  return [...moved, ...sent]
}

/** A mark that came first is seen: what began within its time was refused. */
export const frozenIsFrozen: Law = (seen) => {
  const left = departuresOf(seen).filter(({ at_ms }) =>
    seen.scene.frozen_times.some(
      ({ from_ms, until_ms = Number.POSITIVE_INFINITY }) => at_ms > from_ms && at_ms < until_ms,
    ),
  )
  return [...new Set(left.map(({ id }) => `${id} left a frozen balance`))]
}
